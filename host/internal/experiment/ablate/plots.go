package ablate

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Plot draws each network's figures into a folder, which it makes, and notes
// the files. A network on which nothing was found has none. Over several networks
// there is a figure for each measure that arms are ranked by.
func (a *Ablation) Plot(dir, format string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	draw := func(name string, figure view.Figure) error {
		path := filepath.Join(dir, fileName(name)+"."+format)
		a.Plots = append(a.Plots, path)
		return files.Write(path, func(file *os.File) error { return figure.Write(file, format) })
	}
	for i := range a.networks {
		n := &a.networks[i]
		for what, figure := range a.figures(n) {
			if err := draw(n.study+"-"+n.model+"-"+what, figure); err != nil {
				return err
			}
		}
	}
	for measure, figure := range a.criticalDifferences() {
		if err := draw("critical-difference-"+strings.TrimPrefix(measure, "#"), figure); err != nil {
			return err
		}
	}
	slices.Sort(a.Plots)
	return nil
}

// fileName keeps what is harmless in the name of a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
}

// figures are a network's by what they show; none where nothing was found.
func (a *Ablation) figures(n *network) map[string]view.Figure {
	from, to, found := a.times(n)
	if !found {
		return nil
	}
	title := a.Title(n.study + "/" + n.model)
	x := view.Axis{Label: "time (s)", Min: from, Max: to, Log: true}
	if a.in != seconds {
		x.Label = a.in.String()
	}
	reached := view.Figure{
		Title: title, X: x, Y: view.Axis{Label: fmt.Sprintf("share of runs with k ≥ %d", n.target), Max: 1.02},
	}
	largest := view.Figure{Title: title, X: x, Y: view.Axis{Label: "largest k: median and quartiles", Whole: true}}
	counts := view.Figure{
		Title: title, X: view.Axis{Label: "k", Whole: true},
		Y: view.Axis{Label: "individuals found, mean over runs", Log: true, Min: math.Inf(1)},
	}
	for i, runs := range n.arms {
		name := a.Arms[i].Name
		if len(runs) == 0 {
			continue
		}
		if n.target > 0 {
			reached.Series = append(reached.Series, view.Series{Name: name, Steps: timeToTarget(runs, n.target, from, to)})
		}
		s := largestOverTime(runs, from, to)
		s.Name = name
		largest.Series = append(largest.Series, s)
		largest.Y.Max = max(largest.Y.Max, slices.Max(s.High)+0.5)
		bars := histogram(runs)
		for _, b := range bars {
			counts.X.Min, counts.X.Max = 1, max(counts.X.Max, b.X+1)
			counts.Y.Min, counts.Y.Max = min(counts.Y.Min, b.Y/2), max(counts.Y.Max, 1.5*b.Y)
		}
		counts.Series = append(counts.Series, view.Series{Name: name, Bars: bars})
	}
	out := map[string]view.Figure{"maxk": largest, "histogram": counts}
	if n.target > 0 {
		out["target"] = reached
	}
	return out
}

// times are where time axes begin and end, in what runs are judged in: just before the
// first find, and at the budget or the end of the longest run.
func (a *Ablation) times(n *network) (from, to float64, found bool) {
	from = math.Inf(1)
	for _, runs := range n.arms {
		for i := range runs {
			if r := runs[i].Result; len(r.Steps) > 0 {
				from = min(from, 0.8**a.in.at(&r.Steps[0]))
				to = max(to, r.Seconds, *a.in.at(&r.Steps[len(r.Steps)-1]))
				found = true
			}
		}
	}
	if b, err := search.ParseBudget(a.Budget); err == nil && b.Time > 0 {
		to = b.Time.Seconds()
	} else if err == nil && a.in != seconds {
		to = float64(max(b.Evals, b.Iter))
	}
	from = max(from, 1e-4)
	return from, max(to, 1.1*from), found
}

// timeToTarget is the share of runs that reached k by each moment.
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

// largestOverTime is the median of the runs' largest k at each moment, with the
// quartiles as its band; 0 before a run's first find.
func largestOverTime(runs []run, from, to float64) (s view.Series) {
	moments := []float64{from, to}
	for i := range runs {
		for k := range runs[i].Steps {
			moments = append(moments, *runs[i].in.at(&runs[i].Steps[k]))
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
				if *runs[i].in.at(&runs[i].Steps[n]) <= t {
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

// histogram is how many individuals of each k a run found on average.
func histogram(runs []run) []view.Point {
	sums := map[int]float64{}
	for i := range runs {
		for k, n := range runs[i].Counts {
			sums[k] += float64(n)
		}
	}
	var out []view.Point
	for k, n := range sums {
		out = append(out, view.Point{X: float64(k), Y: n / float64(len(runs))})
	}
	slices.SortFunc(out, func(a, b view.Point) int { return cmp.Compare(a.X, b.X) })
	return out
}
