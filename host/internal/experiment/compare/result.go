package compare

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Result is the result of one task: all that the tables need, so that they can be made from the
// journal alone.
type Result struct {
	// Individuals are the distinct individuals whose witnesses were replayed, in the order in
	// which they were found.
	Individuals []Individual `json:"individuals,omitempty"`
	// Proofs are the regions in which the arm proved a limit.
	Proofs []Proof `json:"proofs,omitempty"`
	// Refuting are individuals that the host found after the task, and that refute Proofs.
	Refuting []Individual `json:"refuting,omitempty"`
	// Diversity is the mean Gower distance between two Individuals that count, over
	// non-protected features; nil for fewer than two. Regions counts the regions of the
	// yardstick partition that contain one.
	Diversity *float64 `json:"diversity,omitempty"`
	Regions   int      `json:"regions"`
	// Certified is the share of the space proved fair.
	Certified float64 `json:"certified"`
	// LeftOpen is what the single question of an arm left open: bound less best value, or the undecided
	// share; 0 once it is settled, nil for other arms.
	LeftOpen *float64 `json:"left_open,omitempty"`
	// Fair, Unfair and Undecided count regions, Asked the questions about them, Solves the
	// questions that reached the solver, Nodes its search nodes. Spurious counts points that the
	// replay refused.
	Fair      int64 `json:"fair"`
	Unfair    int64 `json:"unfair"`
	Undecided int64 `json:"undecided"`
	Asked     int64 `json:"asked"`
	Solves    int64 `json:"solves"`
	Nodes     int64 `json:"nodes"`
	Spurious  int64 `json:"spurious"`
	// Open counts the verdicts that left a region undecided, by reason.
	Open experiment.Unsolved `json:"open,omitempty"`
	experiment.Cost
	// Killed: the worker did not end soon after its budget, and was killed. Its events up to
	// then count, as they do if the memory limit ended it.
	Killed bool `json:"killed,omitempty"`
	// Error is the error that ended the task before its budget; empty: none did.
	Error string `json:"error,omitempty"`
	// Faults are the solver's first few faults. Refuted are claims that the host refuted during
	// the task; they are not in Proofs.
	Faults  []string  `json:"faults,omitempty"`
	Refuted []Refuted `json:"refuted,omitempty"`
}

// Refuted is a claim that the host refuted.
type Refuted struct {
	Text string `json:"text"`
	// Claimed is the solver's claim, and By an individual above its Limit. A claim of another
	// kind has neither Limit nor By.
	Claimed Proof       `json:"claimed"`
	By      *Individual `json:"by,omitempty"`
}

// Individual is an individual that was found.
type Individual struct {
	X []float64 `json:"x"`
	// Seconds from the start of the task.
	Seconds float64 `json:"t"`
	K       int     `json:"k"`
	// Gap is the exact gap, rounded, if it exceeds ε, so that the individual counts; 0 if the
	// individual is a witness by another notion only.
	Gap float64 `json:"gap,omitempty"`
	// Logit1 and Logit2 are the logits of the replayed pair.
	Logit1 float64 `json:"l1"`
	Logit2 float64 `json:"l2"`
}

// counts reports whether the individual's gap exceeds ε: a 2-discriminant.
func (i *Individual) counts() bool { return i.Gap > 0 }

// Proof states that no individual of a box has a margin above Limit.
type Proof struct {
	Box   Box     `json:"box,omitempty"`
	Limit float64 `json:"limit"`
	Grade string  `json:"grade"`
}

// fold makes a task's result from its stream of events.
type fold struct {
	subject *question.Question
	query   *problem.Query
	// epsilon is the limit that the verdict fair proves, in the notion's unit.
	epsilon  float64
	result   Result
	finished bool
	// interrupted: the worker was interrupted before its budget.
	interrupted bool
	// judge computes logits of the lowered model; nil without thresholds by group. bands counts an
	// individual's bands; nil without bands.
	judge *individual.Judge
	bands *evaluate.Evaluator
}

func newFold(s *Subject, arm *Arm) (*fold, error) {
	q, err := s.query(arm)
	if err != nil {
		return nil, err
	}
	f := &fold{subject: s.asked, query: q}
	if q.Rule.Groups != nil {
		f.judge = individual.NewJudge(q)
	}
	if st := s.asked.Study; st.Bands != nil {
		// On an error K stays 0: the worker, which makes the same evaluator, reports the error.
		f.bands, _ = evaluate.NewBanded(st.Model, s.asked.Space, s.asked.Region, study.DefaultEpsilon(), st.Bands)
	}
	if q.Notion.UsesEpsilon() {
		f.epsilon, _ = q.Epsilon.Float64()
	}
	return f, nil
}

