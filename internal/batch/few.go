package batch

import "math"

// few is the state of trimmed bounds, which hold for nearly all of a box's points.
type few struct {
	group              int // lanes per box
	tau                []float64
	moved              []int
	variance, offset   []float64 // a row per input, after one for the constant
	squares            []float64 // of the first layer's weights, in the order of stage.forward
	spread, rest, form []float64 // a row per neuron: Σ c²·variance, slack + Σ |c|·offset, and the form's centre
	on                 bool
	sharp              sharp
}

// curbed is the number of layers, counted from the inputs, whose neurons get trimmed bounds. The first two give
// nearly all of the gain; after the first layer, what a lane excludes counts separately for each lane.
const curbed = 2

// worth limits trimming: an end moves only if it moves by at least 1/worth of the radius.
const worth = 10

// LeastSpread limits Variance: values other than 0 must lie between about LeastSpread² and 1/LeastSpread², else squares
// underflow or overflow.
const LeastSpread = 0x1p-200

// Few prepares trimmed bounds, which exclude some of a box's points. If Sharpens is set, open neurons after the first
// layer are bounded from both sides. The lanes of a box, whose number is group, have the same Centre, HalfWidth, Variance
// and Offset for each input that varies within the box.
//
// Precondition on the distribution of a box's points: for all c and τ > 0, the share of points with Σ c[i]·(x[i] − m[i]) ≥
// τ·σ, where σ² = Σ c[i]²·Variance[i], is at most exp(−τ²/2). Each mean m[i] is at most Offset[i] from Centre[i]. For an
// open hidden neuron, Bound then assumes its form to be within τ·σ of its value at m; Moved counts these assumptions. All
// bounds hold for the points that meet them.
//
// It returns the number of neurons per box that may be trimmed; those of the first layer count once for all lanes of the
// box.
func (w *Workspace) Few(group int) (neurons int) {
	n := w.Lanes()
	f := &few{group: group, tau: make([]float64, n/group), moved: make([]int, n/group)}
	f.variance, f.offset = make([]float64, len(w.centre)), make([]float64, len(w.centre))
	f.spread, f.rest, f.form = make([]float64, w.p.widest*n), make([]float64, w.p.widest*n), make([]float64, w.p.widest*n)
	for _, c := range w.p.layers[0].forward {
		f.squares = append(f.squares, c*c)
	}
	w.few = f
	for k := range min(curbed, len(w.p.layers)-1) {
		if neurons += w.p.layers[k].out; k > 0 {
			neurons += w.p.layers[k].out * (group - 1)
		}
	}
	return neurons
}

// ForAll undoes Few: all bounds hold for all points, and follow from parallel forms and intervals alone.
func (w *Workspace) ForAll() { w.few = nil }

// Variance returns the row of input i's Variance, which Few defines. The caller fills it
// in.
func (w *Workspace) Variance(i int) []float64 { return w.row(w.few.variance, 1+i) }

// Offset returns the row of input i's Offset, which Few defines. The caller fills it in.
func (w *Workspace) Offset(i int) []float64 { return w.row(w.few.offset, 1+i) }

// SetTail sets the τ of box b; with 0, its bounds hold for all points.
func (w *Workspace) SetTail(b int, tau float64) { w.few.tau[b] = tau }

// Moved returns the number of ends of neurons' enclosures that Bound has trimmed in box b: each excludes at most
// exp(−τ²/2) of the box's points.
func (w *Workspace) Moved(b int) int { return w.few.moved[b] }

// begin resets the counts and notes whether any box has trimmed bounds.
func (f *few) begin() {
	f.on = false
	f.sharp.list = f.sharp.list[:0]
	clear(f.moved)
	for _, tau := range f.tau {
		f.on = f.on || tau > 0
	}
}

// curbs reports whether layer k's neurons get trimmed bounds.
func (w *Workspace) curbs(k int) bool {
	return w.few != nil && w.few.on && k < curbed && w.p.layers[k].relu
}

