package explain

import (
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Page returns the document with its figure.
func (r *Result) Page() *view.Document { return r.withFigure(r.Document()) }

// Plain is Page with a table for readers who do not know the paper.
func (r *Result) Plain() *view.Document { return r.withFigure(r.document((*Result).plainTable)) }

func (r *Result) withFigure(d *view.Document) *view.Document {
	if f := r.Affected(); f != nil {
		d.Add(f)
	}
	return d
}

// plainTable is the paper's table without the columns that mean little on their own. If k
// is at most 2 everywhere, a mean k is shown as a share of individuals.
func (r *Result) plainTable() *view.Table {
	outcome := func(mean float64) string { return fmt.Sprintf("%.1f", mean) }
	two := r.Sample != nil && r.Sample.KMost == 2
	if two {
		outcome = func(mean float64) string { return view.Share(mean - 1) }
	}
	t := &view.Table{
		Columns: []view.Column{{Title: "condition", Right: true}, {Title: "outcomes where it holds", Right: true}, {Title: "outcomes elsewhere", Right: true},
			{Title: "of all possible people", Right: true}, {Title: "of the people in the data", Right: true}},
		Notes: []string{fmt.Sprintf("outcomes: how many different outcomes (k) a person's copies get, on average over %s people nearby for whom the condition holds, and as many for whom it does not. The last two columns: the share for whom it holds.",
			view.Count(r.Predicates[0].Inside.N))},
	}
	if two {
		t.Columns[1].Title, t.Columns[2].Title = "two outcomes where it holds", "two outcomes elsewhere"
		t.Notes[0] = fmt.Sprintf("two outcomes: the share of people whose copies get two different outcomes, among %s people nearby for whom the condition holds, and as many for whom it does not. The last two columns: the share for whom it holds.",
			view.Count(r.Predicates[0].Inside.N))
	}
	for i := range r.Predicates {
		p := &r.Predicates[i]
		rows := "–"
		if p.Support != nil {
			rows = view.SmallShare(p.Support.Share)
		}
		t.Add(fmt.Sprint(i+1), outcome(p.Inside.Mean), outcome(p.Outside.Mean), view.SmallShare(p.Coverage.Share), rows)
		t.Notes = slices.Concat(t.Notes, p.plausibly(i+1, r), p.broad(i+1))
	}
	return t
}

// broadFrom is the least share of people at which a condition says little.
const broadFrom = 0.9

// broad returns a note if predicate i holds for so large a share of people that it says little; else nil.
func (p *Predicate) broad(i int) []string {
	share, of := p.Coverage.Share, "all possible people"
	if s := p.Support; s != nil && s.Share > share {
		share, of = s.Share, "the people in the data"
	}
	if share < broadFrom {
		return nil
	}
	return []string{fmt.Sprintf("Condition %d holds for %s of %s: it says little about who is affected.", i, view.Share(share), of)}
}

// plausibly returns a note with the share of the population's people in the region for whom predicate i holds; nil without
// people.
func (p *Predicate) plausibly(i int, r *Result) []string {
	s, where := p.Plausible, ""
	if s == nil {
		return nil
	}
	if r.Where != "" {
		where = " where " + r.Where
	}
	return []string{fmt.Sprintf("Condition %d holds for %s (95 %% interval %s to %s) of people%s (%s), %s drawn.", i, view.Share(s.Share), view.Share(s.Lo), view.Share(s.Hi), where, r.Population, view.Count(s.N))}
}

// Affected draws the part of the space, and of the data, that the predicates describe; nil
// without a predicate.
func (r *Result) Affected() *view.Figure {
	if len(r.Predicates) == 0 {
		return nil
	}
	f := &view.Figure{
		Name: "affected", Title: "Who is treated worst: the share for whom the conditions hold",
		X: view.Axis{Label: "per cent", Max: 100}, Y: view.Axis{Min: 0.5, Max: float64(len(r.Predicates)) + 0.5},
		Caption: "The conditions are numbered as above. All possible people count every combination of values once, likely or not.",
	}
	space, rows := view.Series{Name: "of all possible people", Look: 2}, view.Series{Name: "of the people in the data", Look: 1}
	for i, p := range slices.Backward(r.Predicates) {
		at := float64(len(r.Predicates) - i)
		f.Y.Names = append(f.Y.Names, fmt.Sprintf("condition %d", i+1))
		space.Dots = append(space.Dots, view.Point{X: 100 * p.Coverage.Share, Y: at})
		if p.Support != nil {
			rows.Dots = append(rows.Dots, view.Point{X: 100 * p.Support.Share, Y: at})
		}
	}
	if f.Series = append(f.Series, space); len(rows.Dots) > 0 {
		f.Series = append(f.Series, rows)
	}
	return f
}
