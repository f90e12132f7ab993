package main

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
)

// member is one way to run lp_solve: one of the portfolio's settings.
type member struct {
	lpsolve.Settings
	// trusted reports whether these settings' claims count: that the problem is
	// infeasible, that a point is optimal, and the relaxation's bound.
	trusted bool
}

const (
	// geometric is the scaling whose proofs are trusted. With lp_solve's default mode,
	// which also rounds the factors to powers of two and scales the integer columns,
	// optima of one network were off by up to 0.14, so its "infeasible" is not a proof
	// either. Points are checked, so any settings may find them.
	geometric = 4
	// usual is lp_solve's default scaling.
	usual = 196
	// pseudoCosts is the node selection that finds points in some cases in which taking
	// the first column does not, and vice versa.
	pseudoCosts = 4
	// floorFirst and ceilingFirst choose the branch taken first. The usual scaling with
	// the other branch found a point of the Bank network BM-5 in 17 s; six similar
	// combinations found none in 25 s.
	floorFirst, ceilingFirst = 0, 1
	// dualThenPrimal is lp_solve's default order of simplex methods; primalOnly avoids
	// cycles that it may run into.
	dualThenPrimal, primalOnly = 6, 5
)

const (
	// slice is the number of callbacks in a member's first turn, about as many as simplex
	// iterations.
	slice = 10_000
	// bestSlice replaces slice if the question asks for an optimum. share divides it for the
	// members after the first. They are for the rare programs in which the first never stops
	// descending, because lp_solve keeps branching on variables that are integer up to
	// rounding. One of 39 columns and 56 rows, which the second member solves in 172 nodes,
	// is at depth 400,000 after 4 s. (A depth limit would end it, too, but drop branches
	// silently.) A long solve loses a part of its time to restarts.
	bestSlice, share = 100_000, 4
	// growth is the factor by which the turns of each round are longer than those of the
	// previous one. A turn restarts from scratch, so the loss stays a fixed share.
	growth = 4
	// stall is the number of callbacks allowed within one branch; stallEach is added per row
	// and column. lp_solve sometimes cycles without end.
	stall, stallEach = 50_000, 50
)

// members returns the ways to run lp_solve for this question, best first. If any point
// will do, all take turns to look for one. For an optimisation the second takes over if
// the first has numerical trouble or does not end.
func (q *question) members() []member {
	own := q.settings.native(q.Options)
	own.BreakFirst = !q.WantsBest()
	second, third := own, own
	second.Simplex = primalOnly
	if q.anyWillDo() {
		second.Rule = pseudoCosts
	}
	third.Scaling = usual
	if third.Floor = ceilingFirst; own.Floor == ceilingFirst {
		third.Floor = floorFirst
	}
	trusted := own.Scaling == geometric && len(q.model.Sets) == 0
	list := []member{{own, trusted}, {second, trusted}, {third, false}}
	switch {
	case q.settings[portfolio].Word == "off":
		return list[:1]
	case q.anyWillDo():
		return list
	}
	return list[:2]
}

// outcome is the result of the runs.
type outcome struct {
	code    int
	end     end
	trusted bool
	reason  sdk.Reason // why the runs were stopped, if they were
	point   []float64  // lp_solve's point, nil if it has no feasible one
	// best is the objective at lp_solve's own point, NaN if there is none.
	best  float64
	known []float64 // the best incumbent during the runs, nil if there was none
	// relaxation is the relaxation's objective, NaN if there is no trusted one.
	relaxation float64
	nodes      int64
}

// end says how a run ended.
type end int

const (
	finished end = iota // by itself; only then is code valid
	stopped             // by the monitor
	sliced              // at the end of its turn
	stalled             // because it made no progress
	alone               // infeasible, which another scaling does not confirm
)

// search lets the members take turns until one has the answer, a limit is reached, or no
// member is left. Turns are measured in work, so the result is reproducible.
func (q *question) search(l *listener) (outcome, error) {
	last := outcome{end: stopped, best: math.NaN(), relaxation: math.NaN()}
	relaxation, nodes := math.NaN(), int64(0)
	left := q.members()
	for round := 0; len(left) > 0; round++ {
		var next []member
		for k, m := range left {
			if l.over() {
				last.end = stopped
				return last, nil
			}
			budget := q.turn(round, k)
			if len(left) == 1 {
				budget = 0 // no other member waits for its turn
			}
			o, err := q.run(l, m, budget)
			if err != nil {
				return last, err
			}
			nodes += o.nodes
			if m.trusted && !math.IsNaN(o.relaxation) {
				relaxation = o.relaxation
			}
			o.nodes, o.relaxation = nodes, relaxation
			last = o
			if q.settles(l, o) {
				return o, nil
			}
			if o.end == sliced {
				next = append(next, m)
			}
		}
		left = next
	}
	return last, nil
}

