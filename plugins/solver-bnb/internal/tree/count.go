package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/judge"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/lattice"
	"github.com/hyfair/hyfair/sdk/bound/batch"
)

// count bounds how many individuals of a box are surely treated fairly, and how
// many surely are not. start and dims are those of the parallel forms, th their
// thresholds.
func (w *worker) count(box grid.Box, lane int, start float64, s *judge.Spread, th lattice.Thresholds, possible, sure []bool) (fair, unfair float64) {
	e := 4 * w.t.plan.Error()
	if th.From < th.To && !w.t.judge.Signs() {
		open := th.Above - th.Below - (th.To - th.From)
		th.Above, th.Below = math.Inf(1), math.Inf(-1)
		_, _, unfair = w.counter.Count(start, w.dims, th, open, e)
	}
	// Individuals all of whose logits are above or below something are fair.
	beyond := w.t.judge.Beyond(s.Apart)
	if math.IsInf(beyond, 1) {
		return 0, unfair
	}
	forms := [2]batch.Form{w.space.Side(0), w.space.Side(1)}
	var starts, leasts [2]float64
	open := 0.0 // by how much the sides are apart in the middle of the box
	for side := range forms {
		w.middles(lane, &forms[side], w.middle[side])
		common := w.lowest(lane, &forms[side], w.middle[side], possible)
		starts[side] = w.align(box, lane, &forms[side], common, nil, w.values[side])
		leasts[side] = math.Inf(1)
		for z, v := range w.lo {
			if possible == nil || possible[z] {
				leasts[side] = min(leasts[side], v)
			}
		}
		open -= starts[side] + leasts[side]
		for _, d := range w.dims {
			open -= d.Middle()
		}
		w.sideDims[side], w.dims = w.dims, w.sideDims[side]
	}
	for side, dims := range w.sideDims {
		fair += w.above(starts[side], dims, beyond-leasts[side], open)
	}
	if w.t.judge.Signs() {
		unfair = w.opposite(box, lane, &forms, sure, open)
	}
	return fair, unfair
}

// above bounds from below how many points have t above a threshold.
func (w *worker) above(start float64, dims []lattice.Dim, threshold, open float64) float64 {
	th := lattice.Thresholds{Above: threshold, Below: math.Inf(-1), From: math.Inf(1), To: math.Inf(-1)}
	n, _, _ := w.counter.Count(start, dims, th, open, 4*w.t.plan.Error())
	return n
}

// opposite bounds from below how many individuals have a positive logit in one
// copy and a negative one in another, for the two copies where that is most likely:
// at least as many as have the one and have the other, less all.
func (w *worker) opposite(box grid.Box, lane int, forms *[2]batch.Form, sure []bool, open float64) float64 {
	height := 0.0
	var highest [2]int
	for side, middles := range w.middle {
		best := math.Inf(-1)
		for z, v := range middles {
			if (sure == nil || sure[z]) && v > best {
				best, highest[side] = v, z
			}
		}
		height += best
	}
	if !(height > 0) {
		return 0
	}
	n := -w.g.Size(box)
	for side, z := range highest {
		start := w.align(box, lane, &forms[side], blend{a: z, b: z}, nil, w.values[side])
		n += w.above(start, w.dims, -w.lo[z], open)
	}
	return max(n, 0)
}
