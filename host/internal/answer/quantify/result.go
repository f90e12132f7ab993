package quantify

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/asked"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Results is the answer to a Request.
type Results = asked.Answers[*Result]

// Result is the answer to one question and the JSON object of hyfair quantify;
// docs/reference/schema describes its fields.
type Result struct {
	asked.Asked
	// The attributes that vary.
	Protected []string `json:"protected"`
	// The value of --where.
	Where string `json:"where,omitempty"`
	question.Nearby
	// With --thresholds: the score that a positive decision exceeds.
	Threshold string `json:"threshold,omitempty"`
	// The value of --k.
	AskedK int `json:"asked_k,omitempty"`

	Shares
	// The parts, with --partition.
	Parts *Counts `json:"parts,omitempty"`
	// The map written by --map.
	Map *Written `json:"map,omitempty"`
	// The solver that answered; its name is convolution if none was asked.
	Solver asked.Solver `json:"solver"`
	// The journal's file; absent if nothing is kept.
	Journal string `json:"journal,omitempty"`
	// The run's name in the journal; absent if nothing is kept.
	Run string `json:"run,omitempty"`
	// How well the population fits rows held back; absent with the uniform population.
	PopulationFit *population.Fit `json:"population_fit,omitempty"`
	// The reason why rows is absent.
	NoRows string `json:"no_rows,omitempty"`
	// The faults, which are claims that evaluated individuals, or other claims, refute. They end the
	// command with exit code 4.
	Disagreements []string `json:"disagreements,omitempty"`
}

// Written is the map as results show it.
type Written struct {
	// The file written.
	File string `json:"file,omitempty"`
	// The number of boxes by claim: fair, unfair, undecided or outside.
	Pieces map[string]int64 `json:"pieces"`
	// The share of the region's box that the boxes cover; below 1 if the solver was killed before it
	// handed over all of them.
	Covered float64 `json:"covered"`
	// The shares by value, in the study's order.
	Features []WrittenFeature `json:"features"`
	// The two features whose values best separate fair from unfair among the evaluated individuals; absent
	// if there are not two.
	Plane *WrittenPlane `json:"plane,omitempty"`
}

// WrittenFeature has the shares by one feature's values.
type WrittenFeature struct {
	// The feature.
	Name string `json:"name"`
	// Its values, or ranges of them if it has more than 64.
	Values []WrittenValue `json:"values"`
}

// WrittenValue has the shares for some values of a feature.
type WrittenValue struct {
	// The least value of the range.
	Lo float64 `json:"lo"`
	// The largest value of the range; equal to lo for one value.
	Hi float64 `json:"hi"`
	// The range as text.
	Label string `json:"label"`
	// The share proved fair of the individuals with these values, a lower bound.
	Fair float64 `json:"fair"`
	// The share proved unfair, a lower bound.
	Unfair float64 `json:"unfair"`
	// The rest.
	Undecided float64 `json:"undecided"`
}

