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
	left           []float64 // slopes, by input
	only           []bool    // of copies, all unset
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
// does, but with one open neuron of the first layer, y, kept as it is: the one whose relaxation costs most. slopes are
// those in common, a blend; without kinks share of the box was counted, and in its middle the lowest of the forms is by t above the
// number, about.
//
// A form in which c·max(0, y) was relaxed to s·y + o is as much larger as c·max(0, y) − s·y − o, and the number of points with
// f + c·max(0, y) above something is that with both f and f + c·y above it (c < 0), or with either. What copies have beyond what is
// in common is bounded, of max(0, y) over all y that there are.
//
// Rounding: what is computed are sums of the monomials of a form, of the line and of c·max(0, y), each for the copy and in
// common, of some roundings more than in E and of magnitudes that add up to less than 8T, which 4E cover (sdk/bound/batch/rounding.go).
// That y's of two copies are a number apart is true but for twice the neuron's E, and |c| times that is less than E. 16E are added.
func (w *worker) kinked(box grid.Box, b, side int, in blend, slopes []float64, share, t, beyond float64, possible []bool) float64 {
	a, k, lane := w.sides[side], &w.kink, b*w.k
	spread := w.deviation(slopes, lane)
	if t < -hopeless*spread {
		return 0
	}
	first := lane + in.a
	of, ok := w.space.Costliest(side, first)
	if !ok {
		return 0
	}
	c := of.Weight[first] + in.part*(of.Weight[lane+in.b]-of.Weight[first])
	bias, weights := w.space.FirstWeights(of.Neuron)
	for i, f := range w.feeds {
		k.slopes[0][i] = weights[f.Input]
	}
	gain := gainOf(&of, first, w.deviation(k.slopes[0], lane))
	if settles := normal((t+gain)/spread) - normal(t/spread); c*of.Weight[first] <= 0 || !(settles >= max(worthOfAll, worthOfOpen*(1-share))) {
		return 0
	}
	slope, _ := of.Relaxed(first)
	other, _ := of.Relaxed(lane + in.b)
	slope += in.part * (other - slope)
	middleOf := func(lane int) float64 { // of the box, in y: an enclosure with a moved end has another
		y := bias
		for i, v := range weights {
			y += v * w.space.Centre(i)[lane]
		}
		return y
	}
	mid := middleOf(first)
	base := mid   // y = base + Σ weights·x
	middle := 0.0 // of what is in common, without y
	for i, f := range w.feeds {
		v, centre := weights[f.Input], w.space.Centre(f.Input)[lane]
		base -= v * centre
		k.slopes[0][i] = slopes[i] - slope*v
		k.slopes[1][i] = slopes[i] + (c-slope)*v
		middle += k.slopes[0][i] * centre
	}
	_, _, e := w.space.Neuron(0, of.Neuron)
	from, to := of.Mid[first]-of.Rad[first]-e, of.Mid[first]+of.Rad[first]+e
	least := math.Inf(1) // of what copies have beyond that
	for z := range w.k {
		if possible != nil && !possible[z] {
			continue
		}
		lane := lane + z
		line, offset := of.Relaxed(lane)
		own := middleOf(lane)
		rest := w.middle[side][lane] - line*own - offset - middle
		k.left = k.left[:0]
		for i, v := range weights {
			k.left = append(k.left, a.form.Slope(i)[lane]-line*v)
		}
		for i, f := range w.feeds {
			k.left[f.Input] -= k.slopes[0][i]
		}
		for i, v := range k.left {
			rest -= math.Abs(v) * w.space.HalfWidth(i)[lane]
		}
		// Of its own y, which is by shift more than the first's, linear between these.
		shift, kept := own-mid, math.Inf(1)
		for _, y := range [4]float64{from, to, min(max(0, from), to), min(max(-shift, from), to)} {
			kept = min(kept, of.Weight[lane]*max(0, y+shift)-c*max(0, y))
		}
		least = min(least, rest+kept)
	}
	var start, above [2]float64
	var dims [2][]lattice.Dim
	for i := range k.sums {
		s := &k.sums[i]
		w.contributions(s, box, k.slopes[i], k.values[i])
		start[i], dims[i], above[i] = s.start, s.dims, beyond-least+s.below
	}
	start[1] += c * base
	return w.counter.CountTwo(start, dims, above, c > 0, gain, 4*w.alignError())
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

// gainOf is about by how much a form grows in a lane, on average over the box, where the neuron is kept, whose standard deviation is spread.
func gainOf(k *batch.Kink, lane int, spread float64) float64 {
	mid := k.Mid[lane]
	x := mid / spread
	mean := max(0, mid) + 0.4*spread*math.Exp(-x*x/2-math.Abs(x)) // of max(0, y), about
	slope, offset := k.Relaxed(lane)
	return k.Weight[lane]*mean - slope*mid - offset
}

// normal is the standard normal distribution's function.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
