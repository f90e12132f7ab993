package tree

import (
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// goalDecide is the goal that ends with the first witness.
const goalDecide = problem.Decide

// goal is what a query wants of the boxes.
type goal struct {
	problem.Goal
	// values: individuals have a value, of which the largest is wanted; where
	// least is set, the smallest, and values are negated throughout.
	values, least bool
	// bins: about k. reach is the k that a witness must have, 0 where any
	// violation is one.
	bins  bool
	reach int
	// counts: lattice points are counted in boxes that are not settled.
	counts bool
}

func goalOf(q *problem.Query) (goal, error) {
	g := goal{Goal: q.Goal}
	if q.K > 2 && (q.Goal == problem.Decide || q.Goal == problem.Quantify) {
		g.bins, g.reach = true, q.K
	}
	switch q.Goal {
	case problem.Decide:
	case problem.Quantify:
		g.counts = !g.bins
	case problem.Maximise:
		g.values = true
	case problem.Minimise:
		if !q.Notion.UsesEpsilon() {
			return g, fmt.Errorf("%w: the least margin of the notion %s", ErrUnsupported, q.Notion)
		}
		g.values, g.least = true, true
	case problem.MaxK:
		g.values, g.bins = true, true
	case problem.MinK:
		g.values, g.bins, g.least = true, true, true
	default:
		return g, fmt.Errorf("%w: goal %s", ErrUnsupported, q.Goal)
	}
	if g.bins && (q.Epsilon == nil || q.Epsilon.Sign() <= 0) {
		return g, fmt.Errorf("%w: bins without ε", ErrUnsupported)
	}
	return g, nil
}

// slack is by how much values above v, the best known, may be missed: boxes that could have a
// value larger by no more than that are left out. It is a small part of v, but no less than
// the rounding of bounds. What v and it add up to grows with v.
func (t *Tree) slack(v float64) float64 {
	if t.goal.bins {
		return 0
	}
	return min(5e-11, max(1e-4*math.Abs(v), 0x1p-42, 16*t.q.Notion.Slope()*t.off)) * max(1, math.Abs(v))
}

// cutoff is the value up to which boxes are of no interest: no individual that was
// evaluated has a larger one.
func (t *Tree) cutoff() float64 {
	if t.goal.Goal == goalDecide { // boxes have values where they are of pairs
		return t.judge.Tolerated()
	}
	if t.aims {
		return max(t.aim.at, t.cutoffOf(t.Best))
	}
	return t.cutoffOf(t.Best)
}

// cutoffOf is the cutoff where nobody better than b is known, nil for nobody.
func (t *Tree) cutoffOf(b *Best) float64 {
	if b == nil {
		return math.Inf(-1)
	}
	return b.Value + t.slack(b.Value) + t.misjudged(b.Value)
}

// misjudged is what the cutoff is above the best value for rounding's sake: by how far an individual's value may be from the exact one, unless
// values are weighed.
//
// Once boxes are bounded jointly it is more by what the rounding of Joint makes of a gap, up to
// a part of v that leaves the bound as near as it has to be, so that this keeps no boxes open; and once they are settled by
// cases, whose rounding depends on their multipliers, by all of that part.
func (t *Tree) misjudged(v float64) float64 {
	if t.goal.bins {
		return 0
	}
	e := t.blur(v)
	if t.weighs(v) {
		e = 0
	}
	part := spare * math.Abs(v)
	switch {
	case t.begun:
		return e + part
	case t.joined:
		return e + min(34*t.q.Notion.Slope()*t.off, part)
	}
	return e
}

// spare is the part of a value that its bound may be above it for the sake of boxes' rounding.
const spare = 3e-8

// blur bounds how far an individual's value, computed as v, may be from the exact one: its
// logits are within the plan's error each. Where large values cancel inside a network it is
// far more than a float64's rounding.
//
// Of scores p and q with p − q = w the slopes p(1−p) and q(1−q) add up to (1−w²)/2 at most, where p + q = 1. On the way from v to the exact gap no w
// is farther from v than both errors times ¼.
func (t *Tree) blur(v float64) float64 {
	if t.q.Notion != fairness.Score {
		return 2 * t.q.Notion.Slope() * t.off
	}
	w := max(0, math.Abs(v)-t.off)
	return t.off * (1 - w*w) / 2
}

// weighs reports that scores near a gap of v are too blurred for the bound to be near enough: once the search began again, so that no box is settled by
// blurred ones, those that may have the largest are compared exactly.
func (t *Tree) weighs(v float64) bool {
	return t.anew && t.q.Notion == fairness.Score && !t.goal.bins && t.blur(v) > spare*math.Abs(v)
}

// Exactly is the individual with the two combinations that are the farthest apart, and
// how far, from exact logits and rounded away from the bound.
func (t *Tree) Exactly(b Best) *Best {
	if t.pairs {
		b.Value, _ = t.q.Notion.Gap([]*big.Rat{t.logit(b.X, b.Z1), t.logit(b.Y, b.Z2)})
		return &b
	}
	var allowed []bool
	if t.rules != nil {
		allowed = t.rules.Allowed(b.X)
	}
	var high, low *big.Rat
	for z := range t.grid.Combinations {
		if allowed != nil && !allowed[z] {
			continue
		}
		l := t.logit(b.X, z)
		if high == nil || l.Cmp(high) > 0 {
			high, b.Z1 = l, z
		}
		if low == nil || l.Cmp(low) <= 0 {
			low, b.Z2 = l, z
		}
	}
	least, most := t.q.Notion.Gap([]*big.Rat{high, low})
	if b.Value = least; t.goal.least {
		b.Value = -most
	}
	return &b
}

// logit is the exact one of a point with combination z.
func (t *Tree) logit(point []float64, z int) *big.Rat {
	return t.exact().Logit(t.q.Space.ExactInputs(t.grid.Complete(point, z)))
}

// Bound is a bound on every individual's value, for goals with values: not less
// than any, or where the least is wanted, not more. Until the first box is
// bounded it is infinite.
func (t *Tree) Bound() float64 {
	bound := max(t.left, t.cutoff())
	if t.front.size > 0 {
		bound = max(bound, t.open())
	}
	if len(t.parts) > 0 {
		bound = max(bound, t.parts[0].value)
	}
	if t.Boxes == 0 {
		bound = math.Inf(1)
	}
	bound = min(bound, t.earlier)
	if t.goal.least {
		return -bound
	}
	return bound
}

// open bounds the values in the leaves, by their highest bucket.
func (t *Tree) open() float64 {
	for b := t.front.top; b >= 0; b-- {
		if len(t.front.buckets[b]) > 0 {
			return t.valueOf(b)
		}
	}
	return math.Inf(-1)
}