// result converts the report.
func (a *asker) result(rep *Report, shares Shares) *Result {
	out := &Result{
		Asked:     asked.Of(a.study, a.query, a.Seed, time.Since(a.start).Seconds()),
		Protected: question.Protected(a.query.Space), Where: a.Where, Nearby: a.NearbyOf(a.query), AskedK: a.K, Threshold: a.threshold(),
		Shares: shares, Solver: a.prover(rep), Disagreements: rep.Faults,
	}
	if s := out.Sampled; s != nil {
		for _, x := range rep.Examples {
			s.Examples = append(s.Examples, individual.Values(a.query.Space, x, false))
		}
	}
	if out.Rows == nil && !out.Nobody() {
		out.NoRows = cmp.Or(a.noRows, "evaluating it exactly takes too long")
	}
	m := rep.Map
	if m == nil {
		return out
	}
	out.Map = &Written{File: a.Map, Pieces: map[string]int64{}, Covered: min(1, m.Covered), Features: []WrittenFeature{}}
	for _, c := range sdk.PieceClaims {
		out.Map.Pieces[c.String()] = m.Pieces[c]
	}
	for _, f := range m.Features {
		of := &a.query.Space.Features[f.Index]
		feature := WrittenFeature{Name: of.Name}
		for _, s := range f.Slices {
			feature.Values = append(feature.Values, WrittenValue{s.Lo, s.Hi, s.label(of), s.Fair, s.Unfair, s.Undecided})
		}
		out.Map.Features = append(out.Map.Features, feature)
	}
	if m.Plane != nil {
		out.Map.Plane = m.Plane.written(a.query.Space)
	}
	return out
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	d := view.Of(view.Paragraph{
		fmt.Sprintf("%s, model %s: %s", r.Study, r.Model, r.question()),
		r.prover(),
	})
	d.Add(r.Caveats()...)
	if r.Nobody() {
		d.Say("%s", r.Between())
		d.Say("%.2f s", r.Seconds)
		d.Add(r.Blocks()...)
		return d
	}
	d.Add(r.Summary()...)
	d.Disagree(r.Disagreements)
	if m := r.Map; m != nil {
		total := int64(0)
		for _, n := range m.Pieces {
			total += n
		}
		text := fmt.Sprintf("map: %s boxes", view.Count(total))
		if m.File != "" {
			text += " in " + m.File
		}
		if m.Covered < 1-1e-9 {
			text += fmt.Sprintf(", %s of the space; the rest was not handed over and is undecided", view.Share(m.Covered))
		}
		said := view.Paragraph{text}
		if r.Population != "" {
			said = append(said, "The map counts every combination of values once, likely or not; the shares above are those of the population.")
		}
		d.Add(said, m.table())
	}
	if r.Parts != nil {
		d.Say("%s", r.Parts)
	}
	if r.ProvedBy == Convolution || r.Observed != nil {
		d.Say("%.2f s", r.Seconds)
	} else {
		d.Say("%s boxes, %.2f s", view.Count(r.Boxes), r.Seconds)
	}
	d.Add(r.Blocks()...)
	return d
}

// prover names the method or the solver that proved the shares.
func (r *Result) prover() string {
	switch {
	case r.ProvedBy == Convolution:
		return "a linear model: proved by convolution, without a solver"
	case r.Observed != nil:
		return "observed: shares are of samples and rows, and no bound is proved"
	}
	return fmt.Sprintf("solver %s", r.Solver)
}

// Summary shows the shares and explains them in sentences.
func (r *Result) Summary() []view.Block {
	if r.Nobody() {
		return []view.Block{view.Paragraph{r.Between()}}
	}
	if r.Observed != nil {
		return []view.Block{r.evaluated()}
	}
	proof := "proved"
	if !r.Complete {
		proof = "proved so far"
	}
	if r.Grade != "" {
		proof += ", " + r.Grade
	}
	t := &view.Table{Plain: true, Columns: []view.Column{{}, {Right: true, Width: 9}, {}}}
	t.Add("fair", view.ShareOrDash(r.Fair), proof)
	t.Add("unfair", view.ShareOrDash(r.Unfair), proof)
	t.Add("undecided", view.ShareOrDash(r.Undecided), r.Reason)
	return []view.Block{t, r.evaluated()}
}

// evaluated states what was proved, and then what was evaluated.
func (r *Result) evaluated() view.Paragraph {
	out, how := view.Paragraph{r.Between()}, "evaluated exactly"
	if r.Observed != nil {
		out, how = nil, "observed"
	}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if s := r.Sampled; s != nil && s.N > 0 && s.All {
		say("all %s individuals, %s: %s", view.Count(s.N), how, view.Share(s.Share))
	} else if s != nil && s.N > 0 {
		say("sampled: %s (%.0f %% Clopper-Pearson interval %s to %s) of %s individuals drawn %s, %s",
			view.Share(s.Share), 100*s.Confidence, view.Share(s.Lo), view.Share(s.Hi), view.Count(s.N), r.drawn(), how)
	}
	switch d := r.Rows; {
	case d != nil:
		share, outside := "", ""
		if d.N > 0 {
			share = view.Share(d.Share) + ", "
		}
		if d.Outside > 0 {
			outside = fmt.Sprintf("; %s more rows are not in the space asked about", view.Count(d.Outside))
		}
		say("data set: %s%s of %s rows, %s%s", share, view.Count(d.Unfair), view.Count(d.N), how, outside)
	default:
		say("data set: not looked at, %s", r.NoRows)
	}
	if r.PopulationFit != nil {
		say("%s", r.PopulationFit.Text())
		return out
	}
	if d := r.Rows; r.Population == "" && d != nil && d.N > 0 && (d.Share < r.Interval.Lo-apart || d.Share > r.Interval.Hi+apart) {
		say("These are two shares: the space counts every combination of values once, likely or not; the data set counts the people in it.")
	}
	return out
}

