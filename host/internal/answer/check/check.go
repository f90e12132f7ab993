// Package check answers whether a certificate proves its claim, and whether it is about the
// user's network and study. Package checker decides; it shares no code with what it checks.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/check/checker"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// Request names a certificate.
type Request struct {
	Certificate string `json:"certificate"`
	// Study and Model are the files that it must be about; empty: any. Data, Rules, Threshold
	// and Bands are as in question.Spec, for the study.
	Study     string   `json:"study,omitempty"`
	Data      string   `json:"data,omitempty"`
	Model     string   `json:"model,omitempty"`
	Rules     []string `json:"rules,omitempty"`
	Threshold string   `json:"threshold,omitempty"`
	Bands     string   `json:"bands,omitempty"`
}

// Result is the answer to a Request and the JSON object of hyfair check.
type Result struct {
	// The certificate's file.
	Certificate string `json:"certificate"`
	// Everything that the certificate claims is proved.
	Accepted bool `json:"accepted"`
	// The claims, as sentences. They are proved only if accepted.
	Claims []string `json:"claims"`
	// The claim.
	Claim Claim `json:"claim"`
	// The reason of a refusal; absent if accepted.
	Refusal *Refusal `json:"refusal,omitempty"`
	// The region of the claim.
	Region Region `json:"region"`
	// The leaves, counted.
	Leaves Leaves `json:"leaves"`
	// The fingerprints in the certificate.
	Sums Fingerprints `json:"sha256"`

	// The program that wrote the certificate, as it says.
	Producer string `json:"producer,omitempty"`
	// The study's name, as the certificate says.
	Study string `json:"study,omitempty"`
	// The notion of the claim.
	Notion string `json:"notion"`
	// ε, exact; absent for a claim without ε.
	Epsilon string `json:"epsilon,omitempty"`
	// The files that the certificate was compared with: study, model.
	Compared []string `json:"compared,omitempty"`
	// The decision that the claim is about, as the certificate names it or else the study; absent for a score
	// above ½, and for a notion with ε.
	Decision *question.Decision `json:"decision,omitempty"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
}

// Claim is what the certificate claims.
type Claim struct {
	// The claim: fair, gap or max-k.
	Kind string `json:"kind"`
	// The exact bound that a claim of kind gap states.
	Bound string `json:"bound,omitempty"`
	// The number of bins that a claim of kind max-k states.
	K int `json:"k,omitempty"`
}

// Refusal says why the certificate is refused. Leaf and Line count from 1; 0 if no leaf is at
// fault.
type Refusal struct {
	// The reason of the refusal.
	Reason string `json:"reason"`
	// The leaf at fault, from 1; absent if it is not a single leaf.
	Leaf int64 `json:"leaf,omitempty"`
	// The line of that leaf.
	Line int64 `json:"line,omitempty"`
}

// Region is the region of the claim.
type Region struct {
	// The protected features.
	Protected []string `json:"protected"`
	// The number of combinations of their values.
	Combinations int `json:"combinations"`
	// The number of points in the region's box, permitted or not, in decimal digits; absent with real
	// features.
	Points string `json:"points,omitempty"`
	// The predicate that cuts the region; absent for the whole space.
	Where string `json:"where,omitempty"`
	// Predicates that must hold.
	Require []string `json:"require,omitempty"`
	// Predicates that must not hold.
	Forbid []string `json:"forbid,omitempty"`
}

// Leaves counts the checked leaves, by what settled them.
type Leaves struct {
	// The number of leaves checked, the sum of the next three.
	Checked int64 `json:"checked"`
	// Leaves settled by bounds of the logits.
	Bounds int64 `json:"bounds"`
	// Leaves settled by enumeration down to single individuals.
	Enumerated int64 `json:"enumerated"`
	// Leaves without an individual that the claim is about.
	Void int64 `json:"void"`
}

// Fingerprints are SHA-256 sums.
type Fingerprints struct {
	// The SHA-256 of the model in the certificate.
	Network string `json:"network"`
	// The SHA-256 of the space in the certificate.
	Space string `json:"space"`
}

// Answer checks the certificate. A refusal is not an error.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	if r.Study == "" && (len(r.Rules) > 0 || r.Threshold != "" || r.Bands != "") {
		return nil, session.Mistake(errors.New("--rules, --threshold and --bands apply to a study: give --study"))
	}
	file, err := certificate.Open(r.Certificate)
	if err != nil {
		var path *fs.PathError
		if !errors.As(err, &path) {
			err = fmt.Errorf("%s: %w", r.Certificate, err)
		}
		return nil, session.Mistake(err)
	}
	defer file.Close()
	out := newResult(r.Certificate, file)
	refusal, err := out.compare(&r, file.Statement())
	if err != nil {
		return nil, session.Mistake(err)
	}
	if refusal == nil {
		if refusal, err = out.check(ctx, s, file); err != nil {
			return nil, err
		}
	}
	out.Seconds = time.Since(s.Begun).Seconds()
	if out.Accepted = refusal == nil; !out.Accepted {
		out.Refusal = &Refusal{refusal.Reason, refusal.Leaf, refusal.Line}
	}
	return out, nil
}

// decision says in words what a decision is: one of several bands, or positive by a rule.
func decision(rule fairness.Rule, bands fairness.Bands) string {
	if bands != nil {
		return "one of the bands " + bands.String()
	}
	return "positive for a score " + rule.String()
}

// compare compares the certificate's network and space with the user's.
func (out *Result) compare(r *Request, st *certificate.Statement) (*checker.Refusal, error) {
	switch {
	case r.Study != "":
		of, err := study.Load(r.Study, study.Options{DataRoot: r.Data, Model: r.Model, Rules: r.Rules, Threshold: r.Threshold, Bands: r.Bands})
		if err != nil {
			return nil, err
		}
		out.Compared = []string{"study", "model"}
		m, about := of.Model, of.ModelPath
		switch named := st.Bands != nil || !st.Rule.IsDefault(); {
		case named:
			if text, have := decision(st.Rule, st.Bands), decision(of.Rule, of.Bands); text != have {
				return &checker.Refusal{Reason: fmt.Sprintf("its decision is %s, that of %s is %s", text, of.Path, have)}, nil
			}
		case !st.Notion.UsesEpsilon():
			if m, err = of.Decided(); err != nil {
				return nil, err
			}
			out.Decision = question.DecisionOf(of)
			about += ", with a positive decision at a score " + of.Rule.String()
		}
		if err := sameModel(st, m); err != nil {
			return &checker.Refusal{Reason: fmt.Sprintf("it is not about %s: %v", about, err)}, nil
		}
		// The certificate chooses which of the study's protected features vary.
		s, err := of.Space.Protect(question.Protected(st.Space)...)
		if err == nil {
			err = checker.SameSpace(st.Space, s)
		}
		if err != nil {
			return &checker.Refusal{Reason: fmt.Sprintf("it is not about the space of %s: %v", of.Path, err)}, nil
		}
	case r.Model != "":
		m, _, err := modelfile.Read(r.Model, modelfile.Choice{})
		if err != nil {
			return nil, err
		}
		out.Compared = []string{"model"}
		if e, ok := m.(*trees.Ensemble); ok {
			m = e.Coded(st.Space)
		}
		if err := sameModel(st, m); err != nil {
			return &checker.Refusal{Reason: fmt.Sprintf("it is not about the model in %s: %v; if a study changes the model (class, output, missing, normalize), compare with --study STUDY", r.Model, err)}, nil
		}
	}
	return nil, nil
}

// check runs the checker on the leaves, shows its progress, and sets Leaves unless there is an
// error.
func (out *Result) check(ctx context.Context, s *session.Session, r *certificate.Reader) (*checker.Refusal, error) {
	s.Work()
	report, err := checker.Run(ctx, r, checker.Options{Progress: func(p checker.Progress) {
		text := view.Count(p.Leaves) + " leaves checked"
		if p.Placed > 0 {
			text += fmt.Sprintf(", %s found in their place", view.Count(p.Placed))
		}
		s.Show(text)
	}})
	if err != nil {
		return nil, err
	}
	out.Leaves = Leaves{report.Leaves, report.ByBounds, report.Enumerated, report.Void}
	return report.Refusal, nil
}

// newResult fills in the contents of the certificate's statement.
func newResult(path string, r *certificate.Reader) *Result {
	st := r.Statement()
	out := &Result{
		Certificate: path, Producer: st.Producer, Study: st.Study,
		Notion: st.Notion.String(), Claims: []string{Sentence(st)},
		Claim: Claim{Kind: st.Claim.Kind.String(), K: st.Claim.K},
	}
	out.Sums.Network, out.Sums.Space = r.Fingerprints()
	if st.Claim.Bound != nil {
		out.Claim.Bound = fairness.FormatRat(st.Claim.Bound)
	}
	if d := question.DecisionOf(&study.Study{Rule: st.Rule, Bands: st.Bands}); d != nil {
		out.Decision = d
	}
	if st.Epsilon != nil {
		out.Epsilon = fairness.FormatRat(st.Epsilon)
	}
	region := st.RegionOrWhole()
	out.Region = Region{
		Protected: append([]string{}, question.Protected(st.Space)...), Combinations: region.Count(),
		Where: cutText(st.Space, region), Require: predicateTexts(st.Space, st.Require), Forbid: predicateTexts(st.Space, st.Forbid),
	}
	if !st.Space.HasReals() {
		out.Region.Points = checker.Points(st.Space, region.Box).String()
	}
	return out
}

// sameModel names the first difference between a certificate's model and another one.
func sameModel(st *certificate.Statement, m model.Model) error {
	n, network := m.(*relu.Network)
	e, forest := m.(*trees.Ensemble)
	switch {
	case network && st.Network != nil:
		return checker.SameNetwork(st.Network, n)
	case forest && st.Trees != nil:
		return checker.SameTrees(st.Trees, e, st.Notion)
	}
	return fmt.Errorf("the certificate's model is of the family %s, this one is of %s", st.Model().Family(), m.Family())
}
