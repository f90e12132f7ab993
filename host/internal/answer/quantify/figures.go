package quantify

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Page shows the result with its figures.
func (r *Result) Page() *view.Document {
	d := r.Document()
	if f := r.Bar(); f != nil {
		d.Add(f)
	}
	if f := r.HeatMap(); f != nil {
		d.Add(f)
	}
	return d
}

// percent converts a share to per cent, rounded to two decimals.
func percent(share float64) float64 { return math.Round(1e4*share) / 100 }

// Bar draws the proved shares of the space, and those of the data's rows and of the sample. It is nil
// for an empty space.
func (r *Result) Bar() *view.Figure {
	if r.Fair == nil || r.Unfair == nil || r.Undecided == nil {
		return nil
	}
	f := &view.Figure{
		Name: "shares", Title: "Proved fair, proved unfair, open",
		X: view.Axis{Label: "per cent", Max: 100}, Y: view.Axis{Min: 0.5},
		Caption: "All possible people: every combination of values counts once.",
	}
	people := "all possible people"
	if r.Population != "" {
		people, f.Caption = "plausible people", fmt.Sprintf("Plausible people: %s.", r.Population)
	}
	bars := []view.Series{{Name: "unfairly", Look: 1, Bars: []view.Point{}}, {Name: "open", Look: 2, Bars: []view.Point{}}, {Name: "fairly", Look: 3, Bars: []view.Point{}}}
	add := func(name string, shares ...float64) {
		f.Y.Names = append(f.Y.Names, name)
		for i, share := range shares {
			if share > 0 {
				bars[i].Bars = append(bars[i].Bars, view.Point{X: percent(share), Y: float64(len(f.Y.Names))})
			}
		}
	}
	if d := r.Rows; d != nil && d.N > 0 {
		add(fmt.Sprintf("%s in the data", view.Count(d.N)), d.Share, 0, 1-d.Share)
		f.Caption += " People in the data: each evaluated exactly."
	}
	if s := r.Sampled; s != nil && s.N > 0 && !s.All {
		add(fmt.Sprintf("sample of %s", view.Count(s.N)), s.Lo, s.Hi-s.Lo, 1-s.Hi)
		f.Caption += fmt.Sprintf(" Sample: open is its %.0f %% interval.", 100*s.Confidence)
	}
	add(people, *r.Unfair, *r.Undecided, *r.Fair)
	f.Y.Max = float64(len(f.Y.Names)) + 0.5
	f.Series = bars
	return f
}

// HeatMap draws the plane of the map; nil if there is none.
func (r *Result) HeatMap() *view.Figure {
	if r.Map == nil || r.Map.Plane == nil {
		return nil
	}
	p := r.Map.Plane
	f := &view.Figure{
		Name: "map", Title: "Proved unfair, by " + p.X + " and " + p.Y,
		X:       view.Axis{Label: p.X, Min: 0.5, Max: float64(len(p.XValues)) + 0.5, Names: p.XValues},
		Y:       view.Axis{Label: p.Y, Min: 0.5, Max: float64(len(p.YValues)) + 0.5, Names: p.YValues},
		Caption: "The share of all possible people, each combination of values once, with these two values, whatever their other values, that is proved to violate the notion. The two features are those that best separate fair from unfair among evaluated individuals.",
	}
	for i, name := range []string{"none proved", "up to 25 %", "25 % to 50 %", "50 % to 75 %", "above 75 %"} {
		f.Series = append(f.Series, view.Series{Name: name, Shade: float64(i) / 4, Boxes: []view.Box{}})
	}
	open := view.Series{Name: "most is open", Look: view.Ideal, Boxes: []view.Box{}}
	for y, row := range p.Unfair {
		for x, unfair := range row {
			box := view.Box{From: view.Point{X: float64(x) + 0.52, Y: float64(y) + 0.52}, To: view.Point{X: float64(x) + 1.48, Y: float64(y) + 1.48}}
			if p.Undecided[y][x] > 0.5 {
				open.Boxes = append(open.Boxes, box)
				continue
			}
			class := 0
			if unfair > 0 {
				class = min(4, 1+int(4*unfair))
			}
			f.Series[class].Boxes = append(f.Series[class].Boxes, box)
		}
	}
	f.Series = append(f.Series, open)
	return f
}