// drawn says how the sample was drawn.
func (r *Result) drawn() string {
	if r.Population != "" {
		return "from these people"
	}
	return "uniformly"
}

// apart is the least difference between the shares of the rows and of the space that
// earns a remark.
const apart = 0.005

// question states the question in words.
func (r *Result) question() string {
	names, cut := strings.Join(r.Protected, " × "), ""
	notion, _ := fairness.ParseNotion(r.Notion)
	if r.Where != "" {
		cut = " where " + r.Where
	}
	cut += r.WhichAre()
	if bands := r.Decision.Banded(); len(bands) > 0 {
		return fmt.Sprintf("how many individuals%s have counterfactuals in %s that are in %d or more of the bands %s?", cut, names, max(2, r.AskedK), strings.Join(bands, ", "))
	}
	if r.AskedK > 0 {
		return fmt.Sprintf("how many individuals%s have counterfactuals in %s that reach %d or more bins of width %s?", cut, names, r.AskedK, r.Epsilon)
	}
	if unit := notion.Unit(); unit != "" {
		return fmt.Sprintf("how many individuals%s have counterfactuals in %s whose %ss lie more than ε = %s apart?", cut, names, unit, r.Epsilon)
	}
	return fmt.Sprintf("how many individuals%s have counterfactuals in %s that get different decisions (%s)?", cut, names, notion)
}

// Asks returns the question's threshold or else its protected attributes, for asked.Answers.
func (r *Result) Asks() []string {
	if r.Threshold != "" {
		return []string{"threshold " + r.Threshold}
	}
	return r.Protected
}

// Overview shows several answers, one per line, for asked.Answers.
func (*Result) Overview(all []*Result) view.Block {
	t := &view.Table{Columns: []view.Column{{Title: "protected"}}}
	for _, name := range []string{"fair", "unfair", "undecided", "sampled", "data set"} {
		t.Columns = append(t.Columns, view.Column{Title: name, Right: true})
	}
	for _, q := range all {
		sampled, rows := "-", "-"
		if q.Sampled != nil && q.Sampled.N > 0 {
			sampled = view.Share(q.Sampled.Share)
		}
		if q.Rows != nil && q.Rows.N > 0 {
			rows = view.Share(q.Rows.Share)
		}
		name := strings.Join(q.Protected, " × ")
		if q.Threshold != "" {
			name, t.Columns[0] = q.Threshold, view.Column{Title: "threshold", Right: true}
		}
		t.Add(name, view.ShareOrDash(q.Fair), view.ShareOrDash(q.Unfair), view.ShareOrDash(q.Undecided), sampled, rows)
	}
	if text := fewest(all); text != "" {
		t.Notes = append(t.Notes, text)
	}
	return t
}

// Head shows what answers by threshold are about, for asked.Answers; nil without thresholds.
func (*Result) Head(all []*Result) []view.Block {
	if len(all) == 0 || all[0].Threshold == "" {
		return nil
	}
	one := *all[0]
	one.Decision = nil
	of := "each combination of values counts once"
	if one.Population != "" {
		of = "of people (" + one.Population + ")"
	}
	text := view.Paragraph{fmt.Sprintf("%s, model %s: %s, by the threshold", one.Study, one.Model, strings.TrimSuffix(one.question(), "?")), of}
	if one.PopulationFit != nil {
		text = append(text, one.PopulationFit.Text())
	}
	return append([]view.Block{text}, one.Caveats()...)
}

