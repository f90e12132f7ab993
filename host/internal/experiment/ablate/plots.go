package ablate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Figures returns an ablation's plots, and the reasons for missing ones, such as a network on which
// nothing was found. With several networks, each ranked measure has a figure.
func (a *Ablation) Figures() (figures []*view.Figure, without []string) {
	for i := range a.networks {
		n := &a.networks[i]
		if !slices.ContainsFunc(slices.Concat(n.arms...), func(r run) bool { return len(r.Steps) > 0 }) {
			without = append(without, fmt.Sprintf("no plots of %s/%s: nothing was found", n.study, n.model))
			continue
		}
		// If the budget is not a time, the largest k is shown over time too. The converse is impossible:
		// the number of evaluations under a time budget is not recorded.
		figures = slices.Concat(figures, a.histograms(n).Panels(), a.largest(n, "maxk", a.in).Panels())
		if n.target > 0 {
			figures = append(figures, a.reached(n).Panels()...)
		}
		if a.in != seconds {
			figures = append(figures, a.largest(n, "maxk-time", seconds).Panels()...)
		}
	}
	return slices.Concat(figures, a.CriticalDifferences(a.Title, a.lines().Names()), a.EffectFigures(a.Title)), without
}

// figure returns an empty figure of a network.
func (a *Ablation) figure(n *network, name string, x, y view.Axis) *view.Figure {
	return &view.Figure{Name: n.study + "-" + n.model + "-" + name, Title: a.Title(n.study + "/" + n.model), X: x, Y: y}
}

// axis returns the axis of a unit, from just before the first find to the budget, or to the
// end of the longest run.
func (a *Ablation) axis(n *network, in unit) view.Axis {
	x := view.Axis{Label: in.String(), Min: math.Inf(1), Log: true}
	least := 0.5
	if in == seconds {
		x.Label, least = a.TimeLabel(), 1e-4
	}
	for _, r := range slices.Concat(n.arms...) {
		if in == seconds {
			x.Max = max(x.Max, a.Took(&r.Cost))
		}
		if len(r.Steps) > 0 {
			x.Min, x.Max = min(x.Min, 0.8**in.at(&r.Steps[0])), max(x.Max, *in.at(&r.Steps[len(r.Steps)-1]))
		}
	}
	if b, err := search.ParseBudget(a.Budget); err == nil {
		x.Max = cmp.Or([...]float64{b.Time.Seconds(), float64(b.Evals), float64(b.Iter)}[in], x.Max)
	}
	x.Min = max(x.Min, least)
	x.Max = max(x.Max, 1.1*x.Min)
	return x
}

// reached shows the share of each arm's runs that reached the target, over time.
func (a *Ablation) reached(n *network) *view.Figure {
	f := a.figure(n, "target", a.axis(n, a.in), view.Axis{Label: fmt.Sprintf("share of runs with k ≥ %d", n.target), Max: 1.02})
	for i, runs := range n.arms {
		if len(runs) > 0 {
			f.Series = append(f.Series, view.Series{Name: a.Arms[i].Name, Look: i + 1, Steps: timeToTarget(runs, n.target, f.X.Min, f.X.Max)})
		}
	}
	return f
}

// largest shows the largest k of each arm's runs, over time or counts.
func (a *Ablation) largest(n *network, name string, in unit) *view.Figure {
	const maxBands = 4 // more would hide each other
	f := a.figure(n, name, a.axis(n, in), view.Axis{Label: "largest k: median and quartiles", Whole: true})
	for i, runs := range n.arms {
		if len(runs) > 0 {
			s := largestOver(runs, in, f.X.Min, f.X.Max)
			s.Name, s.Look = a.Arms[i].Name, i+1
			f.Y.Max = max(f.Y.Max, slices.Max(s.High)+0.5)
			f.Series = append(f.Series, s)
		}
	}
	if in != a.in {
		f.Caption = "The budget was in another unit: a run that ended before others keeps its largest k."
	}
	if len(f.Series) > maxBands {
		f.Y.Label = "largest k: median"
		for i := range f.Series {
			f.Series[i].Low, f.Series[i].High = nil, nil
		}
	}
	return f
}

// histograms shows the number of individuals of each k that each arm found.
func (a *Ablation) histograms(n *network) *view.Figure {
	f := a.figure(n, "histogram", view.Axis{Label: "k", Min: 1, Max: 2, Whole: true}, view.Axis{Label: "individuals found, mean over runs", Log: true, Min: math.Inf(1)})
	for i, runs := range n.arms {
		if len(runs) == 0 {
			continue
		}
		s := view.Series{Name: a.Arms[i].Name, Look: i + 1, Lines: histogram(runs)}
		for _, p := range slices.Concat(s.Lines...) {
			f.X.Max, f.Y.Min, f.Y.Max = max(f.X.Max, p.X+1), min(f.Y.Min, p.Y/2), max(f.Y.Max, 1.5*p.Y)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// timeToTarget returns the share of runs that reached k, over time.
func timeToTarget(runs []run, k int, from, to float64) []view.Point {
	var times []float64
	for i := range runs {
		if t := runs[i].reachedAt(k); t != nil {
			times = append(times, *t)
		}
	}
	slices.Sort(times)
	out := []view.Point{{X: from}}
	for i, t := range times {
		out = append(out, view.Point{X: t, Y: float64(i+1) / float64(len(runs))})
	}
	return append(out, view.Point{X: to, Y: float64(len(times)) / float64(len(runs))})
}

// largestOver returns the median of the runs' largest k at each moment, with the quartiles as its
// band; a run counts as 0 before its first individual.
func largestOver(runs []run, in unit, from, to float64) (s view.Series) {
	moments := []float64{from, to}
	for i := range runs {
		for k := range runs[i].Steps {
			moments = append(moments, *in.at(&runs[i].Steps[k]))
		}
	}
	slices.Sort(moments)
	ks := make([]float64, len(runs))
	for _, t := range slices.Compact(moments) {
		if t < from || t > to {
			continue
		}
		for i := range runs {
			ks[i] = 0
			for n, step := range runs[i].Steps {
				if *in.at(&runs[i].Steps[n]) <= t {
					ks[i] = float64(step.K)
				}
			}
		}
		slices.Sort(ks)
		s.Steps = append(s.Steps, view.Point{X: t, Y: statistics.Quantile(ks, 0.5)})
		s.Low, s.High = append(s.Low, statistics.Quantile(ks, 0.25)), append(s.High, statistics.Quantile(ks, 0.75))
	}
	return s
}

// histogram returns the mean number of individuals of each k per run, one line per range of
// consecutive k.
func histogram(runs []run) (lines [][]view.Point) {
	sums := map[int]float64{}
	for i := range runs {
		for k, n := range runs[i].Counts {
			sums[k] += float64(n)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		if sums[k-1] == 0 {
			lines = append(lines, nil)
		}
		last := &lines[len(lines)-1]
		*last = append(*last, view.Point{X: float64(k), Y: sums[k] / float64(len(runs))})
	}
	return lines
}
