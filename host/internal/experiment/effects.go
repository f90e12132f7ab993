package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// GridPoint is an arm's position in a grid; without keys, the arm is in no grid.
type GridPoint struct {
	Grid         string
	Keys, Values []string
}

// Effects are the effects of a full grid's keys on a measure. The functional ANOVA of G. Hooker
// (Generalized functional ANOVA diagnostics for high-dimensional functions of dependent variables,
// Journal of Computational and Graphical Statistics 16, 2007), with equal weights for all
// combinations, decomposes the variance of the arms' means.
type Effects struct {
	// The grid's name: what the names of its arms begin with, before the values.
	Grid string `json:"grid"`
	// The measure's name.
	Measure string `json:"measure"`
	// The number of networks on which every arm of the grid has a run.
	Networks int `json:"networks"`
	// The keys, and then the pairs of keys.
	Factors []Factor `json:"factors"`
}

// Factor is a key of a grid, or the interaction of two.
type Factor struct {
	// The key, or the two keys.
	Keys []string `json:"keys"`
	// The share of the variance of the arms' means that this key alone explains; for two keys, that their
	// interaction explains beyond each alone.
	Share float64 `json:"share"`
	// The key's values, or the combinations of two keys' values.
	Levels []Level `json:"levels"`
}

// Level is a value of a key, or a combination of values.
type Level struct {
	// The value, or one value per key.
	Values []string `json:"values"`
	// The mean over the arms with this value, the networks and the runs.
	Mean float64 `json:"mean"`
	// The 95 % interval of the mean for other seeds on the same networks; null if no arm has two runs.
	CI *statistics.Interval `json:"mean_ci"`
}

// gridArms are the arms of a grid, as indices of Tests.Arms.
type gridArms struct {
	name string
	keys []string
	arms []int
}

// grids returns the full grids: those whose combinations of values are all arms.
func (t *Tests[Row, Run]) grids() (out []gridArms) {
	for i, p := range t.Points {
		at := slices.IndexFunc(out, func(g gridArms) bool { return g.name == p.Grid && slices.Equal(g.keys, p.Keys) })
		if at < 0 && len(p.Keys) > 0 {
			at, out = len(out), append(out, gridArms{name: p.Grid, keys: p.Keys})
		}
		if at >= 0 {
			out[at].arms = append(out[at].arms, i)
		}
	}
	return slices.DeleteFunc(out, func(g gridArms) bool {
		combinations := 1
		for k := range g.keys {
			combinations *= len(t.levels(g, k))
		}
		return len(g.arms) < 2 || len(g.arms) != combinations
	})
}

// levels groups the arms of a grid by their values of some keys, in the order of the arms.
func (t *Tests[Row, Run]) levels(g gridArms, keys ...int) (out [][]int) {
	values, of := Grouped(g.arms, func(arm int) string { return fmt.Sprintf("%q", t.valuesOf(arm, keys)) })
	for _, v := range values {
		out = append(out, of[v])
	}
	return out
}

func (t *Tests[Row, Run]) valuesOf(arm int, keys []int) (values []string) {
	for _, k := range keys {
		values = append(values, t.Points[arm].Values[k])
	}
	return values
}

// effects computes the effects of a grid's keys on a measure; false if on no network all arms of
// the grid have runs.
func (t *Tests[Row, Run]) effects(g gridArms, measure string) (Effects, bool) {
	e := Effects{Grid: g.name, Measure: measure}
	means, weights := make([]float64, len(t.Arms)), make([]float64, len(t.Arms)) // weights are sums of 1/runs
	squares, freedom := 0.0, 0
	for _, on := range t.matches[measure] {
		if slices.ContainsFunc(g.arms, func(a int) bool { return len(on.values[a]) == 0 }) {
			continue
		}
		e.Networks++
		for _, a := range g.arms {
			mean := statistics.Mean(on.values[a])
			means[a], weights[a] = means[a]+mean, weights[a]+1/float64(len(on.values[a]))
			for _, v := range on.values[a] {
				squares += float64((v - mean) * (v - mean)) // the conversion prevents a fused multiply-add, which only some machines have
			}
			freedom += len(on.values[a]) - 1
		}
	}
	if e.Networks == 0 {
		return e, false
	}
	over := func(values []float64, arms []int) (sum float64) {
		for _, a := range arms {
			sum += values[a]
		}
		return sum / float64(len(arms)*e.Networks)
	}
	grand, total := over(means, g.arms), 0.0
	for _, a := range g.arms {
		total += math.Pow(over(means, []int{a})-grand, 2)
	}
	reach := statistics.Student(freedom) * math.Sqrt(squares/float64(freedom))
	factor := func(expected func(level []int) float64, keys ...int) {
		f := Factor{}
		for _, k := range keys {
			f.Keys = append(f.Keys, g.keys[k])
		}
		for _, level := range t.levels(g, keys...) {
			l := Level{Values: t.valuesOf(level[0], keys), Mean: over(means, level)}
			if half := reach * math.Sqrt(over(weights, level)/float64(len(level)*e.Networks)); !math.IsNaN(half) {
				l.CI = &statistics.Interval{l.Mean - half, l.Mean + half}
			}
			f.Levels = append(f.Levels, l)
			if total > 0 {
				f.Share += float64(len(level)) * math.Pow(l.Mean-expected(level), 2) / total
			}
		}
		e.Factors = append(e.Factors, f)
	}
	of := func(key, arm int) float64 { // the mean of the arm's level of a key
		levels := t.levels(g, key)
		return over(means, levels[slices.IndexFunc(levels, func(l []int) bool { return slices.Contains(l, arm) })])
	}
	for k := range g.keys {
		factor(func([]int) float64 { return grand }, k)
	}
	for k := range g.keys {
		for m := k + 1; m < len(g.keys); m++ {
			factor(func(level []int) float64 { return of(k, level[0]) + of(m, level[0]) - grand }, k, m)
		}
	}
	return e, true
}