// fewest names the threshold at which the fewest decisions flip, apart from those at which none does; empty without
// thresholds.
func fewest(all []*Result) string {
	if len(all) == 0 || all[0].Threshold == "" {
		return ""
	}
	var least *Result
	var none []string
	for _, q := range all {
		switch {
		case q.Interval == nil:
		case q.Interval.Hi == 0:
			none = append(none, q.Threshold)
		case least == nil || q.Interval.Hi < least.Interval.Hi:
			least = q
		}
	}
	if least == nil {
		return "No decision flips at these thresholds."
	}
	open := slices.ContainsFunc(all, func(q *Result) bool {
		return q != least && q.Interval != nil && q.Interval.Hi > 0 && q.Interval.Lo < least.Interval.Hi
	})
	text := fmt.Sprintf("the fewest flip at %s: %s.", least.Threshold, least.Interval.share())
	if open {
		text = "as far as is proved, " + text
	}
	if len(none) > 0 {
		return fmt.Sprintf("No decision flips at %s. Of the other thresholds, %s", strings.Join(none, ", "), text)
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Curve draws the shares by threshold, for asked.Answers; nil without thresholds.
func (*Result) Curve(all []*Result) *view.Figure {
	if fewest(all) == "" {
		return nil
	}
	f := &view.Figure{
		Name: "thresholds", Title: "People who would get the other decision, by the threshold",
		X: view.Axis{Label: "threshold", Max: 1}, Y: view.Axis{Label: "per cent", Max: 0.1},
		Caption: "Proved bounds of the share of all possible people, and the share of the people in the data.",
		Series:  []view.Series{{Name: "at most, proved", Look: 1}, {Name: "at least, proved", Look: 2}, {Name: "in the data", Look: 3}},
	}
	lines := make([][]view.Point, len(f.Series))
	for _, q := range all {
		t, err := fairness.ParseThreshold(q.Threshold)
		if err != nil || q.Interval == nil {
			continue
		}
		x, _ := t.Float64()
		shares := []float64{q.Interval.Hi, q.Interval.Lo}
		if q.Rows != nil && q.Rows.N > 0 {
			shares = append(shares, q.Rows.Share)
		}
		for i, share := range shares {
			lines[i] = append(lines[i], view.Point{X: x, Y: percent(share)})
			f.Y.Max = max(f.Y.Max, 105*share)
		}
	}
	for i := range lines {
		f.Series[i].Lines = [][]view.Point{lines[i]}
	}
	return f
}

// table shows the shares by value.
func (m *Written) table() *view.Table {
	t := &view.Table{Plain: true, Dense: true, Columns: []view.Column{{Width: 24}}}
	for _, title := range []string{"fair", "unfair", "undecided"} {
		t.Columns = append(t.Columns, view.Column{Title: title, Right: true, Width: 9})
	}
	for _, f := range m.Features {
		t.Add(f.Name, "", "", "")
		for _, v := range f.Values {
			t.Add("  "+v.Label, view.Share(v.Fair), view.Share(v.Unfair), view.Share(v.Undecided))
		}
	}
	return t
}

// shareIn formats a share.
func shareIn(r *big.Rat) string {
	f, _ := r.Float64()
	return view.Share(f)
}

// Between states the bounds of the unfair share. Fair and Unfair must not be nil.
func (p Progress) Between() string {
	return fmt.Sprintf("between %s and %s", shareIn(p.Unfair), shareIn(new(big.Rat).Sub(big.NewRat(1, 1), p.Fair)))
}

// String returns one line about a running question.
func (p Progress) String() string {
	if p.Fair == nil || p.Unfair == nil {
		return "nothing proved yet · " + session.Clock(p.Elapsed, p.Limit)
	}
	text := fmt.Sprintf("%s settled · %s · discriminated: %s · %s boxes%s",
		shareIn(new(big.Rat).Add(p.Fair, p.Unfair)), session.Clock(p.Elapsed, p.Limit), p.Between(), view.Count(p.Boxes), session.Rate(p.Boxes, p.Elapsed))
	if p.Pieces > 0 {
		text += fmt.Sprintf(", %d in the map", p.Pieces)
	}
	return text
}
