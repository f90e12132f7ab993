package batch

// Evaluate computes the logit at every lane's centre into Mid, without radii. Each is
// within the plan's Error of the exact logit. It costs about a tenth of Bound.
func (w *Workspace) Evaluate() {
	n := w.Lanes()
	from := w.centre
	for k := range w.p.layers {
		l := &w.p.layers[k]
		to := w.rows[k&1]
		if k == len(w.p.layers)-1 {
			to = w.mid
		} else {
			fill(to[:n], 1)
			to = to[n:]
		}
		w.product = product{
			out: &to[0], outStride: 8 * n, coefs: &l.forward[0], coefStride: 8 * (1 + l.in), outputs: l.out,
			octets: w.octets, rows: &from[0], stride: 8 * n, list: &w.all[0], n: 1 + l.in,
		}
		w.p.product(&w.product)
		if l.relu {
			for v, y := range to[:l.out*n] {
				to[v] = max(y, 0)
			}
		}
		from = w.rows[k&1]
	}
}

// A Slope is the λ of a neuron whose sign is open in a lane.
type Slope struct {
	Layer, Neuron int
	Value         float64
}

// Slopes lists the λ of the neurons whose sign is open in a lane, after Bound.
func (w *Workspace) Slopes(lane int) []Slope {
	var out []Slope
	for k := range len(w.p.layers) - 1 {
		s := &w.stages[k]
		for _, j := range s.open {
			if v := w.row(s.slope, int(j))[lane]; v != 0 && v != 1 {
				out = append(out, Slope{k, int(j), v})
			}
		}
	}
	return out
}
