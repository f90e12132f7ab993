package batch

import "slices"

// Sides computes, after Bound, two linear forms per lane that bound the logit from below
// and from above, each with slopes of its own. Where a ReLU is bounded from below, λ is 0
// or 1, whichever leaves the smaller triangle (CROWN, Zhang et al., NeurIPS 2018;
// DeepPoly, Singh et al., POPL 2019, section 2), and no strip has to be added. Both are
// lower bounds, side 0 of the logit and side 1 of its negative, up to the plan's Error:
//
//	logit(x) ≥ Side(0)(x),  −logit(x) ≥ Side(1)(x).
//
// The parallel forms' strips are narrower in the worst case; these forms are nearer to
// the logit for most of a box's points.
func (w *Workspace) Sides() {
	l := &w.p.layers[len(w.p.layers)-1]
	if w.signed == nil {
		w.signed = appendNegated(slices.Clone(l.forward), l.forward)
	}
	w.pass(&w.sides, len(w.p.layers)-1, w.signed, w.weigh)
}

// sided is the memory of one-sided forms.
type sided struct {
	rows       [2][]float64
	form, base []float64
}

// ready allocates rows of the given width in its first call, which must ask for the largest
// width.
func (w *Workspace) ready(d *sided, wide int) {
	if d.base == nil {
		for i := range d.rows {
			d.rows[i] = make([]float64, (1+w.p.widest)*wide)
		}
		d.base, d.form = make([]float64, wide), d.rows[0]
	}
}

// pass bounds forms from below by forms of the inputs. Each form is a bias and weights over what layer k reads. The
// callback before, unless it is nil, receives each layer's coefficients ahead of the relaxation of that layer's ReLUs.
func (w *Workspace) pass(d *sided, k int, weights []float64, before func(m int, a *splitting)) {
	n, l := w.Lanes(), &w.p.layers[k]
	forms := len(weights) / (1 + l.in)
	wide := forms * n // numbers per row
	w.ready(d, wide)
	for i := range forms {
		fill(d.base[i*n:(i+1)*n], weights[i*(1+l.in)])
	}
	if k == 0 {
		for i := range 1 + l.in {
			for f := range forms {
				fill(d.form[i*wide+f*n:i*wide+(f+1)*n], weights[f*(1+l.in)+i])
			}
		}
		return
	}
	a := &w.splitting
	*a = splitting{
		weights: &weights[1], weightStride: 8 * (1 + l.in), base: &d.base[0], stride: 8 * wide, forms: forms, octets: w.octets,
	}
	in := 0
	for m := k - 1; m >= 0; m-- {
		s := &w.stages[m]
		list := s.open
		a.rows = &d.rows[in][wide] // after the constant
		if a.weights != nil {
			list, a.rows = s.active, &d.rows[in][0]
		}
		if before != nil {
			before(m, a)
		}
		if a.n = len(list); a.n > 0 {
			a.list, a.slope, a.half = &list[0], &s.slope[0], &s.half[0]
			w.p.split(a)
		}
		lm := &w.p.layers[m]
		w.product = product{
			start: &d.base[0], out: &d.rows[1-in][0], outStride: 8 * wide, coefs: &lm.backward[0], coefStride: 8 * lm.out,
			outputs: 1 + lm.in, octets: wide / 8, rows: a.rows, stride: 8 * wide, n: len(s.active),
		}
		if w.product.list = &w.all[0]; len(s.active) > 0 {
			w.product.list = &s.active[0]
		}
		w.p.product(&w.product)
		a.weights = nil
		in = 1 - in
		copy(d.base[:wide], d.rows[in])
	}
	d.form = d.rows[in]
}

// appendNegated appends the negatives of weights.
func appendNegated(to, weights []float64) []float64 {
	for _, c := range weights {
		to = append(to, -c)
	}
	return to
}

// weigh records side 0's coefficients of the first layer's open neurons.
func (w *Workspace) weigh(m int, a *splitting) {
	if m > 0 {
		return
	}
	w.weighed = w.weighed[:0]
	for _, j := range w.stages[0].open {
		if a.weights == nil {
			w.weighed = append(w.weighed, vector(at(a.rows, int(j)*a.stride), w.octets)...)
			continue
		}
		for range w.Lanes() {
			w.weighed = append(w.weighed, *at(a.weights, 8*int(j)))
		}
	}
}

// Side returns the form of side 0 or 1, after Sides.
func (w *Workspace) Side(side int) Form {
	n := w.Lanes()
	return Form{slopes: w.sides.form[side*n:], stride: 2 * n, length: n, Base: w.row(w.sides.base, side)}
}
