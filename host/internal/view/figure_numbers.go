package view

import (
	"cmp"
	"strconv"
)

// numbers returns a table of all that a figure shows.
func (f *Figure) numbers() *Table {
	head := func(a *Axis, otherwise string) Column {
		if len(a.Names) > 0 { // names need no heading
			return Column{Title: a.Label}
		}
		return Column{Title: cmp.Or(a.Label, otherwise), Right: true}
	}
	t := &Table{Title: f.Title, Columns: []Column{{Title: "series"}, head(&f.X, "x"), head(&f.Y, "y")}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	at := func(a *Axis, v float64) string {
		if i := int(v); float64(i) == v && i >= 1 && i <= len(a.Names) && a.Names[i-1] != "" {
			return a.Names[i-1]
		}
		return number(v)
	}
	between := func(a *Axis, from, to float64) string {
		if middle := (from + to) / 2; len(a.Names) > 0 {
			return at(a, middle)
		}
		return number(from) + " to " + number(to)
	}
	for i := range f.Series {
		s := &f.Series[i]
		if s.Name == "" && len(s.Boxes) == 0 { // guide lines
			continue
		}
		for k, p := range s.Steps {
			value := number(p.Y)
			if k < len(s.Low) {
				value += " (" + number(s.Low[k]) + " to " + number(s.High[k]) + ")"
			}
			t.Add(s.Name, at(&f.X, p.X), value)
		}
		for _, line := range append(s.Lines, s.Dots, s.Bars) {
			for _, p := range line {
				t.Add(s.Name, at(&f.X, p.X), at(&f.Y, p.Y))
			}
		}
		for _, b := range s.Boxes {
			if b.From.Y == 0 && len(f.Y.Names) == 0 { // a bar of a histogram
				x := between(&f.X, b.From.X, b.To.X)
				if f.X.Whole {
					x = number((b.From.X + b.To.X) / 2)
				}
				t.Add(s.Name, x, number(b.To.Y))
			} else {
				t.Add(s.Name, between(&f.X, b.From.X, b.To.X), between(&f.Y, b.From.Y, b.To.Y))
			}
		}
	}
	if len(f.Series) == 1 && f.Series[0].Name == "" {
		return t.pick([]int{1, 2})
	}
	return t
}
