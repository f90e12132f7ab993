package main

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
)

// member is one way to run lp_solve.
type member struct {
	lpsolve.Settings
	// trusted: that there is no point, no better one, or no objective beyond
	// the relaxation's, is believed.
	trusted bool
}

const (
	// geometric is the scaling whose proofs are believed. With lp_solve's
	// default mode, which also rounds the factors to powers of two and scales
	// the integer columns, optima of one network were off by up to 0.14, so its
	// "infeasible" is not a proof either; points are checked and believed from any.
	geometric = 4
	// usual is lp_solve's default scaling.
	usual = 196
	// pseudoCosts is the node selection that finds points where taking the
	// first column does not, and the other way round.
	pseudoCosts = 4
	// floorFirst and ceilingFirst are the branches to begin with. The usual
	// scaling and the other branch found a point of the Bank network BM-5 in
	// 17 s, and six combinations like it none in 25 s.
	floorFirst, ceilingFirst = 0, 1
	// dualThenPrimal is lp_solve's default order of simplex methods, and
	// primalOnly goes another way round where that one cycles.
	dualThenPrimal, primalOnly = 6, 5
)

const (
	// slice is how often lp_solve may call back in a member's first turn, about
	// as many simplex iterations.
	slice = 10_000
	// bestSlice is slice if the best point is wanted. share divides it for the members
	// after the first, which are for the rare program in which the first never stops
	// descending: lp_solve keeps branching on variables that are integer up to rounding. One
	// of 39 columns and 56 rows, which the second solves in 172 nodes, is at depth 400,000
	// after 4 s. (A limit of the depth would end it, too, but drop branches silently.) A long
	// solve loses a part of its time to starting afresh.
	bestSlice, share = 100_000, 4
	// growth is by how much the turns of each round are longer than those of
	// the one before: a turn starts afresh, so that what is lost is a share.
	growth = 4
	// stall is the number of callbacks allowed within one branch, and stallEach is added for
	// each row and column: lp_solve sometimes cycles, without end.
	stall, stallEach = 50_000, 50
)

// members are the ways to run lp_solve for this question, best first. A point
// that will do is looked for by all in turn; of an optimisation the second
// takes over where the first has numerical trouble or does not end.
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

// outcome is what the runs left behind.
type outcome struct {
	code    int
	end     end
	trusted bool
	reason  sdk.Reason // why the runs were stopped, if they were
	point   []float64  // the point lp_solve holds, nil for none that keeps the rows
	// best is the objective that lp_solve itself saw at its point, NaN for none.
	best  float64
	known []float64 // the best incumbent seen while running, nil for none
	// relaxation is the relaxation's objective, NaN where none is believed.
	relaxation float64
	nodes      int64
}

// end is how a run came to its end.
type end int

const (
	finished end = iota // by itself: the code counts
	stopped             // the watch's doing
	sliced              // at the end of its turn
	stalled             // because it made no progress
	alone               // with the word that there is no point, which another scaling does not bear out
)

// search has the members take turns until one knows the answer, a limit is
// reached, or none is left. Turns are measured in work, so the result is the
// same each time.
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
				budget = 0 // it has no other to take turns with
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

// turn is how often lp_solve may call back in that round's turn of the k-th
// member left.
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

// settles reports that an outcome is an answer, or the watch's end of it all.
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

// run is one member's turn: it ends after budget callbacks; 0: no limit.
func (q *question) run(l *listener, m member, budget int64) (outcome, error) {
	o := outcome{trusted: m.trusted, best: math.NaN(), relaxation: math.NaN()}
	patience := q.patience()
	var branch, since int64 // the branch that is being solved, and from which call on
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

// patience is how often lp_solve may call back in one branch before it is taken to cycle.
func (q *question) patience() int64 {
	return int64(stall + stallEach*(len(q.model.Rows)+len(q.model.Cost)))
}

// confirmed is the end of a run that found no point of the relaxation: finished where with another scaling lp_solve finds none either. Of networks
// of 600 neurons and more it called some infeasible that have one.
func (q *question) confirmed(l *listener, m member) (end, error) {
	other, broken := m.Settings, false // what such a run says means nothing
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

// check looks at the point that a run ended with.
func (q *question) check(l *listener, m member, o outcome, x []float64) (outcome, error) {
	if slices.ContainsFunc(x, func(v float64) bool { return math.Abs(v) >= lpsolve.Infinity }) {
		if o.code == statusOptimal {
			o.code = statusUnbounded // which lp_solve does not say of a model without rows
		}
		return o, nil
	}
	o.best = q.Objective(x)
	if !q.Feasible(x) {
		if o.end != finished {
			return o, nil // most likely no integer point at all
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

// mend looks for a point with the same integers that keeps the rows: what is
// left is a linear program. It returns nil where there is none.
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
