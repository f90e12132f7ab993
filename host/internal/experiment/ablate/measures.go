package ablate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/statistics"
)

type measure = experiment.Measure[Cell, run]

// run is a result with its network's target k, 0 for none, the unit of its measures, and its
// terms.
type run struct {
	*Result
	target int
	in     unit
	terms  *experiment.Terms
}

// spent returns the run's cost until its end. In evaluations it is the budget, since the number
// of evaluations is not recorded.
func (r *run) spent(in unit) float64 {
	switch in {
	case evaluations:
		b, _ := search.ParseBudget(r.terms.Budget)
		spent := float64(b.Evals)
		if n := len(r.Steps); n > 0 {
			spent = max(spent, float64(r.Steps[n-1].Evals))
		}
		return spent
	case iterations:
		return experiment.OrZero(r.Measures.Iter)
	}
	return r.terms.Took(&r.Cost)
}

// ert is the expected running time to the target (N. Hansen et al., COCO: a platform for
// comparing continuous optimizers in a black-box setting, Optimization Methods and Software 36,
// 2021): what all runs spent until they reached it or ended, over the number of runs that
// reached it; nil if none did.
func ert(runs []run, in unit) *float64 {
	sum, reached := 0.0, 0
	for i := range runs {
		r := &runs[i]
		if at := r.targetIn(in); at != nil {
			sum += *at
			reached++
		} else {
			sum += r.spent(in)
		}
	}
	if reached == 0 {
		return nil
	}
	return new(sum / float64(reached))
}

// reason says why the run did not reach the target; empty if it did, or if there is no target.
func (r *run) reason() string {
	switch {
	case r.Error != "" && r.MemoryKilled > 0:
		return experiment.ByMemory
	case r.Error != "":
		return cmp.Or(r.Reason, experiment.Reason(r.Error)) // earlier versions recorded no reason
	case r.target == 0 || r.timeToTarget() != nil:
		return ""
	case r.terms.Limit() > 0:
		return experiment.ByTime
	}
	return experiment.ByBudget
}

// unit is the unit of the runs' measures: what their budget counts.
type unit int

const (
	seconds unit = iota
	evaluations
	iterations
)

func (u unit) String() string { return [...]string{"s", "evaluations", "iterations"}[u] }

// short is the unit's suffix in budgets.
func (u unit) short() string { return [...]string{"s", "ev", "it"}[u] }

// at returns the moment of a step in the unit; nil for no step.
func (u unit) at(s *Step) *float64 {
	if s == nil {
		return nil
	}
	return new([...]float64{s.Seconds, float64(s.Evals), float64(s.Iter)}[u])
}

// unitOf returns the unit of a budget, or seconds if a result of an earlier version lacks
// counts in that unit.
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

// judgedIn derives the unit of a table's measures from its cells.
func (a *Ablation) judgedIn() unit {
	if len(a.Cells) > 0 && a.Cells[0].N1st == nil {
		return seconds
	}
	return unitOf(a.Budget, nil)
}

// reachedAt returns the moment, in the run's unit, of the first individual with this k or a larger
// one; nil if there is none.
func (r *run) reachedAt(k int) *float64 { return r.in.at(r.reached(k)) }

// firstAt, bestAt and targetAt are the moments at which the run found the first individual, its
// largest k, and the target.
func (r *run) firstAt() *float64  { return r.reachedAt(1) }
func (r *run) bestAt() *float64   { return r.reachedAt(max(1, r.maxK())) }
func (r *run) targetAt() *float64 { return r.targetIn(r.in) }

// sooner is the worth of a time: less is better, and nil, a time that was not reached, is worst.
func sooner(seconds *float64) float64 {
	if seconds == nil {
		return math.Inf(-1)
	}
	return -*seconds
}

// Names of measures that the code refers to.
const (
	measureMaxK    = "Max.K"
	measureID      = "#ID"
	measureTMaxK   = "T.maxK"
	measureTTarget = "T.target"
	measureNTarget = "N.target"
)

// measures returns an ablation's measures in a unit. If that is not seconds, counts replace the
// times, which are still shown but not tested.
func (u unit) measures() (out []measure) {
	for _, m := range measures {
		name, isTime := strings.CutPrefix(m.Name, "T.")
		switch m.Title = m.Name; {
		case m.Name == "Succ.rate":
			m.Title += " (%)"
		case isTime:
			m.Title += " (s)"
		}
		if u != seconds && isTime {
			n := counted[name]
			n.Name = "N." + name
			n.Title = n.Name + " (" + u.short() + ")"
			out = append(out, n)
			m.Beyond, m.Neutral = true, true
		}
		out = append(out, m)
	}
	return out
}

// cellAt returns the cell at p, which it allocates if nil.
func cellAt(p **statistics.Cell) *statistics.Cell {
	if *p == nil {
		*p = new(statistics.Cell)
	}
	return *p
}

