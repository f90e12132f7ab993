package ablate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/statistics"
)

// measure is a column of the tables.
type measure struct {
	name     string
	decimals int
	cell     func(*Cell) *statistics.Cell
	// of returns the measure of a run; nil for N/A.
	of func(*run) *float64
	// worth orders runs from worse to better, entry after entry; nil stands for
	// the value itself, 0 where there is none.
	worth func(*run) []float64
	// beyond the paper's table.
	beyond bool
	// neutral: neither more nor less is better, and it is not tested.
	neutral bool
}

// run is a result together with the target that its network's runs are held
// against, 0 for none, and what it is judged in.
type run struct {
	*Result
	target int
	in     unit
}

// unit is what runs are judged in: what their budget counts.
type unit int

const (
	seconds unit = iota
	evaluations
	iterations
)

func (u unit) String() string { return [...]string{"s", "evaluations", "iterations"}[u] }

// at is when a step was; nil for none.
func (u unit) at(s *Step) *float64 {
	if s == nil {
		return nil
	}
	return new([...]float64{s.Seconds, float64(s.Evals), float64(s.Iter)}[u])
}

// unitOf is that of a budget, or seconds where some result of an earlier version has not
// what it takes.
func unitOf(budget string, results []*Result) unit {
	b, _ := search.ParseBudget(budget)
	u := seconds
	switch {
	case b.Evals > 0:
		u = evaluations
	case b.Iter > 0:
		u = iterations
	}
	for _, r := range results {
		if len(r.Steps) > 0 && *u.at(&r.Steps[0]) == 0 {
			return seconds
		}
	}
	return u
}

// judgedIn is what the runs of a table are judged in, as its cells tell.
func (a *Ablation) judgedIn() unit {
	if len(a.Cells) > 0 && a.Cells[0].N1st == nil {
		return seconds
	}
	return unitOf(a.Budget, nil)
}

// reachedAt is when the run's largest k was at least k, in its unit.
func (r *run) reachedAt(k int) *float64 { return r.in.at(r.reached(k)) }

// firstAt, bestAt and targetAt are when the run found the first individual, its own
// largest k, and the target.
func (r *run) firstAt() *float64 { return r.reachedAt(1) }
func (r *run) bestAt() *float64  { return r.reachedAt(max(1, r.maxK())) }
func (r *run) targetAt() *float64 {
	if r.target == 0 {
		return nil
	}
	return r.reachedAt(r.target)
}

