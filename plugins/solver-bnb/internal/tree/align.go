package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/lattice"
	"github.com/hyfair/hyfair/sdk/bound/batch"
)

// blend says which slopes forms are aligned to: those of combination a, moved by
// part of the way to b's. Or where a is negative, the mean of all.
type blend struct {
	a, b int
	part float64
}

var meanOfAll = blend{a: -1}

// of is the common slope where the combinations have a row of slopes.
func (b blend) of(row []float64) float64 {
	if b.a >= 0 {
		return row[b.a] + b.part*(row[b.b]-row[b.a])
	}
	sum := 0.0
	for _, v := range row {
		sum += v
	}
	return sum / float64(len(row))
}

// align writes the form of every combination, with slack where that is not nil, as
// t plus what lies in [lo, hi], where t = start + what dims contribute is the same
// for all: it has slopes in common. values is room for dims.
//
// Of the error of the sums, which have at most as many terms as the plan's own
// and the same magnitudes, four times the plan's is more than enough.
func (w *worker) align(box grid.Box, lane int, form *batch.Form, common blend, slack, values []float64) (start float64) {
	s, e := w.space, 4*w.t.plan.Error()
	for z := range w.lo {
		w.lo[z], w.hi[z] = form.Base[lane+z], e
		if slack != nil {
			w.hi[z] += slack[lane+z]
		}
	}
	for _, f := range w.g.Fixed {
		w.absorb(form.Slope(f.Input)[lane:lane+w.k], 0, f.Centre, f.Radius)
	}
	for _, f := range w.g.Combinations[0].Inputs {
		c, r := s.Centre(f.Input)[lane:lane+w.k], s.Radius(f.Input)[lane:lane+w.k]
		for z, v := range form.Slope(f.Input)[lane : lane+w.k] {
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
			row := form.Slope(feed.Input)[lane : lane+w.k]
			a := common.of(row)
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

// middles is what a form is in the middle of the box, by combination.
func (w *worker) middles(lane int, form *batch.Form, out []float64) {
	s := w.space
	copy(out, form.Base[lane:lane+w.k])
	add := func(input int) {
		c := s.Centre(input)[lane : lane+w.k]
		for z, v := range form.Slope(input)[lane : lane+w.k] {
			out[z] += v * c[z]
		}
	}
	for i := range w.t.q.Network.Inputs() {
		add(i)
	}
}

// lowest is how to align forms, given their middles, so that the least of all is
// bounded well from below: to the lowest one, moved towards the one that most
// threatens to fall below it elsewhere until neither is lower than the other in
// its worst corner. Where no form comes near the lowest, nothing is lost.
func (w *worker) lowest(lane int, form *batch.Form, middles []float64, possible []bool) blend {
	low := -1
	for z, v := range middles {
		if (possible == nil || possible[z]) && (low < 0 || v < middles[low]) {
			low = z
		}
	}
	common := blend{a: max(low, 0), b: max(low, 0)}
	threat := 0.0
	for z, v := range middles {
		if z == low || possible != nil && !possible[z] {
			continue
		}
		gap, apart := v-middles[low], 0.0
		for d := range w.g.Dims {
			for f := range w.g.Dims[d].Feeds {
				input := w.g.Dims[d].Feeds[f].Input
				row := form.Slope(input)[lane : lane+w.k]
				apart += math.Abs(row[z]-row[low]) * w.space.Radius(input)[lane]
			}
		}
		if apart-gap > threat {
			threat = apart - gap
			common.b, common.part = z, threat/(2*apart)
		}
	}
	return common
}
