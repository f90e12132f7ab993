package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/judge"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/lattice"
)

// maxCounted is how many cells of a dimension may be counted, which visits each of
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

// count bounds how many individuals of box b are surely treated fairly, and how
// many surely are not. All bounds may be wrong of lost of them. Where logits' signs are not all, th are the thresholds of
// the parallel forms, and no two logits of an individual are more than apart from
// each other.
func (w *worker) count(box grid.Box, b int, lost, apart float64, th lattice.Thresholds, possible, sure []bool) (fair, unfair float64) {
	if !w.t.judge.Signs() && th.From < th.To {
		unfair = max(0, w.between(box, b, th)-lost)
	}
	// Individuals all of whose logits are above or below something are fair.
	beyond := w.t.judge.Beyond(apart)
	if math.IsInf(beyond, 1) {
		return 0, unfair
	}
	var leasts, middles [2]float64
	open := 0.0 // by how much the sides are apart in the middle of the box
	for side := range w.sides {
		a, s := w.sides[side], &w.sums[side]
		w.contributions(s, box, a.of(w, b), w.values[side])
		w.intervals(a, b*w.k)
		leasts[side] = math.Inf(1)
		for z, v := range w.lo {
			if possible == nil || possible[z] {
				leasts[side] = min(leasts[side], v)
			}
		}
		middles[side] = s.middle() + leasts[side] - beyond
		open -= s.middle() + leasts[side]
	}
	size := w.g.Size(box)
	for side := range w.sums {
		n := w.above(&w.sums[side], beyond-leasts[side], open)
		if n < size {
			n = max(n, w.kinked(box, b, side, w.sides[side].blends[b], w.sides[side].of(w, b), n/size, middles[side], beyond, possible))
		}
		fair += max(0, n-lost)
	}
	if w.t.judge.Signs() {
		unfair = max(0, w.opposite(box, b, sure, open)-lost)
	}
	return fair, unfair
}

// between bounds from below how many individuals have their parallel forms' t
// between thresholds.
func (w *worker) between(box grid.Box, b int, th lattice.Thresholds) float64 {
	s := &w.sums[0]
	w.contributions(s, box, w.parallel.of(w, b), w.values[0])
	open := th.Above - th.Below - (th.To - th.From)
	only := lattice.Thresholds{Above: math.Inf(1), Below: math.Inf(-1), From: th.From + s.below, To: th.To - s.beyond}
	_, _, n := w.counter.Count(s.start, s.dims, only, open, w.alignError())
	return n
}

// opposite bounds from below how many individuals have a positive logit in one
// copy and a negative one in another, for the two copies where that is most likely:
// at least as many as have the one and have the other, less all.
func (w *worker) opposite(box grid.Box, b int, sure []bool, open float64) float64 {
	height := 0.0
	var highest [2]int
	for side, middle := range w.middle {
		best := math.Inf(-1)
		for z, v := range middle[b*w.k : (b+1)*w.k] {
			if (sure == nil || sure[z]) && v > best {
				best, highest[side] = v, z
			}
		}
		height += best
	}
	if !(height > 0) {
		return 0
	}
	size := w.g.Size(box)
	n := -size
	for side, z := range highest {
		s, only := &w.sums[side], blend{a: z, b: z}
		w.blended(&w.sides[side].form, b, only, w.single)
		w.contributions(s, box, w.single, w.values[side])
		rest := w.rest(side, b*w.k+z)
		middle := s.middle() + rest
		count := w.above(s, -rest, open)
		if count < size {
			w.kink.only[z] = true
			count = max(count, w.kinked(box, b, side, only, w.single, count/size, middle, 0, w.kink.only))
			w.kink.only[z] = false
		}
		n += count
	}
	return max(n, 0)
}

// rest bounds from below what the inputs that do not vary within a box add to a
// lane's form of a side.
func (w *worker) rest(side, lane int) float64 {
	form := &w.sides[side].form
	mid, rad := form.Base[lane], w.alignError()
	add := func(input int) {
		c := form.Slope(input)[lane]
		mid += c * w.space.Centre(input)[lane]
		rad += math.Abs(c) * w.space.HalfWidth(input)[lane]
	}
	for _, f := range w.g.Fixed {
		add(f.Input)
	}
	for _, f := range w.g.Combinations[0].Inputs {
		add(f.Input)
	}
	return mid - rad
}

// spreads is what is known of all of box b: its copies' enclosures, and where logits'
// signs are not all that matters, their parallel forms and differences.
func (w *worker) spreads(b int, possible, sure []bool) (whole, spread judge.Spread) {
	w.enclosures(b * w.k)
	whole = judge.Gather(w.lo, w.hi, possible, sure)
	if w.trees != nil {
		return w.spreadTrees(whole, possible, sure)
	}
	if w.parallel == nil {
		return whole, whole
	}
	w.intervals(w.parallel, b*w.k)
	spread = judge.Gather(w.lo, w.hi, possible, sure)
	spread.From, spread.To = w.around(w.parallel, b)
	if w.apart != nil {
		w.differences(b)
		differences := judge.Gather(w.lo, w.hi, possible, sure)
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
