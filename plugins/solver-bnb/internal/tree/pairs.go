package tree

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Where features are relaxed, or the query's conditions are about the first copy
// alone, not all counterfactuals of one individual are compared, but pairs of
// copies. Then it is bounds over pairs that order and settle boxes, whether the
// largest value is wanted or any that is a violation.

// askable refuses what cannot be asked of pairs.
func askable(q *problem.Query) error {
	why := ""
	switch {
	case len(q.Relax) > 0:
		why = "features that may differ between the copies"
	case q.TellsCopiesApart():
		why = "a condition on the first copy's protected features"
	default:
		return nil
	}
	switch {
	case q.Goal != problem.Decide && q.Goal != problem.Maximise:
		return fmt.Errorf("%w: the goal %s with %s", ErrUnsupported, q.Goal, why)
	case q.Goal == problem.Decide && q.K > 2:
		return fmt.Errorf("%w: %d bins of one individual with %s", ErrUnsupported, q.K, why)
	}
	return nil
}

// matching is what the work on pairs needs.
type matching struct {
	grid.Matching
	pairs notion.Pairs
	// Of the lanes of a box: the logits' own enclosures, those of the parallel
	// forms, and of the differences.
	whole    notion.Interval
	relative []notion.Interval
}

func newMatching(t *Tree, lanes int) *matching {
	m := &matching{pairs: notion.Pairs{Combinations: len(t.grid.Combinations)}}
	m.One, m.Two = make([]bool, lanes), make([]bool, lanes)
	m.pairs.One, m.pairs.Two = m.One, m.Two
	interval := func() notion.Interval { return notion.Interval{Lo: make([]float64, lanes), Hi: make([]float64, lanes)} }
	m.whole, m.relative = interval(), []notion.Interval{interval(), interval()}
	return m
}

// oneWay reports that pairs whose first copy has the larger logit are all that
// has to be looked at, since the others are the same in the other order.
func (t *Tree) oneWay() bool {
	return t.grid.Mirrored && len(t.q.Require)+len(t.q.Forbid)+len(t.q.Exclude) == 0
}

// match says what becomes of box b of pairs.
func (w *worker) match(box grid.Box, b int) {
	t, m, lane := w.t, w.matching, b*w.k
	t.rules.Match(box, &m.Matching)
	size := w.g.Size(box)
	switch {
	case !m.Any:
		w.out.Outside = w.out.Outside.Add(w.all(box, size))
		w.piece(box, lane, PieceOutside, 0, 0)
		return
	case w.trees != nil && m.Cut < 0 && w.constant(box, size):
		return
	case w.g.Countable && size <= enumerable:
		w.points.enumerate(w, box)
		return
	}
	cut := w.choose(box, lane)
	if d := m.Cut; d >= 0 && box[2*d] < box[2*d+1] {
		cut = d
	}
	w.value(box, lane, cut, nil, w.widest(b))
}

// widest bounds the value of all pairs of box b.
func (w *worker) widest(b int) float64 {
	m := w.matching
	take := func(into *notion.Interval) {
		copy(into.Lo, w.lo)
		copy(into.Hi, w.hi)
	}
	w.enclosures(b * w.k)
	take(&m.whole)
	n := 0
	if w.trees != nil {
		copy(w.lo, w.trees.Lo)
		copy(w.hi, w.trees.Hi)
		take(&m.relative[n])
		n++
	}
	if w.parallel != nil {
		w.intervals(w.parallel, b*w.k)
		take(&m.relative[n])
		n++
	}
	if w.apart != nil {
		w.differences(b)
		take(&m.relative[n])
		n++
	}
	return w.t.judge.Widest(&m.pairs, m.whole, m.relative[:n])
}

// pair says what the logits of an individual, or of two where features are
// relaxed, mean.
func (p *points) pair(x, logits []float64) (v verdict) {
	t, m := p.t, p.matching
	one := t.grid.Point(x)
	t.rules.Pairs(one, t.grid.Partner(x), &m.Matching)
	if v.asked = m.Any; !v.asked {
		return v
	}
	e := t.off
	v.single, v.value, v.promise = true, math.Inf(-1), math.Inf(-1)
	doubtful := false // whether a smaller logit is a "no"
	m.pairs.Each(logits, func(one, two int, up bool) {
		high, low := logits[one], logits[two]
		if !up {
			high, low = low, high
		}
		v.single = false
		v.promise = max(v.promise, t.judge.Promise(high, low))
		doubtful = doubtful || math.Abs(low) <= e
		v.best(one, two, t.judge.Between(high, low), !t.goal.values && t.judge.Surely(high-e, low+e))
	})
	switch {
	case v.single:
		v.sure = true
		return v
	case t.goal.values:
		v.sure = !t.q.Notion.Jumps() || !doubtful
	default:
		v.sure = v.violates || t.judge.Widest(&m.pairs, notion.Interval{Lo: p.lo, Hi: p.hi}, nil) <= t.judge.Tolerated()
	}
	if !v.sure {
		p.exactly(x, &v)
	}
	v.z1, v.z2 = v.z1%len(t.grid.Combinations), v.z2%len(t.grid.Combinations)
	return v
}

// best takes a pair of lanes where it violates and none did before, or else has
// the largest value.
func (v *verdict) best(one, two int, value float64, violates bool) {
	if violates && !v.violates || violates == v.violates && value > v.value {
		v.z1, v.z2, v.value, v.violates = one, two, value, violates
	}
}

// exactly decides about a pair's copies in exact arithmetic.
func (p *points) exactly(x []float64, v *verdict) {
	t, m := p.t, p.matching
	k := len(t.grid.Combinations)
	one, two := t.grid.Point(x), t.grid.Partner(x)
	logits := make([]*big.Rat, len(m.One))
	var order []int
	for lane := range logits {
		if !m.One[lane] && !m.Two[lane] {
			continue
		}
		point := one
		if lane >= k {
			point = two
		}
		logits[lane] = t.logit(point, lane%k)
		order = append(order, lane)
	}
	slices.SortFunc(order, func(a, b int) int { return logits[a].Cmp(logits[b]) })
	rank := make([]float64, len(logits))
	for i, lane := range order {
		rank[lane] = float64(i)
	}
	v.violates, v.sure, v.value = false, true, math.Inf(-1)
	m.pairs.Each(rank, func(one, two int, _ bool) {
		pair := []*big.Rat{logits[one], logits[two]}
		value, _ := t.q.Notion.Gap(pair)
		v.best(one, two, value, !t.goal.values && t.q.Notion.Violates(pair, t.q.Epsilon))
	})
}
