package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// quantifyReport is the JSON object of hyfair quantify; docs/cli.md lists its
// fields.
type quantifyReport struct {
	Study     string   `json:"study"`
	Model     string   `json:"model"`
	Seed      int64    `json:"seed"`
	Seconds   float64  `json:"seconds"`
	Notion    string   `json:"notion"`
	Epsilon   string   `json:"epsilon,omitempty"`
	Protected []string `json:"protected"`
	Where     string   `json:"where,omitempty"`
	AskedK    int      `json:"asked_k,omitempty"`

	quantify.Shares
	Map    *quantifyMap  `json:"map,omitempty"`
	Solver certifySolver `json:"solver"`
	// Journal and Run are absent where nothing is kept.
	Journal string `json:"journal,omitempty"`
	Run     string `json:"run,omitempty"`
}

type quantifyMap struct {
	File string `json:"file"`
	// Pieces by claim.
	Pieces map[string]int64 `json:"pieces"`
	// Covered is the share of the region's box that the pieces make up.
	Covered  float64           `json:"covered"`
	Features []quantifyFeature `json:"features"`
}

type quantifyFeature struct {
	Name   string          `json:"name"`
	Values []quantifyValue `json:"values"`
}

type quantifyValue struct {
	Lo        float64 `json:"lo"`
	Hi        float64 `json:"hi"`
	Label     string  `json:"label"`
	Fair      float64 `json:"fair"`
	Unfair    float64 `json:"unfair"`
	Undecided float64 `json:"undecided"`
}

func (j *quantifyJob) report(rep *quantify.Report) *quantifyReport {
	d := j.plugin.Description()
	out := &quantifyReport{
		Study: j.study.Name, Model: filepath.Base(j.study.ModelPath), Seed: j.app.Seed, Seconds: time.Since(j.start).Seconds(),
		Notion: j.query.Notion.String(), Protected: question.Protected(j.query.Space), Where: j.flags.question.Where, AskedK: j.flags.question.K,
		Shares: quantify.SharesOf(sharesEvent(rep), rep.Faults), Solver: certifySolver{d.Name, d.Version, session.Library(d)},
	}
	if j.query.Notion.UsesEpsilon() {
		out.Epsilon = fairness.FormatRat(j.query.Epsilon)
	}
	if rep.Map != nil {
		out.Map = j.mapReport(rep.Map)
	}
	return out
}

func (j *quantifyJob) mapReport(m *quantify.Map) *quantifyMap {
	out := &quantifyMap{File: j.flags.mapFile, Pieces: map[string]int64{}, Covered: min(1, m.Covered), Features: []quantifyFeature{}}
	for _, c := range sdk.PieceClaims {
		out.Pieces[c.String()] = m.Pieces[c]
	}
	for _, f := range m.Features {
		of := &j.query.Space.Features[f.Index]
		feature := quantifyFeature{Name: of.Name}
		for _, s := range f.Slices {
			label := of.Label(s.Lo)
			if s.Hi > s.Lo {
				label += ".." + of.Label(s.Hi)
			}
			feature.Values = append(feature.Values, quantifyValue{s.Lo, s.Hi, label, s.Fair, s.Unfair, s.Undecided})
		}
		out.Features = append(out.Features, feature)
	}
	return out
}

// print shows the result.
func (j *quantifyJob) print(r *quantifyReport) {
	w := j.app.Stdout
	fmt.Fprintf(w, "%s, network %s: %s\n", r.Study, r.Model, j.questionInWords())
	fmt.Fprintf(w, "solver %s %s\n\n", r.Solver.Name, r.Solver.Version)
	if r.Nobody() {
		fmt.Fprintf(w, "%s\n\n%.2f s\n", r.Between(), r.Seconds)
		return
	}
	proof := ""
	if r.Grade != "" {
		proof = ", " + r.Grade
	}
	fmt.Fprintf(w, "fair       %9s  proved%s\n", view.ShareOrDash(r.Fair), proof)
	fmt.Fprintf(w, "unfair     %9s  proved%s\n", view.ShareOrDash(r.Unfair), proof)
	fmt.Fprintf(w, "undecided  %9s", view.ShareOrDash(r.Undecided))
	if !r.Complete && r.Reason != "" {
		fmt.Fprintf(w, "  %s", r.Reason)
	}
	fmt.Fprintf(w, "\n\n%s\n", r.Between())
	if s := r.Sampled; s != nil && s.N > 0 && s.All {
		fmt.Fprintf(w, "all %s individuals, evaluated exactly: %s\n", view.Count(s.N), view.Share(s.Share))
	} else if s != nil && s.N > 0 {
		fmt.Fprintf(w, "sampled: %s (%.0f %% Clopper-Pearson interval %s to %s) of %s individuals drawn uniformly, evaluated exactly\n",
			view.Share(s.Share), 100*s.Confidence, view.Share(s.Lo), view.Share(s.Hi), view.Count(s.N))
	}
	if d := r.Rows; d != nil {
		share := view.Share(d.Share) + ", "
		if d.N == 0 {
			share = ""
		}
		fmt.Fprintf(w, "data set: %s%s of %s rows, evaluated exactly", share, view.Count(d.Unfair), view.Count(d.N))
		if d.Outside > 0 {
			fmt.Fprintf(w, "; %s more rows are not in the space asked about", view.Count(d.Outside))
		}
		fmt.Fprintln(w)
	} else if j.noRows != "" {
		fmt.Fprintf(w, "data set: not looked at, %s\n", j.noRows)
	} else {
		fmt.Fprintln(w, "data set: not looked at, evaluating it exactly takes too long")
	}
	if r.Map != nil {
		r.Map.print(w)
	}
	fmt.Fprintf(w, "\n%s boxes, %.2f s\n", view.Count(r.Boxes), r.Seconds)
}

func (j *quantifyJob) questionInWords() string {
	names := strings.Join(question.Protected(j.query.Space), " × ")
	cut := ""
	if j.flags.question.Where != "" {
		cut = " where " + j.flags.question.Where
	}
	if j.flags.question.K > 0 {
		return fmt.Sprintf("how many individuals%s have counterfactuals in %s that reach %d or more bins of width %s?", cut, names, j.flags.question.K, fairness.FormatRat(j.query.Epsilon))
	}
	if unit := j.query.Notion.Unit(); unit != "" {
		return fmt.Sprintf("how many individuals%s have counterfactuals in %s whose %ss lie more than ε = %s apart?", cut, names, unit, fairness.FormatRat(j.query.Epsilon))
	}
	return fmt.Sprintf("how many individuals%s have counterfactuals in %s that get different decisions (%s)?", cut, names, j.query.Notion)
}

// print shows the shares by value.
func (m *quantifyMap) print(w io.Writer) {
	total := int64(0)
	for _, n := range m.Pieces {
		total += n
	}
	fmt.Fprintf(w, "\nmap: %s boxes in %s", view.Count(total), m.File)
	if m.Covered < 1-1e-9 {
		fmt.Fprintf(w, ", %s of the space; the rest was not handed over and is undecided", view.Share(m.Covered))
	}
	fmt.Fprintf(w, "\n\n%-24s %9s %9s %9s\n", "", "fair", "unfair", "undecided")
	for _, f := range m.Features {
		fmt.Fprintln(w, f.Name)
		for _, v := range f.Values {
			fmt.Fprintf(w, "  %-22s %9s %9s %9s\n", v.Label, view.Share(v.Fair), view.Share(v.Unfair), view.Share(v.Undecided))
		}
	}
}
