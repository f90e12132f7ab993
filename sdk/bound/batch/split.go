package batch

// Sides are two linear forms of each lane that bound the logit from below and from
// above, each with slopes of its own, after Bound: where a ReLU is bounded from
// below, λ is 0 or 1, whichever leaves the smaller triangle (CROWN, Zhang et al.,
// NeurIPS 2018; DeepPoly, Singh et al., POPL 2019, section 2), and no strip has to
// be added. Both are written as lower bounds, side 0 of the logit and side 1 of
// its negative:
//
//	logit(x) ≥ Side(0)(x),  −logit(x) ≥ Side(1)(x),
//
// but for the plan's Error. The parallel forms' strips are narrower in the worst
// case; these are nearer to the logit for most of a box's points.
func (w *Workspace) Sides() {
	n, last := w.Lanes(), len(w.p.layers)-1
	wide := 8 * n * 2
	l := &w.p.layers[last]
	if w.sides == nil {
		for i := range w.sideRows {
			w.sideRows[i] = make([]float64, (1+w.p.widest)*2*n)
		}
		w.sideBase = make([]float64, 2*n)
		w.signed = append(append([]float64(nil), l.forward...), l.forward...)
		for i := range 1 + l.in {
			w.signed[1+l.in+i] *= -1
		}
		w.sides = w.sideRows[0]
	}
	fill(w.sideBase[:n], w.signed[0])
	fill(w.sideBase[n:], w.signed[1+l.in])
	if last == 0 {
		for i := range 1 + l.in {
			fill(w.sides[2*i*n:(2*i+1)*n], w.signed[i])
			fill(w.sides[(2*i+1)*n:(2*i+2)*n], w.signed[1+l.in+i])
		}
		return
	}
	a := &w.splitting
	*a = splitting{
		weights: &w.signed[1], weightStride: 8 * (1 + l.in), base: &w.sideBase[0], stride: wide, forms: 2, octets: w.octets,
	}
	side := 0
	for m := last - 1; m >= 0; m-- {
		s := &w.stages[m]
		list := s.open
		a.rows = &w.sideRows[side][2*n] // after the constant
		if a.weights != nil {
			list, a.rows = s.active, &w.sideRows[side][0]
		}
		if a.n = len(list); a.n > 0 {
			a.list, a.slope, a.half = &list[0], &s.slope[0], &s.half[0]
			w.p.split(a)
		}
		lm := &w.p.layers[m]
		w.product = product{
			start: &w.sideBase[0], out: &w.sideRows[1-side][0], outStride: wide, coefs: &lm.backward[0], coefStride: 8 * lm.out,
			outputs: 1 + lm.in, octets: wide / 64, rows: a.rows, stride: wide, n: len(s.active),
		}
		if w.product.list = &w.all[0]; len(s.active) > 0 {
			w.product.list = &s.active[0]
		}
		w.p.product(&w.product)
		a.weights = nil
		side = 1 - side
		copy(w.sideBase, w.sideRows[side][:2*n])
	}
	w.sides = w.sideRows[side]
}

// Side is the form of a side.
func (w *Workspace) Side(side int) Form {
	n := w.Lanes()
	return Form{slopes: w.sides[side*n:], stride: 2 * n, length: n, Base: w.row(w.sideBase, side)}
}