// sooner is the worth of a time; one that never came is worse than any.
func sooner(seconds *float64) float64 {
	if seconds == nil {
		return math.Inf(-1)
	}
	return -*seconds
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// Names of measures that are looked for.
const (
	measureMaxK    = "Max.K"
	measureID      = "#ID"
	measureTMaxK   = "T.maxK"
	measureTTarget = "T.target"
	measureNTarget = "N.target"
)

// measureNamed is the measure of that name, which must be one.
func measureNamed(measures []measure, name string) *measure {
	return &measures[slices.IndexFunc(measures, func(m measure) bool { return m.name == name })]
}

// measures are those of an ablation in a unit: where that is not seconds, counts of it
// take the place of times, which are shown beside and not tested.
func (u unit) measures() (out []measure) {
	for _, m := range measures {
		name, isTime := strings.CutPrefix(m.name, "T.")
		if u != seconds && isTime {
			n := counted[name]
			n.name = "N." + name
			out = append(out, n)
			m.beyond, m.neutral = true, true
		}
		out = append(out, m)
	}
	return out
}

// cellAt is the cell that a pointer is for.
func cellAt(p **statistics.Cell) *statistics.Cell {
	if *p == nil {
		*p = new(statistics.Cell)
	}
	return *p
}

// counted are the measures in place of times, by what they are about.
var counted = map[string]measure{
	"1st": {cell: func(c *Cell) *statistics.Cell { return cellAt(&c.N1st) }, of: (*run).firstAt,
		worth: func(r *run) []float64 { return []float64{sooner(r.firstAt())} }},
	"maxK": {cell: func(c *Cell) *statistics.Cell { return cellAt(&c.NMaxK) }, of: (*run).bestAt,
		worth: func(r *run) []float64 { return []float64{orZero(r.Measures.MaxK), sooner(r.bestAt())} }},
	"target": {cell: func(c *Cell) *statistics.Cell { return cellAt(&c.NTarget) }, of: (*run).targetAt,
		worth: func(r *run) []float64 { return []float64{sooner(r.targetAt())} }},
}

// measures are the paper's columns, the time to the target, and what DICE
// reports. A time or a
// count at a run's own largest k is compared among equal k only: a run that
// reaches a larger one is better, however late.
var measures = []measure{
	{name: "Iter", neutral: true, cell: func(c *Cell) *statistics.Cell { return &c.Iter }, of: func(r *run) *float64 { return r.Measures.Iter }},
	{name: measureMaxK, decimals: 1, cell: func(c *Cell) *statistics.Cell { return &c.MaxK }, of: func(r *run) *float64 { return r.Measures.MaxK }},
	{name: "Avg.K", decimals: 2, cell: func(c *Cell) *statistics.Cell { return &c.AvgK }, of: func(r *run) *float64 { return r.Measures.AvgK }},
	{name: "T.1st", decimals: 2, cell: func(c *Cell) *statistics.Cell { return &c.T1st }, of: func(r *run) *float64 { return r.Measures.T1st },
		worth: func(r *run) []float64 { return []float64{sooner(r.Measures.T1st)} }},
	{name: "#K.1st", decimals: 1, cell: func(c *Cell) *statistics.Cell { return &c.K1st }, of: func(r *run) *float64 { return r.Measures.K1st }},
	{name: measureID, decimals: 1, cell: func(c *Cell) *statistics.Cell { return &c.ID }, of: func(r *run) *float64 { return r.Measures.ID }},
	{name: "Succ.rate", decimals: 2, neutral: true, cell: func(c *Cell) *statistics.Cell { return &c.SuccRate }, of: func(r *run) *float64 { return r.Measures.SuccRate }},
	{name: "#ID.maxK", decimals: 1, cell: func(c *Cell) *statistics.Cell { return &c.IDMaxK }, of: func(r *run) *float64 { return r.Measures.IDMaxK },
		worth: func(r *run) []float64 { return []float64{orZero(r.Measures.MaxK), orZero(r.Measures.IDMaxK)} }},
	{name: measureTMaxK, decimals: 2, cell: func(c *Cell) *statistics.Cell { return &c.TMaxK }, of: func(r *run) *float64 { return r.Measures.TMaxK },
		worth: func(r *run) []float64 { return []float64{orZero(r.Measures.MaxK), sooner(r.Measures.TMaxK)} }},
	{name: measureTTarget, decimals: 2, cell: func(c *Cell) *statistics.Cell { return &c.TTarget }, of: (*run).timeToTarget,
		worth: func(r *run) []float64 { return []float64{sooner(r.timeToTarget())} }},
	{name: "Shannon", decimals: 3, cell: func(c *Cell) *statistics.Cell { return &c.Shannon }, of: func(r *run) *float64 { return r.Shannon }, beyond: true},
	{name: "MinEntropy", decimals: 3, cell: func(c *Cell) *statistics.Cell { return &c.MinEntropy }, of: func(r *run) *float64 { return r.MinEntropy }, beyond: true},
	{name: "Spread", decimals: 3, cell: func(c *Cell) *statistics.Cell { return &c.Spread }, of: func(r *run) *float64 { return r.Spread }, beyond: true},
}

// timeToTarget is when the run reached the target; nil where it never did.
func (r *run) timeToTarget() *float64 {
	if r.target == 0 {
		return nil
	}
	return seconds.at(r.reached(r.target))
}

// worths are the runs of each arm as numbers that order them as the measure
// does, larger being better: their places among all of them, equal ones sharing
// theirs. Tests that look at order alone take them for the values.
func (m *measure) worths(arms [][]run) [][]float64 {
	of := m.worth
	if of == nil {
		of = func(r *run) []float64 { return []float64{orZero(m.of(r))} }
	}
	keys := make([][][]float64, len(arms))
	var all [][]float64
	for a := range arms {
		for i := range arms[a] {
			keys[a] = append(keys[a], of(&arms[a][i]))
		}
		all = append(all, keys[a]...)
	}
	slices.SortFunc(all, slices.Compare[[]float64])
	out := make([][]float64, len(arms))
	for a := range arms {
		for _, key := range keys[a] {
			// The middle of the places that it shares.
			first, _ := slices.BinarySearchFunc(all, key, slices.Compare[[]float64])
			after, _ := slices.BinarySearchFunc(all, key, func(have, want []float64) int {
				return cmp.Or(slices.Compare(have, want), -1)
			})
			out[a] = append(out[a], float64(first+after+1)/2)
		}
	}
	return out
}

// target is the largest k that at least half of the runs reached; 0 where fewer
// found anything.
func target(arms [][]run) int {
	var ks []int
	for _, runs := range arms {
		for i := range runs {
			ks = append(ks, runs[i].maxK())
		}
	}
	if len(ks) == 0 {
		return 0
	}
	slices.Sort(ks)
	// The largest value that half of them, rounded up, are at or above.
	return ks[len(ks)-(len(ks)+1)/2]
}

// counts reports that the budget is not in time.
func (a *Ablation) counts() bool {
	b, err := search.ParseBudget(a.Budget)
	return err == nil && b.Time == 0
}
