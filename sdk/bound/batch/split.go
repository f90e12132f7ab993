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
	l := &w.p.layers[len(w.p.layers)-1]
	if w.signed == nil {
		w.signed = append(append([]float64(nil), l.forward...), l.forward...)
		for i := range 1 + l.in {
			w.signed[1+l.in+i] *= -1
		}
		w.weighed, w.aside = make([][]float64, len(w.p.layers)-1), make([]float64, 2*w.Lanes())
	}
	w.pass(&w.sides, len(w.p.layers)-1, w.signed, true)
}

// sided is memory for sides' forms.
type sided struct {
	rows       [2][]float64
	form, base []float64
}

// ready makes room for rows that are so wide, once: the first time is to ask for the widest.
func (w *Workspace) ready(d *sided, wide int) {
	if d.base == nil {
		for i := range d.rows {
			d.rows[i] = make([]float64, (1+w.p.widest)*wide)
		}
		d.base, d.form = make([]float64, wide), d.rows[0]
	}
}

// pass bounds forms over what layer k reads from below, each a bias and weights; weigh: it notes what open neurons are weighed with.
func (w *Workspace) pass(d *sided, k int, weights []float64, weigh bool) {
	n, l := w.Lanes(), &w.p.layers[k]
	forms := len(weights) / (1 + l.in)
	wide := forms * n // numbers of a row
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
		if weigh {
			w.weigh(m, a)
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

// weigh notes what the sides weigh the open neurons of layer m with.
func (w *Workspace) weigh(m int, a *splitting) {
	n, open := w.Lanes(), w.stages[m].open
	weighed := w.weighed[m][:0]
	for _, j := range open {
		if a.weights == nil {
			weighed = append(weighed, vector(at(a.rows, int(j)*a.stride), 2*w.octets)...)
			continue
		}
		for side := range 2 {
			c := *at(a.weights, side*a.weightStride+8*int(j))
			for range n {
				weighed = append(weighed, c)
			}
		}
	}
	w.weighed[m] = weighed
}

// A Kink is an open neuron, y, as a side sees it: the side's form has the line Relaxed where the logit
// has Weight·max(0, y), which is nowhere less. Rows of lanes.
type Kink struct {
	Layer int // of hidden ones, from 0 on
	// Weight is what the side weighs max(0, y) with; ReLUs are between Lambda·y and Lambda·y + 2·Half.
	Weight, Lambda, Half []float64
	// Mid and Rad enclose y.
	Mid, Rad []float64
}

// Costliest is the open neuron whose relaxation costs a side's form most in a lane, on average over
// the box, as far as its enclosure tells. ok is unset where there is none.
func (w *Workspace) Costliest(side, lane int) (k Kink, ok bool) {
	n := w.Lanes()
	layer, best, most := 0, 0, 0.0
	for m := range w.weighed {
		s := &w.stages[m]
		for i, j := range s.open {
			at := int(j)*n + lane
			mid, rad := s.mid[at], s.rad[at]
			if math.Abs(mid) >= rad {
				continue
			}
			c := w.weighed[m][(2*i+side)*n+lane]
			// Most people are within a fifth of rad, so max(0, y) is above max(0, mid) by about so much.
			x := 1 + 5*math.Abs(mid)/rad
			cost := c * 0.08 * rad / (x * x * x)
			if c < 0 {
				cost -= c * (s.slope[at]*mid + 2*s.half[at] - max(0, mid))
			}
			if cost > most {
				layer, best, most = m, i, cost
			}
		}
	}
	if most == 0 {
		return Kink{}, false
	}
	s := &w.stages[layer]
	j := int(s.open[best])
	return Kink{
		Layer: layer, Weight: w.weighed[layer][(2*best+side)*n:][:n:n],
		Lambda: w.row(s.slope, j), Half: w.row(s.half, j), Mid: w.row(s.mid, j), Rad: w.row(s.rad, j),
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

// Keep bounds a side twice more, as Sides does, whose forms stay, with an open neuron y of each group of lanes not relaxed: where the
// logit has c·max(0, y), form 0 of Kept has 0 and form 1 has c·y. max(0, y) is the greater of 0 and y, so the side is at least the greater of
// the two forms where c ≥ 0, and at least the lesser one in any case, but for the plan's Error. Neurons are as Costliest gave them since Sides, and kept in all lanes of the
// group; a group without one has the zero Kink, and two forms as Sides makes them.
func (w *Workspace) Keep(side, group int, of []Kink) {
	lambda, half := w.aside[:w.Lanes()], w.aside[w.Lanes():]
	row := len(w.signed) / 2
	signed := w.signed[side*row:][:row]
	each := func(visit func(k *Kink, lane int)) {
		for b := range of {
			for lane := b * group; of[b].Lambda != nil && lane < (b+1)*group; lane++ {
				visit(&of[b], lane)
			}
		}
	}
	each(func(k *Kink, lane int) { lambda[lane], half[lane] = k.Lambda[lane], k.Half[lane] })
	for which := range w.kept[side] {
		each(func(k *Kink, lane int) { k.Lambda[lane], k.Half[lane] = float64(which), 0 })
		w.pass(&w.kept[side][which], len(w.p.layers)-1, signed, false)
	}
	each(func(k *Kink, lane int) { k.Lambda[lane], k.Half[lane] = lambda[lane], half[lane] })
}

// Kept is a form of a side, from Keep until it is called again.
func (w *Workspace) Kept(side, which int) Form {
	d := &w.kept[side][which]
	return Form{slopes: d.form, stride: w.Lanes(), length: w.Lanes(), Base: d.base}
}

// Side is the form of a side.
func (w *Workspace) Side(side int) Form {
	n := w.Lanes()
	return Form{slopes: w.sides.form[side*n:], stride: 2 * n, length: n, Base: w.row(w.sides.base, side)}
}
