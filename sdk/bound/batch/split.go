package batch

import "math"

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
		if m == 0 {
			w.keep(a)
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

// keep keeps what the sides weigh the open neurons of the first layer with.
func (w *Workspace) keep(a *splitting) {
	n, open := w.Lanes(), w.stages[0].open
	w.weighed = w.weighed[:0]
	for _, j := range open {
		if a.weights == nil {
			w.weighed = append(w.weighed, vector(at(a.rows, int(j)*a.stride), 2*w.octets)...)
			continue
		}
		for side := range 2 {
			c := *at(a.weights, side*a.weightStride+8*int(j))
			for range n {
				w.weighed = append(w.weighed, c)
			}
		}
	}
}

// A Kink is an open neuron of the first layer, y, as a side sees it: the side's form has the line Relaxed where the logit
// has Weight·max(0, y), which is nowhere less. Rows of lanes.
type Kink struct {
	Neuron int
	// Weight is what the side weighs max(0, y) with; ReLUs are between Lambda·y and Lambda·y + 2·Half.
	Weight, Lambda, Half []float64
	// Mid and Rad enclose y.
	Mid, Rad []float64
}

// Costliest is the open neuron of the first layer whose relaxation costs a side's form most in a lane, on average over
// the box, as far as its enclosure tells. ok is unset where there is none.
func (w *Workspace) Costliest(side, lane int) (k Kink, ok bool) {
	n, s := w.Lanes(), &w.stages[0]
	best, most := 0, 0.0
	for i, j := range s.open {
		at := int(j)*n + lane
		mid, rad := s.mid[at], s.rad[at]
		if math.Abs(mid) >= rad {
			continue
		}
		c := w.weighed[(2*i+side)*n+lane]
		// Most people are within a fifth of rad, so max(0, y) is above max(0, mid) by about so much.
		x := 1 + 5*math.Abs(mid)/rad
		cost := c * 0.08 * rad / (x * x * x)
		if c < 0 {
			cost -= c * (s.slope[at]*mid + 2*s.half[at] - max(0, mid))
		}
		if cost > most {
			best, most = i, cost
		}
	}
	if most == 0 {
		return Kink{}, false
	}
	j := int(s.open[best])
	return Kink{
		Neuron: j, Weight: w.weighed[(2*best+side)*n:][:n:n], Lambda: w.row(s.slope, j), Half: w.row(s.half, j), Mid: w.row(s.mid, j), Rad: w.row(s.rad, j),
	}, true
}

// Relaxed is the line that the side has in place of Weight·max(0, y) in a lane.
func (k *Kink) Relaxed(lane int) (slope, offset float64) {
	switch c := k.Weight[lane]; {
	case c < 0:
		return c * k.Lambda[lane], 2 * c * k.Half[lane]
	case k.Lambda[lane] > 0.5:
		return c, 0
	}
	return 0, 0
}

// Side is the form of a side.
func (w *Workspace) Side(side int) Form {
	n := w.Lanes()
	return Form{slopes: w.sides[side*n:], stride: 2 * n, length: n, Base: w.row(w.sideBase, side)}
}

// FirstWeights are the bias and the weights, by input, of a neuron of the first layer; not to be changed.
func (w *Workspace) FirstWeights(neuron int) (bias float64, weights []float64) {
	l := &w.p.layers[0]
	row := l.forward[neuron*(1+l.in):][: 1+l.in : 1+l.in]
	return row[0], row[1:]
}