// counted are the measures that replace times, by the event that they count up to.
var counted = map[string]measure{
	"1st": {Cell: func(c *Cell) *statistics.Cell { return cellAt(&c.N1st) }, Of: (*run).firstAt,
		Worth: func(r *run) []float64 { return []float64{sooner(r.firstAt())} }},
	"maxK": {Cell: func(c *Cell) *statistics.Cell { return cellAt(&c.NMaxK) }, Of: (*run).bestAt,
		Worth: func(r *run) []float64 { return []float64{experiment.OrZero(r.Measures.MaxK), sooner(r.bestAt())} }},
	"target": {Cell: func(c *Cell) *statistics.Cell { return cellAt(&c.NTarget) }, Of: (*run).targetAt,
		Amount: func(r *run) float64 { return experiment.Penalised(r.targetAt(), r.spent(r.in)) },
		Worth:  func(r *run) []float64 { return []float64{sooner(r.targetAt())} }},
}

// measures are the paper's columns, the time to the target, and the measures of DICE. A time or
// a count at a run's largest k is compared among runs of equal k only: a run with a larger k is
// better, however late.
var measures = []measure{
	{Name: "Iter", Neutral: true, Cell: func(c *Cell) *statistics.Cell { return &c.Iter }, Of: func(r *run) *float64 { return r.Measures.Iter }},
	{Name: measureMaxK, Decimals: 1, Cell: func(c *Cell) *statistics.Cell { return &c.MaxK }, Of: func(r *run) *float64 { return r.Measures.MaxK }},
	{Name: "Avg.K", Decimals: 2, Cell: func(c *Cell) *statistics.Cell { return &c.AvgK }, Of: func(r *run) *float64 { return r.Measures.AvgK }},
	{Name: "T.1st", Decimals: 2, Cell: func(c *Cell) *statistics.Cell { return &c.T1st }, Of: func(r *run) *float64 { return r.Measures.T1st },
		Worth: func(r *run) []float64 { return []float64{sooner(r.Measures.T1st)} }},
	{Name: "#K.1st", Decimals: 1, Cell: func(c *Cell) *statistics.Cell { return &c.K1st }, Of: func(r *run) *float64 { return r.Measures.K1st }},
	{Name: measureID, Decimals: 1, Cell: func(c *Cell) *statistics.Cell { return &c.ID }, Of: func(r *run) *float64 { return r.Measures.ID }},
	{Name: "Succ.rate", Decimals: 2, Neutral: true, Cell: func(c *Cell) *statistics.Cell { return &c.SuccRate }, Of: func(r *run) *float64 { return r.Measures.SuccRate }},
	{Name: "#ID.maxK", Decimals: 1, Cell: func(c *Cell) *statistics.Cell { return &c.IDMaxK }, Of: func(r *run) *float64 { return r.Measures.IDMaxK },
		Worth: func(r *run) []float64 {
			return []float64{experiment.OrZero(r.Measures.MaxK), experiment.OrZero(r.Measures.IDMaxK)}
		}},
	{Name: measureTMaxK, Decimals: 2, Cell: func(c *Cell) *statistics.Cell { return &c.TMaxK }, Of: func(r *run) *float64 { return r.Measures.TMaxK },
		Worth: func(r *run) []float64 { return []float64{experiment.OrZero(r.Measures.MaxK), sooner(r.Measures.TMaxK)} }},
	{Name: measureTTarget, Decimals: 2, Cell: func(c *Cell) *statistics.Cell { return &c.TTarget }, Of: (*run).timeToTarget,
		Amount: func(r *run) float64 { return experiment.Penalised(r.timeToTarget(), r.spent(seconds)) },
		Worth:  func(r *run) []float64 { return []float64{sooner(r.timeToTarget())} }},
	{Name: "Shannon", Decimals: 3, Cell: func(c *Cell) *statistics.Cell { return &c.Shannon }, Of: func(r *run) *float64 { return r.Shannon }, Beyond: true},
	{Name: "MinEntropy", Decimals: 3, Cell: func(c *Cell) *statistics.Cell { return &c.MinEntropy }, Of: func(r *run) *float64 { return r.MinEntropy }, Beyond: true},
	{Name: "Spread", Decimals: 3, Cell: func(c *Cell) *statistics.Cell { return &c.Spread }, Of: func(r *run) *float64 { return r.Spread }, Beyond: true},
}

// timeToTarget returns the seconds until the run reached the target; nil if it did not.
func (r *run) timeToTarget() *float64 { return r.targetIn(seconds) }

// targetIn is the moment in a unit at which the run reached the target; nil if it did not.
func (r *run) targetIn(in unit) *float64 {
	if r.target == 0 {
		return nil
	}
	return in.at(r.reached(r.target))
}

// target is the largest k that at least half of the runs reached; 0 if fewer found an individual.
func target(arms [][]run) int {
	ks := experiment.Each(slices.Concat(arms...), func(r *run) int { return r.maxK() })
	if len(ks) == 0 {
		return 0
	}
	slices.Sort(ks)
	// Half of the runs, rounded up, are at or above this value.
	return ks[len(ks)-(len(ks)+1)/2]
}
