package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// most bounds the value of every individual of a bounded box.
func (w *worker) most(whole, spread *notion.Spread, upper, lower int) float64 {
	switch g := &w.t.goal; {
	case g.bins && g.least:
		return -float64(lower)
	case g.bins:
		return float64(upper)
	case g.least:
		return -w.t.judge.Lower(whole, spread)
	}
	return w.t.judge.Upper(whole, spread)
}

// value says what becomes of a box whose individuals' values are at most bound.
func (w *worker) value(box grid.Box, lane, cut int, c copies, bound float64) {
	if bound <= w.cutoff {
		w.bounded(box, lane)
		return
	}
	if bound > w.t.range_[1] {
		w.out.beyond = max(w.out.beyond, bound)
	}
	if cut < 0 {
		w.out.left = max(w.out.left, bound)
	}
	w.leaf(box, lane, cut, c, 0, 0, w.t.bucketOf(bound))
}

// bucketOf is the bucket of leaves whose values are at most v.
func (t *Tree) bucketOf(v float64) int {
	lo, hi := t.range_[0], t.range_[1]
	if !(v > lo) {
		return 0
	}
	return min(int(math.Ceil((v-lo)/(hi-lo)*(numBuckets-1))), numBuckets-1)
}

// valueOf is the largest value of leaves in a bucket.
func (t *Tree) valueOf(bucket int) float64 {
	lo, hi := t.range_[0], t.range_[1]
	v := lo + (hi-lo)*float64(bucket)/(numBuckets-1)
	v += 0x1p-40 * (math.Abs(lo) + math.Abs(hi))
	if t.goal.bins {
		return math.Floor(v)
	}
	if bucket == numBuckets-1 {
		return max(v, t.beyond)
	}
	return v
}

// valueRange is about where values lie, for sorting. What lies beyond goes into
// the first or the last bucket.
func (t *Tree) valueRange() [2]float64 {
	most := 1.0 // scores
	switch {
	case t.goal.bins:
		most = float64(t.bins.Count())
	case t.q.Notion.Linear() && !t.q.Notion.Binned():
		most = t.workers[0].rootMost()
	}
	if t.goal.least {
		return [2]float64{-most, 0}
	}
	return [2]float64{0, most}
}

// rootMost is what the bounds of the whole region allow individuals' values to be.
func (w *worker) rootMost() float64 {
	w.place(w.g.Whole(), 0)
	w.n = 1
	w.bound()
	w.n = 0
	w.enclosures(0)
	s := notion.Gather(w.lo, w.hi, nil, nil)
	most := max(s.Most-s.Least, s.Most, -s.Least) // gaps and margins
	if !w.t.pairs {
		whole, spread := w.spreads(0, nil, nil)
		most = min(most, w.t.judge.Upper(&whole, &spread))
	}
	return max(most, 1e-9)
}