// add processes one event; an event that a worker of this program cannot have sent is an error.
func (f *fold) add(e *record.Event) error {
	switch e.Kind {
	case record.KindWitness:
		w := e.Witness
		if len(w.Copy1) != len(f.subject.Space.Features) {
			return fmt.Errorf("a witness has %d values, want %d: one per feature", len(w.Copy1), len(f.subject.Space.Features))
		}
		logit1, logit2 := f.logits(w.Copy1, w.Copy2, w.Logit1, w.Logit2)
		f.result.Individuals = append(f.result.Individuals, Individual{
			X: f.subject.Space.Canonical(w.Copy1), Seconds: e.Seconds, K: w.K, Logit1: logit1, Logit2: logit2,
		})
	case record.KindFound:
		if len(f.result.Individuals) == 0 {
			return fmt.Errorf("an individual was reported without a witness before it")
		}
		f.result.Individuals[len(f.result.Individuals)-1].Gap = e.Found.Gap
	case record.KindVerdict:
		return f.verdict(e.Verdict)
	case record.KindFault:
		f.result.Faults = append(f.result.Faults, e.Fault.Error)
		return f.refuted(e.Fault)
	case record.KindFinished:
		f.finished, f.interrupted = true, e.Finished.Interrupted
		f.result.Error, f.result.Seconds = e.Finished.Error, e.Seconds
		f.measures(e.Finished.Measures)
	}
	return nil
}

// logits returns the logits of two copies. With thresholds by group they are those of the lowered
// model, whose decisions change at 0 for every group.
func (f *fold) logits(copy1, copy2 []float64, logit1, logit2 float64) (a, b float64) {
	if f.judge == nil {
		return logit1, logit2
	}
	a, _ = f.judge.Logit(copy1).Float64()
	b, _ = f.judge.Logit(copy2).Float64()
	return a, b
}

// verdict adds the proof that a region's verdict contains, if any.
func (f *fold) verdict(v *record.Verdict) error {
	limit := f.epsilon
	switch {
	case v.Verdict == engine.Fair.String():
	case v.Bound != nil:
		limit = *v.Bound
	default:
		if v.Verdict == engine.Undecided.String() {
			f.result.Open.Count(experiment.Reason(v.Reason))
		}
		return nil
	}
	box, err := boxOf(f.subject.Space, f.subject.Region, v.Region)
	if err != nil {
		return fmt.Errorf("region %q: %w", v.Region, err)
	}
	f.result.Proofs = append(f.result.Proofs, Proof{Box: box, Limit: limit + v.Tolerance, Grade: v.Grade})
	return nil
}

// refuted adds a claim that the host refuted.
func (f *fold) refuted(of *record.Fault) error {
	r := of.Refuted
	if r == nil {
		return nil
	}
	box, err := boxOf(f.subject.Space, f.subject.Region, r.Region)
	if err != nil {
		return fmt.Errorf("region %q: %w", r.Region, err)
	}
	out := Refuted{Text: of.Error, Claimed: Proof{Box: box, Limit: r.Limit, Grade: r.Grade}}
	if w := r.Witness; w != nil {
		if len(w.Copy1) != len(f.subject.Space.Features) {
			return fmt.Errorf("a witness has %d values, want %d: one per feature", len(w.Copy1), len(f.subject.Space.Features))
		}
		out.By = f.refuting(w.Copy1, w.Copy2, w.Logit1, w.Logit2)
	}
	f.result.Refuted = append(f.result.Refuted, out)
	return nil
}

func (f *fold) measures(m map[string]*float64) {
	for name, to := range map[string]*int64{
		measureFair: &f.result.Fair, measureUnfair: &f.result.Unfair, measureUndecided: &f.result.Undecided, measureAsked: &f.result.Asked,
		measureSolves: &f.result.Solves, measureNodes: &f.result.Nodes, measureSpurious: &f.result.Spurious,
	} {
		if v := m[name]; v != nil {
			*to = int64(*v)
		}
	}
	f.result.LeftOpen = m[measureLeftOpen]
	if v := m[measureCertified]; v != nil {
		f.result.Certified = *v
	}
}

// refuting returns the individual of two copies that refute a claim, with their logits. Its K counts
// bands, and is 0 without bands.
func (f *fold) refuting(copy1, copy2 []float64, logit1, logit2 float64) *Individual {
	one := &Individual{X: f.subject.Space.Canonical(copy1)}
	if f.bands != nil {
		one.K = f.bands.Evaluate(copy1).K
	}
	one.Logit1, one.Logit2 = f.logits(copy1, copy2, logit1, logit2)
	return one
}

// doubt searches for individuals that refute the proofs. The task has ended, so this costs none
// of its time.
func (f *fold) doubt(ctx context.Context, seed int64) {
	d := engine.NewDoubt(f.query, seed)
	for _, p := range f.result.Proofs {
		claimed := new(big.Rat).SetFloat64(p.Limit + slack(p.Limit))
		w := d.Refute(ctx, p.Box.region(f.subject.Region), engine.DoubtCopies/len(f.result.Proofs), claimed)
		if w != nil {
			f.result.Refuting = append(f.result.Refuting, *f.refuting(w.Copy1, w.Copy2, w.Logit1, w.Logit2))
		}
	}
}

// end completes the result with the measures over all individuals.
func (f *fold) end(yardstick string) (*Result, error) {
	c, err := chunksOf(f.subject.Space, yardstick)
	if err != nil {
		return nil, err
	}
	var found [][]float64
	cells := map[string]bool{}
	for i := range f.result.Individuals {
		if one := &f.result.Individuals[i]; one.counts() {
			found = append(found, one.X)
			cells[c.Cell(f.subject.Space, f.subject.Region, one.X)] = true
		}
	}
	f.result.Regions = len(cells)
	f.result.Diversity = search.Diversity(f.subject.Space, found)
	return &f.result, nil
}
