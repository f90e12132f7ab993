package explain

import (
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Page shows the result with its figure.
func (r *Result) Page() *view.Document {
	d := r.Document()
	if f := r.Affected(); f != nil {
		d.Add(f)
	}
	return d
}

// Affected draws which part of the space, and of the people in the data, the predicates
// describe; nil without one.
func (r *Result) Affected() *view.Figure {
	if len(r.Predicates) == 0 {
		return nil
	}
	f := &view.Figure{
		Name: "affected", Title: "Who is treated worst: how many the conditions hold for",
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
