package batch

import "math"

// direct is the weight of an input's own coefficient against that of its part in
// open strips. Where lattice points are counted between the forms, a box is no
// less decided for being wide along a direction in which the network is linear;
// cutting there still helps to make the next cuts good. Between 0.1 and 0.3
// undecided shares were within a few per cent of each other, and up to a quarter
// smaller than with 1.
const direct = 0.2

// note remembers how much the strips of layer m's neurons add to the logit's
// width, for each unit of their radius. rows or weights are the coefficients at
// the layer's neurons, before relaxation.
func (w *Workspace) note(m int, rows, weights *float64) {
	s, n := &w.stages[m], w.Lanes()
	if m == len(w.p.layers)-2 {
		clear(w.weight)
	}
	for _, i := range s.open {
		out, half, rad := w.row(w.weight, int(i)), w.row(s.half, int(i)), w.row(s.rad, int(i))
		if weights != nil {
			c := math.Abs(*at(weights, int(i)*8))
			for v, h := range half {
				if h > 0 && rad[v] > 0 {
					out[v] += c * h / rad[v]
				}
			}
			continue
		}
		c := vector(at(rows, int(i)*n*8), w.octets)
		for v, h := range half {
			if h > 0 && rad[v] > 0 {
				out[v] += math.Abs(c[v]) * h / rad[v]
			}
		}
	}
	// Down to what this layer reads.
	l := &w.p.layers[m]
	a := &w.product
	*a = product{
		out: &w.below[0], outStride: 8 * n, coefs: &l.downward[l.out], coefStride: 8 * l.out, outputs: l.in,
		octets: w.octets, rows: &w.weight[0], stride: 8 * n, list: &w.all[0],
	}
	if a.n = len(s.open); m < len(w.p.layers)-2 {
		a.n = len(s.active) // with what came from above
		if a.n > 0 {
			a.list = &s.active[0]
		}
	} else if a.n > 0 {
		a.list = &s.open[0]
	}
	w.p.product(a)
	w.weight, w.below = w.below, w.weight
	if m > 0 {
		for i, s := range w.stages[m-1].slope {
			w.weight[i] *= s
		}
	}
}

// influences turns what was noted into the inputs' shares.
func (w *Workspace) influences() {
	for i := range w.p.inputs {
		out, c, r := w.Influence(i), w.Slope(i), w.Radius(i)
		if len(w.p.layers) == 1 {
			for v := range out {
				out[v] = math.Abs(c[v]) * r[v]
			}
			continue
		}
		q := w.row(w.weight, i)
		for v := range out {
			out[v] = (direct*math.Abs(c[v]) + q[v]) * r[v]
		}
	}
}
