package individual

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Scored is a copy of an individual: its protected values as labels, and its score.
type Scored struct {
	Labels map[string]string
	Score  float64
}

const (
	// mostValues bounds the rows of a picture of copies, and mostBins its bins. With more than
	// mostDots copies, those with nearly the same score share a dot.
	mostValues, mostBins, mostDots = 24, 100, 500
)

// Picture draws all copies of one individual on the axis of scores, against the bins of width
// epsilon. Its rows are the values of the protected attribute, of those named, that separates
// the scores most. The caption names the rule of decisions; nil: it does not mention decisions.
func Picture(copies []Scored, protected []string, epsilon string, rule *fairness.Rule) *view.Figure {
	f := &view.Figure{
		Name: "copies", Title: fmt.Sprintf("Scores of all %s copies of one person", view.Count(len(copies))),
		X: view.Axis{Label: "score", Max: 1}, Y: view.Axis{Min: 0.5, Max: 1.5, Names: []string{"all"}},
	}
	f.Series = append(f.Series, view.Series{Name: "a copy", Look: 1})
	by, best := "", -1.0
	for _, name := range protected {
		if spread := between(copies, name); len(values(copies, name)) <= mostValues && spread > best {
			by, best = name, spread
		}
	}
	if by != "" {
		f.Y.Names = values(copies, by)
		slices.Reverse(f.Y.Names) // from the top
		f.Y.Max, f.Y.Label = float64(len(f.Y.Names))+0.5, by
	}
	drawn := map[view.Point]bool{}
	for i := range copies {
		row := 1 + max(0, slices.Index(f.Y.Names, copies[i].Labels[by]))
		place := view.Point{X: math.Round(500 * copies[i].Score), Y: float64(row)}
		if len(copies) > mostDots && drawn[place] {
			continue
		}
		drawn[place] = true
		f.Series[0].Dots = append(f.Series[0].Dots, view.Point{X: copies[i].Score, Y: float64(row)})
	}
	f.Caption = "Copies differ in protected attributes only."
	if rule != nil {
		f.Caption += " The decision is positive where the score is " + rule.String() + "."
	}
	if rule != nil && rule.Low {
		f.Caption += " The negative one is favourable."
	}
	if len(copies) > mostDots {
		f.Caption += " Copies with nearly the same score share a dot."
	}
	width, ok := new(big.Rat).SetString(epsilon)
	if !ok || width.Sign() <= 0 {
		return f
	}
	bin, _ := width.Float64()
	if n := math.Ceil(1 / bin); n > mostBins {
		f.Caption += fmt.Sprintf(" The bins, of width %s, are too narrow to be drawn.", epsilon)
		return f
	}
	var borders []float64
	for at := bin; at < 1; at += bin {
		borders = append(borders, at)
	}
	separate(f, borders)
	f.Caption += fmt.Sprintf(" Dashed lines separate the bins of width ε = %s: copies in different bins count as different outcomes.", epsilon)
	return f
}

// Banded adds the borders of a decision's bands to a Picture.
func Banded(f *view.Figure, borders []float64) *view.Figure {
	separate(f, borders)
	f.Caption += " Dashed lines separate the bands of the decision."
	return f
}

func separate(f *view.Figure, borders []float64) {
	between := view.Series{}
	for _, at := range borders {
		between.Lines = append(between.Lines, []view.Point{{X: at, Y: f.Y.Min}, {X: at, Y: f.Y.Max}})
	}
	f.Series = append([]view.Series{between}, f.Series...)
}

// values returns an attribute's values among the copies, in order of occurrence.
func values(copies []Scored, name string) (out []string) {
	seen := map[string]bool{}
	for i := range copies {
		if v := copies[i].Labels[name]; !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// between is the sum of squares of the scores between an attribute's values.
func between(copies []Scored, name string) (sum float64) {
	total, n, all := map[string]float64{}, map[string]float64{}, 0.0
	for i := range copies {
		v := copies[i].Labels[name]
		total[v] += copies[i].Score
		n[v]++
		all += copies[i].Score
	}
	all /= float64(max(1, len(copies)))
	for v := range total {
		mean := total[v] / n[v]
		sum += n[v] * (mean - all) * (mean - all)
	}
	return sum
}
