package batch

import "math"

// few is what is needed to bound neurons for all of a box's points but a few.
type few struct {
	group              int // lanes of a box
	tau                []float64
	moved              []int
	variance, offset   []float64 // a row an input, and one more in front
	squares            []float64 // of the first layer's weights, as its forward
	spread, rest, form []float64 // Σ c²·variance, slack + Σ |c|·offset, and the middle, a row a neuron
	on                 bool
	sharp              sharp
}

// curbed are the layers, from the first on, whose neurons are bounded so. The first two bring nearly all that all layers
// do; behind them every lane has events of its own.
const curbed = 2

// worth: an end is moved if that reduces the radius by at least 1/worth.
const worth = 10

// LeastSpread is the root of about the least Variance other than 0 that Bound takes, and 1/LeastSpread of the greatest: squares of others underflow.
const LeastSpread = 0x1p-200

// Few prepares trimmed bounds, which exclude some of a box's points. Where Sharpens is set, open neurons behind the first
// layer are bounded from both sides. A box takes group lanes, in which the inputs that vary within it have the same Centre,
// HalfWidth, Variance and Offset.
//
// Precondition on the distribution of a box's points: for all c and τ > 0, the share of points with
// Σ c[i]·(x[i] − m[i]) ≥ τ·σ, where σ² = Σ c[i]²·Variance[i], is at most exp(−τ²/2). Each middle m[i] is at most Offset[i]
// from Centre[i]. For an open hidden neuron, Bound then assumes its form to be within τ·σ of its value at m; Moved counts
// these assumptions. All bounds hold for the points that meet them. neurons is the number of neurons of a box; those of the
// first layer count once for all its lanes.
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

// ForAll takes Few back: all bounds hold for all points, and follow from parallel forms and intervals alone.
func (w *Workspace) ForAll() { w.few = nil }

// Variance is the row of input i that goes with Few.
func (w *Workspace) Variance(i int) []float64 { return w.row(w.few.variance, 1+i) }

// Offset is the row of input i that goes with Few.
func (w *Workspace) Offset(i int) []float64 { return w.row(w.few.offset, 1+i) }

// SetTail sets the τ of box b, 0 for bounds that hold for all.
func (w *Workspace) SetTail(b int, tau float64) { w.few.tau[b] = tau }

// Moved is the number of ends of neurons' enclosures that Bound has trimmed in box b: each excludes at most exp(−τ²/2) of
// the box's points.
func (w *Workspace) Moved(b int) int { return w.few.moved[b] }

// begin notes whether any box is bounded so.
func (f *few) begin() {
	f.on = false
	f.sharp.list = f.sharp.list[:0]
	clear(f.moved)
	for _, tau := range f.tau {
		f.on = f.on || tau > 0
	}
}

// curbs reports that layer k's neurons are bounded so.
func (w *Workspace) curbs(k int) bool {
	return w.few != nil && w.few.on && k < curbed && w.p.layers[k].relu
}

// spreadFirst works out how the first layer's forms spread.
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

// spreadOf puts into spread how an enclosure's forms spread, and adds to rest what does not.
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

// reach is τ·σ of a form, and its slack.
func reach(tau, spread, rest float64) float64 {
	return tau*math.Sqrt(spread*(1+0x1p-30)+0x1p-500) + rest
}

// curb trims the enclosures of layer k's neurons, in mid and rad.
//
// The event counted is that of the computed coefficients c. Their sum of squares has a few more roundings than terms, all of
// numbers ≥ 0: a factor 1 + 2⁻³⁰ covers them and those of σ and τ·σ. What underflows has |c|·√Variance < 2⁻³¹⁰, which 2⁻⁵⁰⁰
// covers, as its root is 2⁻²⁵⁰. The difference of the exact coefficients from c has monomials that E counts, as for rad;
// another E covers the sums here.
func (w *Workspace) curb(k int) {
	f, n := w.few, w.Lanes()
	own := -1 // the neuron's place in the list of those that are open
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
			if k == 0 { // of lanes' forms that differ by a constant, an event is one of all
				below, above = min(below, 1), min(above, 1)
			}
			f.moved[b] += below + above
		}
	}
}