// turn returns the number of callbacks of the k-th remaining member in a round.
func (q *question) turn(round, k int) int64 {
	calls := int64(slice)
	if !q.anyWillDo() {
		calls = bestSlice
		if k > 0 {
			calls /= share
		}
	}
	for range round {
		calls *= growth
	}
	return calls
}

// settles reports whether an outcome ends the search: with an answer, or because the
// monitor stopped it.
func (q *question) settles(l *listener, o outcome) bool {
	switch {
	case o.end != finished:
		return o.end == stopped || o.end == alone && l.Incumbent() == nil
	case o.point != nil && !q.WantsBest():
		return true
	case o.code == statusOptimal:
		return o.trusted && o.point != nil
	case o.code == statusInfeasible:
		return o.trusted && l.Incumbent() == nil
	}
	return o.code == statusUnbounded
}

// run runs one member's turn. It ends after budget callbacks; 0 means no limit.
func (q *question) run(l *listener, m member, budget int64) (outcome, error) {
	o := outcome{trusted: m.trusted, best: math.NaN(), relaxation: math.NaN()}
	patience := q.patience()
	var branch, since int64 // the current branch, and the call at which it began
	native, err := q.lib.Run(q.model, m.Settings, func(e lpsolve.Event) bool {
		if e.Nodes != branch {
			branch, since = e.Nodes, e.Calls
		}
		switch {
		case l.event(e, m.trusted):
			o.end = stopped
		case o.end != finished:
		case budget > 0 && e.Calls > budget:
			o.end = sliced
		case e.Calls-since > patience:
			o.end = stalled
		}
		return o.end != finished
	})
	if err != nil {
		return o, err
	}
	l.spent += native.Nodes
	o.code, o.nodes = native.Status, native.Nodes
	switch {
	case native.Relaxed:
		o.relaxation = native.Relaxation * sign(q.MILP.Objective.Maximise)
	case native.Status == statusInfeasible && m.trusted:
		if o.end, err = q.confirmed(l, m); err != nil {
			return o, err
		}
	}
	if native.Values == nil {
		return o, nil
	}
	return q.check(l, m, o, restore(q.MILP, q.order, native.Values))
}

// patience returns the number of callbacks in one branch after which lp_solve is assumed
// to cycle.
func (q *question) patience() int64 {
	return int64(stall + stallEach*(len(q.model.Rows)+len(q.model.Cost)))
}

// confirmed returns the end of a run that found the relaxation infeasible: finished if
// lp_solve finds the same with another scaling. With one scaling alone it called problems
// infeasible that have a point, on some networks of 600 neurons and more.
func (q *question) confirmed(l *listener, m member) (end, error) {
	other, broken := m.Settings, false // set if the second run does not confirm
	other.Scaling = usual
	native, err := q.lib.Run(q.model, other, func(e lpsolve.Event) bool {
		broken = broken || e.Relaxed || e.Nodes > 0 || e.Calls > q.patience() || l.over()
		return broken
	})
	switch {
	case l.over():
		return stopped, err
	case broken || native.Relaxed || native.Status != statusInfeasible:
		return alone, err
	}
	return finished, err
}

// check checks the point that a run ended with, and makes it the outcome's point if it is
// feasible.
func (q *question) check(l *listener, m member, o outcome, x []float64) (outcome, error) {
	if slices.ContainsFunc(x, func(v float64) bool { return math.Abs(v) >= lpsolve.Infinity }) {
		if o.code == statusOptimal {
			o.code = statusUnbounded // lp_solve does not report this for a model without rows
		}
		return o, nil
	}
	o.best = q.Objective(x)
	if !q.Feasible(x) {
		if o.end != finished {
			return o, nil // most likely not an integer point
		}
		mended, err := q.mend(l, m, x)
		if mended == nil || err != nil {
			return o, err
		}
		x = mended
	}
	o.point = x
	l.found(x)
	return o, nil
}

// mend looks for a feasible point with the integers of x, by a linear program. It returns
// nil if it finds none.
func (q *question) mend(l *listener, m member, x []float64) ([]float64, error) {
	fixed := *q.model
	fixed.Lo, fixed.Hi = slices.Clone(fixed.Lo), slices.Clone(fixed.Hi)
	for position, i := range q.order {
		if i >= len(q.MILP.Columns) || !q.MILP.Columns[i].Integer {
			continue
		}
		v := math.Round(x[i])
		if !(v >= fixed.Lo[position] && v <= fixed.Hi[position]) {
			return nil, nil
		}
		fixed.Lo[position], fixed.Hi[position] = v, v
	}
	native, err := q.lib.Run(&fixed, m.Settings, func(e lpsolve.Event) bool { return e.Calls > stall || l.over() })
	if err != nil || native.Values == nil {
		return nil, err
	}
	mended := restore(q.MILP, q.order, native.Values)
	if !q.Feasible(mended) {
		return nil, nil
	}
	return mended, nil
}