// strongest is the index of the interaction with the largest share; -1 if there is none.
func (e *Effects) strongest() int {
	best := -1
	for i, f := range e.Factors {
		if len(f.Keys) > 1 && (best < 0 || f.Share > e.Factors[best].Share) {
			best = i
		}
	}
	return best
}

// effectsTable shows the keys' effects, with the combinations of the strongest interaction.
func (s *Standings) effectsTable(title string) *view.Table {
	t := &view.Table{Title: title, Columns: []view.Column{
		{Title: "by"}, {Title: "grid"}, {Title: "key"}, {Title: "value"}, {Title: "mean", Right: true}, {Title: "95 % interval", Right: true}, {Title: "share", Right: true},
	}}
	for i := range s.Effects {
		e := &s.Effects[i]
		if i > 0 && e.Measure != s.Effects[i-1].Measure {
			t.Rows = append(t.Rows, nil)
		}
		for at, f := range e.Factors {
			key, share := strings.Join(f.Keys, " × "), view.Percent(f.Share, 1)
			if len(f.Keys) > 1 && at != e.strongest() {
				t.Add(e.Measure, e.Grid, key, "", "", "", share)
				continue
			}
			for _, l := range f.Levels {
				interval := view.NA
				if l.CI != nil {
					interval = fmt.Sprintf("%.2f – %.2f", l.CI[0], l.CI[1])
				}
				t.Add(e.Measure, e.Grid, key, strings.Join(l.Values, ", "), view.Number(&l.Mean, 2), interval, share)
				share = ""
			}
		}
	}
	t.Notes = []string{
		"mean: over the arms of the grid with this value, the networks and the runs; a time that was not reached counts as twice the run's budget",
		"95 % interval: for other seeds on these networks (Student's t, variance pooled over arms and networks)",
		"share: of the variance of the arms' means that this key alone explains; for two keys, what they explain beyond each alone",
	}
	return t
}

// EffectFigures show, per measure, the means of the keys' values with their intervals, the first
// key on top, and below them the combinations of the strongest interaction.
func (s *Standings) EffectFigures(title func(what string) string) (figures []*view.Figure) {
	for i := range s.Effects {
		e := &s.Effects[i]
		f := &view.Figure{
			Name: "effects-" + strings.TrimPrefix(e.Measure, "#"), Title: title("effects of the keys of " + e.Grid + " on " + e.Measure),
			Caption: "Lines: 95 % intervals for other seeds on the same networks.", X: view.Axis{Label: e.Measure + ", mean over arms, networks and runs"},
		}
		if n := slices.IndexFunc(s.Effects[:i], func(o Effects) bool { return o.Measure == e.Measure }); n >= 0 {
			f.Name = "effects-" + e.Grid + "-" + strings.TrimPrefix(e.Measure, "#")
		}
		for at, factor := range slices.Backward(e.Factors) {
			if len(factor.Keys) > 1 && at != e.strongest() {
				continue
			}
			for _, l := range slices.Backward(factor.Levels) {
				name, y := "", float64(len(f.Y.Names)+1)
				for k, key := range factor.Keys {
					name += fmt.Sprintf(" %s=%s", key, l.Values[k])
				}
				f.Y.Names = append(f.Y.Names, strings.TrimSpace(name))
				line := view.Series{Name: strings.TrimSpace(name), Look: at + 1, Dots: []view.Point{{X: l.Mean, Y: y}}}
				if l.CI != nil {
					line.Steps = []view.Point{{X: l.CI[0], Y: y}, {X: l.CI[1], Y: y}}
				}
				f.Series = append(f.Series, line)
			}
		}
		f.Y.Min, f.Y.Max = 0.5, float64(len(f.Y.Names))+0.7
		figures = append(figures, f)
	}
	return figures
}
