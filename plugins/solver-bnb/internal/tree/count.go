package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// maxCounted is how many cells of a dimension may be counted, which may visit each of
// them.
const maxCounted = grid.RealCells

// countable reports a box that count takes.
func countable(box grid.Box, size float64) bool {
	for d := 0; d < len(box); d += 2 {
		if box[d+1]-box[d] >= maxCounted {
			return false
		}
	}
	return size < 1<<53
}

// count bounds how many individuals of box, which is what is left of bounded box b, are surely treated fairly, and how
// many surely are not. All bounds may be wrong of lost of them. Where logits' signs are not all, th are the thresholds of
// the parallel forms, and no two logits of an individual are more than apart from
// each other.
func (w *worker) count(box grid.Box, b int, lost, apart float64, th notion.Thresholds, possible, sure []bool) (fair, unfair float64) {
	if !w.t.judge.Signs() && th.From < th.To {
		unfair = w.between(box, b, th)
	}
	// Individuals all of whose logits are above or below something are fair.
	if beyond := w.t.judge.Beyond(apart); !math.IsInf(beyond, 1) && w.tabulate(box, b, beyond) {
		open := w.uncertain(possible)
		for side := range 2 {
			fair += max(0, w.beyond(side, possible, beyond, open)-lost)
		}
		if w.t.judge.Signs() {
			unfair = w.opposite(box, sure)
		}
	}
	return fair, max(0, unfair-lost)
}

// between bounds from below how many individuals have their parallel forms' t
// between thresholds.
func (w *worker) between(box grid.Box, b int, th notion.Thresholds) float64 {
	s := &w.sum
	w.contributions(s, box, w.parallel.of(w, b), w.values)
	open := th.Above - th.Below - (th.To - th.From)
	only := notion.Thresholds{Above: math.Inf(1), Below: math.Inf(-1), From: th.From + s.below, To: th.To - s.beyond}
	_, _, n := w.counter.Count(s.start, s.dims, only, open, w.alignError())
	return n
}

// spreads is what is known of all of box b: its copies' enclosures, and where logits'
// signs are not all that matters, their parallel forms and differences.
func (w *worker) spreads(b int, possible, sure []bool) (whole, spread notion.Spread) {
	w.enclosures(b * w.k)
	whole = notion.Gather(w.lo, w.hi, possible, sure)
	if w.trees != nil {
		return w.spreadTrees(whole, possible, sure)
	}
	spread = whole
	if w.parallel != nil {
		w.intervals(w.parallel, b*w.k)
		spread = notion.Gather(w.lo, w.hi, possible, sure)
		spread.From, spread.To = w.around(w.parallel, b)
	}
	if w.apart != nil {
		w.differences(b)
		differences := notion.Gather(w.lo, w.hi, possible, sure)
		spread.Apart = min(spread.Apart, differences.Apart)
	}
	whole.Apart = min(whole.Apart, spread.Apart)
	return whole, spread
}

// differences puts how far the logits of box b may be from its first lane's into
// lo and hi.
func (w *worker) differences(b int) {
	mid, rad := w.diffMid[b*w.k:(b+1)*w.k], w.diffRad[b*w.k:(b+1)*w.k]
	for z := range mid {
		w.lo[z], w.hi[z] = mid[z]-rad[z], mid[z]+rad[z]
	}
}
