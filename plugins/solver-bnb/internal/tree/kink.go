package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/lattice"
	"github.com/hyfair/hyfair/sdk/bound/batch"
)

// kink is the memory of kinked.
type kink struct {
	slopes, values [2][]float64 // of two forms
	sums           [2]sum
	left           []float64       // slopes, by input
	only           []bool          // of copies, all unset
	of             [2][]batch.Kink // by side: that are kept in the boxes in the lanes, once they are
}

const (
	// hopeless is how many standard deviations a form may be too low in the middle of a box for a
	// neuron to be tried.
	hopeless = 6
	// worthOfAll and worthOfOpen are what keeping a neuron has to settle, about, as shares of a box and
	// of what is not settled of it.
	worthOfAll, worthOfOpen = 0.02, 0.3
)

// kinked bounds from below how many individuals have a side's forms above a number in all copies that are possible, as above
// does, but with one open neuron, y, kept as it is: the one whose relaxation costs most. slopes are
// those in common, a blend; without kinks share of the box was counted, and in its middle the lowest of the forms is by t above the
// number, about.
//
// With c·max(0, y) a side's form is at least the greater of two forms (c ≥ 0), one with 0 and one with c·y in its place, or else the lesser one
// (batch.Workspace.Keep): so points are counted that have either above the number, or both. What copies' forms have beyond what is in common
// is bounded over the box.
//
// Rounding: what is computed are sums of the monomials of two forms, each of some roundings more than in E and of magnitudes that add up
// to less than 8T, which 4E cover (sdk/bound/batch/rounding.go). 16E are added.
func (w *worker) kinked(box grid.Box, b, side int, in blend, slopes []float64, share, t, beyond float64, possible []bool) float64 {
	k, lane := &w.kink, b*w.k
	spread := w.deviation(slopes, lane)
	if t < -hopeless*spread {
		return 0
	}
	of, ok := w.costliest(b, side)
	if !ok {
		return 0
	}
	gain := gainOf(&of, lane+in.a)
	if settles := normal((t+gain)/spread) - normal(t/spread); !(settles >= max(worthOfAll, worthOfOpen*(1-share))) {
		return 0
	}
	w.keep(side)
	either := true
	for z, c := range of.Weight[lane : lane+w.k] {
		either = either && (c >= 0 || possible != nil && !possible[z])
	}
	var start, above [2]float64
	var dims [2][]lattice.Dim
	for which := range k.sums {
		form := w.space.Kept(side, which)
		w.blended(&form, b, in, k.slopes[which])
		least := math.Inf(1) // of what copies have beyond that
		for z := range w.k {
			if possible == nil || possible[z] {
				least = min(least, w.leastBeyond(&form, k.slopes[which], lane+z))
			}
		}
		s := &k.sums[which]
		w.contributions(s, box, k.slopes[which], k.values[which])
		start[which], dims[which], above[which] = s.start, s.dims, beyond-least+s.below
	}
	return w.counter.CountTwo(start, dims, above, either, gain, 4*w.alignError())
}

// leastBeyond bounds from below what a lane's form has beyond slopes in common.
func (w *worker) leastBeyond(form *batch.Form, slopes []float64, lane int) float64 {
	left := w.kink.left[:0]
	for i := range w.g.Inputs {
		left = append(left, form.Slope(i)[lane])
	}
	w.kink.left = left
	for i, f := range w.feeds {
		left[f.Input] -= slopes[i]
	}
	least := form.Base[lane]
	for i, v := range left {
		least += v*w.space.Centre(i)[lane] - math.Abs(v)*w.space.HalfWidth(i)[lane]
	}
	return least
}

// costliest is the neuron of box b that a side would keep.
func (w *worker) costliest(b, side int) (batch.Kink, bool) {
	return w.space.Costliest(side, b*w.k+w.sides[side].blends[b].a)
}

// keep bounds a side of the boxes in the lanes with a neuron kept, once.
func (w *worker) keep(side int) {
	of := &w.kink.of[side]
	if len(*of) > 0 {
		return
	}
	for b := range w.n {
		k, _ := w.costliest(b, side)
		*of = append(*of, k)
	}
	w.space.Keep(side, w.k, *of)
}

// deviation is about the standard deviation of a form over the box.
func (w *worker) deviation(slopes []float64, lane int) float64 {
	sum := 0.0
	for i, s := range slopes {
		v := s * w.space.HalfWidth(w.feeds[i].Input)[lane]
		sum += v * v
	}
	return math.Sqrt(sum / 3)
}

// gainOf is about by how much the side's form grows in a lane, on average over the box, where the neuron is kept.
func gainOf(k *batch.Kink, lane int) float64 {
	mid, spread := k.Mid[lane], k.Rad[lane]/5
	x := mid / spread
	mean := max(0, mid) + 0.4*spread*math.Exp(-x*x/2-math.Abs(x)) // of max(0, y), about
	slope, offset := k.Relaxed(lane)
	return k.Weight[lane]*mean - slope*mid - offset
}

// normal is the standard normal distribution's function.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
