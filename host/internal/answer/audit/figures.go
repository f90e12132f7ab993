package audit

import (
	"slices"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Page shows the result with its figures.
func (r *Result) Page() *view.Document {
	d := r.Document()
	if r.Summary.People == 0 || r.Number || r.scoreless() {
		return d
	}
	unfair, _ := r.unfairly()
	if len(r.Summary.Intersections) > 0 {
		d.Add(r.byIntersection(unfair))
	}
	if len(r.Curve) > 0 {
		d.Add(r.CurveFigure())
	}
	for _, f := range []*view.Figure{r.Decisions(), r.KFigure(), r.GapFigure()} {
		d.Add(f)
	}
	return d
}

// Groups shows each attribute by itself, and all of them together.
func (r *Result) Groups() (out []view.Block) {
	unfair, _ := r.unfairly()
	out = r.attributes(unfair)
	if len(r.Summary.Intersections) > 0 && !r.Number && !r.scoreless() {
		at := 1
		if r.banded() {
			at += 1 + len(r.Classes.Attributes)
		}
		out = slices.Insert(out, at, view.Block(r.byIntersection(unfair)))
	}
	return out
}

// RateTables shows the rates by group, how much of the impact ratios depends on the attribute itself, and proxies.
// Lists of many small groups are cut.
func (r *Result) RateTables() []view.Block {
	if r.Rates == nil {
		return nil
	}
	const most = 600 // characters of a note
	blocks := r.rates()
	for _, b := range blocks {
		t, ok := b.(*view.Table)
		if !ok {
			continue
		}
		for i, note := range t.Notes {
			if text := []rune(note); len(text) > most {
				t.Notes[i] = string(text[:most]) + "…; --json lists all groups"
			}
		}
	}
	return blocks
}

// WorstTable lists the people of Rows.
func (r *Result) WorstTable() *view.Table { return r.worst() }

// attributes shows each attribute, and then the people by their values of it.
func (r *Result) attributes(unfair string) (out []view.Block) {
	sum := &r.Summary
	if r.Classes != nil {
		if out = r.classes(); r.scoreless() {
			return out
		}
	}
	if r.Number {
		out = append(out, sum.numbersByAttribute(unfair))
	} else {
		out = append(out, r.byAttribute(unfair))
	}
	for i := range sum.Attributes {
		if r.Number {
			out = append(out, sum.Attributes[i].numbersByGroup(unfair))
		} else {
			out = append(out, r.byGroup(&sum.Attributes[i], unfair))
		}
	}
	return out
}

// Decisions draws how many decisions depend on each attribute.
func (r *Result) Decisions() *view.Figure {
	f := &view.Figure{
		Name: "decisions", Title: "People who would get the other decision with another value",
		X:       view.Axis{Label: "people", Whole: true},
		Caption: "For each attribute by itself, and for all together.",
	}
	good, bad := r.ways()
	gain, lose := view.Series{Name: "to " + good, Look: 2, Bars: []view.Point{}}, view.Series{Name: "to " + bad, Look: 1, Bars: []view.Point{}}
	add := func(name string, of Turns) {
		f.Y.Names = append(f.Y.Names, name)
		at := float64(len(f.Y.Names))
		gain.Bars, lose.Bars = append(gain.Bars, view.Point{X: float64(of.Gain), Y: at}), append(lose.Bars, view.Point{X: float64(of.Lose), Y: at})
		f.X.Max = max(f.X.Max, 1.02*float64(of.Gain+of.Lose), 1)
	}
	add("all together", r.Summary.Turns)
	for i := range slices.Backward(r.Summary.Attributes) {
		a := &r.Summary.Attributes[i]
		add(a.Name, a.Turns)
	}
	f.Y.Min, f.Y.Max = 0.5, float64(len(f.Y.Names))+0.5
	if f.Series = []view.Series{gain, lose}; r.banded() {
		r.anyBand(f)
	}
	return f
}

// anyBand replaces each pair of bars in Decisions with one for the people who would get any other band: some could get both
// a better and a worse one.
func (r *Result) anyBand(f *view.Figure) {
	f.Title, f.X.Max = "People who would get another band with another value", max(1.02*float64(r.Summary.Flips), 1)
	any := view.Series{Name: "another band", Look: 1, Bars: []view.Point{{X: float64(r.Summary.Flips), Y: 1}}}
	for i := range slices.Backward(r.Summary.Attributes) {
		any.Bars = append(any.Bars, view.Point{X: float64(r.Summary.Attributes[i].Flips), Y: float64(len(any.Bars) + 1)})
	}
	f.Series = []view.Series{any}
}

// KFigure draws how many people get how many different outcomes.
func (r *Result) KFigure() *view.Figure {
	count := map[int]int{}
	for _, c := range r.Summary.K {
		count[c.K] = c.People
	}
	f := view.Histogram("k-people", "Different outcomes of a person's copies, in the data", view.Axis{Label: "k", Whole: true}, view.Axis{Label: "people", Whole: true}, view.WholeBins(count))
	if f.Caption = "k is the number of bins of width " + r.Epsilon + " that the scores of a person's copies fall into."; r.Epsilon == "" {
		f.Caption = "k is the number of bands that a person's copies are in."
	}
	return f
}

// GapFigure draws how far apart the scores of people's copies lie.
func (r *Result) GapFigure() *view.Figure {
	f := view.Histogram("gap-people", "Gap between the scores of a person's copies, in the data", view.Axis{Label: "gap"}, view.Axis{Label: "people", Whole: true}, r.Summary.Gaps)
	f.Caption = "The highest score of a person's copies less the lowest."
	return f
}