// spreadFirst computes spread and rest of the first layer's neurons.
func (w *Workspace) spreadFirst() {
	f, l, n := w.few, &w.p.layers[0], w.Lanes()
	a := &w.product
	*a = product{
		out: &f.spread[0], outStride: 8 * n, coefs: &f.squares[0], coefStride: 8 * (1 + l.in), outputs: l.out,
		octets: w.octets, rows: &f.variance[0], stride: 8 * n, list: &w.all[0], n: len(w.moving),
	}
	if a.n > 0 {
		a.list = &w.moving[0]
	}
	w.p.product(a)
	a.out, a.coefs, a.rows = &f.rest[0], &l.magnitude[0], &f.offset[0]
	w.p.product(a)
}

// spreadOf writes Σ c²·variance of an enclosure's forms to spread, and adds Σ |c|·offset to
// rest.
func (w *Workspace) spreadOf(e *enclosure, spread, rest []float64) {
	f, s := w.few, &w.spreading
	clear(spread[:e.forms*w.Lanes()])
	*s = spreading{
		rows: e.rows, stride: e.stride, list: &w.all[0], n: len(w.moving), variance: &f.variance[0], offset: &f.offset[0],
		spread: &spread[0], rest: &rest[0], forms: e.forms, octets: w.octets,
	}
	if s.n > 0 {
		s.list = &w.moving[0]
	}
	w.p.spread(s)
}

// reach returns a form's slack plus τ·σ, rounded up.
func reach(tau, spread, rest float64) float64 {
	return tau*math.Sqrt(spread*(1+0x1p-30)+0x1p-500) + rest
}

// curb trims the enclosures of layer k's neurons, in mid and rad.
//
// The points that a trimmed end excludes are defined by the computed coefficients c. The sum of their squares has a few
// more roundings than terms, all of numbers ≥ 0: a factor 1 + 2⁻³⁰ covers them and those of σ and τ·σ. A term that
// underflows has |c|·√Variance < 2⁻³¹⁰; 2⁻⁵⁰⁰, whose root is 2⁻²⁵⁰, covers it. The exact coefficients differ from c by
// monomials that E counts, as for rad; another E covers the sums here.
func (w *Workspace) curb(k int) {
	f, n := w.few, w.Lanes()
	own := -1 // the neuron's place in the list of open neurons
	for j, e := range w.p.errs[k] {
		listed := own+1 < len(f.sharp.list) && f.sharp.list[own+1] == int32(j)
		if listed {
			own++
		}
		mid, rad := w.row(w.mid, j), w.row(w.rad, j)
		spread, rest, form := w.row(f.spread, j), w.row(f.rest, j), w.row(f.form, j)
		for b, tau := range f.tau {
			if tau == 0 {
				continue
			}
			below, above := 0, 0
			for v := b * f.group; v < (b+1)*f.group; v++ {
				lo, hi := mid[v]-rad[v], mid[v]+rad[v]
				if lo >= e || hi <= -e {
					continue
				}
				r := reach(tau, spread[v], rest[v]) + e
				from, to := form[v]-r, form[v]+r
				if listed && from < e && to > -e {
					least, most := f.sharp.ends(2*own*n+v, n, tau)
					from, to = max(from, least-e), min(to, most+e)
				}
				positive, negative := from >= e, to <= -e
				moved, least := false, rad[v]/worth
				if from > lo+least && !negative {
					lo, moved = from, true
					below++
				}
				if to < hi-least && !positive {
					hi, moved = to, true
					above++
				}
				if moved {
					mid[v], rad[v] = centred(lo, hi)
				}
			}
			if k == 0 { // lanes' forms differ by a constant, so the same points are excluded in all
				below, above = min(below, 1), min(above, 1)
			}
			f.moved[b] += below + above
		}
	}
}
