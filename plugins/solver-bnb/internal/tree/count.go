package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/judge"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/lattice"
)

// align writes every combination's form, of the given slopes, base and slack, as
// t plus what lies in [lo, hi], where t = start + what dims contribute is the same
// for all: their mean slopes. values is room for dims.
//
// Of the error of the sums, which have at most as many terms as the plan's own
// and the same magnitudes, four times the plan's is more than enough.
func (w *worker) align(box grid.Box, lane int, slope func(input int) []float64, base, slack, values []float64) (start float64) {
	s, e := w.space, 4*w.t.plan.Error()
	for z := range w.lo {
		w.lo[z], w.hi[z] = base[lane+z], e
		if slack != nil {
			w.hi[z] += slack[lane+z]
		}
	}
	for _, f := range w.g.Fixed {
		w.absorb(slope(f.Input)[lane:lane+w.k], 0, f.Centre, f.Radius)
	}
	for _, f := range w.g.Combinations[0].Inputs {
		c, r := s.Centre(f.Input)[lane:lane+w.k], s.Radius(f.Input)[lane:lane+w.k]
		for z, v := range slope(f.Input)[lane : lane+w.k] {
			w.lo[z] += v * c[z]
			w.hi[z] += math.Abs(v) * r[z]
		}
	}
	w.dims = w.dims[:0]
	for d := range w.g.Dims {
		dim := &w.g.Dims[d]
		from, to := box[2*d], box[2*d+1]
		cells := int(to-from) + 1
		contribution := lattice.Dim{Cells: cells}
		if !dim.Even && w.t.goal.counts {
			contribution.Values, values = values[:cells], values[cells:]
			clear(contribution.Values)
		}
		var first, last float64
		for f := range dim.Feeds {
			feed := &dim.Feeds[f]
			row := slope(feed.Input)[lane : lane+w.k]
			a := mean(row)
			w.absorb(row, a, s.Centre(feed.Input)[lane], s.Radius(feed.Input)[lane])
			first += a * feed.Lo[from]
			last += a * feed.Lo[to]
			for c := range contribution.Values {
				contribution.Values[c] += a * feed.Lo[int(from)+c]
			}
		}
		switch {
		case contribution.Values != nil:
			w.dims = append(w.dims, contribution)
		case cells == 1:
			start += first
		default:
			start += first
			contribution.Step = (last - first) / float64(cells-1)
			w.dims = append(w.dims, contribution)
		}
	}
	for z := range w.lo {
		b, r := w.lo[z], w.hi[z]
		w.lo[z], w.hi[z] = b-r, b+r
	}
	return start
}

// absorb takes what an input contributes beyond slope a into the intervals, whose
// middles are in lo and radii in hi.
func (w *worker) absorb(slopes []float64, a, centre, radius float64) {
	for z, v := range slopes {
		w.lo[z] += (v - a) * centre
		w.hi[z] += math.Abs(v-a) * radius
	}
}

func mean(row []float64) float64 {
	a := 0.0
	for _, v := range row {
		a += v
	}
	return a / float64(len(row))
}

// count bounds how many individuals of a box are surely treated fairly, and how
// many surely are not. start and dims are those of the parallel forms, th their
// thresholds.
func (w *worker) count(box grid.Box, lane int, start float64, s *judge.Spread, th lattice.Thresholds, possible []bool) (fair, unfair float64) {
	e := 4 * w.t.plan.Error()
	if th.From < th.To {
		open := th.Above - th.Below - (th.To - th.From)
		th.Above, th.Below = math.Inf(1), math.Inf(-1)
		_, _, unfair = w.counter.Count(start, w.dims, th, open, e)
	}
	// Individuals all of whose logits are above or below something are fair.
	beyond := w.t.judge.Beyond(s.Apart)
	if math.IsInf(beyond, 1) {
		return 0, unfair
	}
	var starts, leasts [2]float64
	cells := len(w.values) / 2
	open := 0.0 // by how much the sides are apart in the middle of the box
	for side := range starts {
		slope := func(input int) []float64 { return w.space.SideSlope(side, input) }
		starts[side] = w.align(box, lane, slope, w.space.SideBase(side), nil, w.values[side*cells:])
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
		th := lattice.Thresholds{Above: beyond - leasts[side], Below: math.Inf(-1), From: 1, To: 0}
		above, _, _ := w.counter.Count(starts[side], dims, th, open, e)
		fair += above
	}
	return fair, unfair
}
