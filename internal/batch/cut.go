package batch

import "math"

// direct is the weight of an input's coefficient in the logit's form, relative to its
// effect on open strips. Where lattice points are counted between the forms, the width
// along a direction in which the network is linear leaves no further points undecided, so
// a split there only helps later splits. The undecided share differed by a few per cent
// for weights from 0.1 to 0.4, and was up to a quarter smaller than with weight 1.
const direct = 0.2

// note records how much layer m's neurons add to the logit's width: slackOf per unit of
// their ReLUs' slack, and carried per unit of their radius, through the layers above.
// The logit's coefficients of these neurons, before relaxation, are in weights or, if
// that is nil, in rows.
func (w *Workspace) note(m int, rows, weights *float64) {
	s, n := &w.stages[m], w.Lanes()
	l := &w.p.layers[m]
	if m == len(w.p.layers)-2 {
		clear(w.carried)
	}
	clear(w.slackOf[:l.out*n])
	for _, i := range s.open {
		out := w.row(w.slackOf, int(i))
		if weights != nil {
			fill(out, math.Abs(*at(weights, int(i)*8)))
			continue
		}
		for v, c := range vector(at(rows, int(i)*n*8), w.octets) {
			out[v] = math.Abs(c)
		}
	}
	if m == 0 {
		return
	}
	// Slack grows with a neuron's radius; both are passed on to what this layer reads.
	for _, i := range s.open {
		out, half, rad, c := w.row(w.carried, int(i)), w.row(s.half, int(i)), w.row(s.rad, int(i)), w.row(w.slackOf, int(i))
		for v, h := range half {
			if h > 0 && rad[v] > 0 {
				out[v] += c[v] * h / rad[v]
			}
		}
	}
	a := &w.product
	*a = product{
		out: &w.below[0], outStride: 8 * n, coefs: &l.downward[l.out], coefStride: 8 * l.out, outputs: l.in,
		octets: w.octets, rows: &w.carried[0], stride: 8 * n, list: &w.all[0],
	}
	if a.n = len(s.active); a.n > 0 {
		a.list = &s.active[0]
	}
	w.p.product(a)
	w.carried, w.below = w.below, w.carried
	for i, s := range w.stages[m-1].slope {
		w.carried[i] *= s
	}
}

// SplitReduction returns the row of the amounts by which a split reduces input i's
// half-width. The caller fills it in before SplitWidths.
func (w *Workspace) SplitReduction(i int) []float64 { return w.row(w.cut, 1+i) }

// SplitWidths estimates, after Bound, the width of the logit's enclosure in each lane if
// its box is split in two along the listed inputs, on average over the halves. The values
// have no unit; they compare inputs. In the first layer, the estimate uses the signs that
// each half settles; in the layers above, only what changes in the first layer.
func (w *Workspace) SplitWidths(inputs []int32) []float64 {
	n := w.Lanes()
	out := w.halved[:n]
	l := &w.p.layers[0]
	if len(inputs) == 0 { // such a split never helps
		fill(out, math.Inf(1))
		return out
	}
	if len(w.p.layers) > 1 && len(w.stages[0].active) > 0 {
		list := w.inputList[:0]
		for _, i := range inputs {
			list = append(list, 1+i)
		}
		w.inputList = list
		w.product = product{
			out: &w.cuts[0], outStride: 8 * n, coefs: &l.magnitude[0], coefStride: 8 * (1 + l.in), outputs: l.out,
			octets: w.octets, rows: &w.cut[0], stride: 8 * n, list: &list[0], n: len(list),
		}
		w.p.product(&w.product)
		s := &w.stages[0]
		w.halving = halving{
			out: &out[0], mid: &s.mid[0], rad: &s.rad[0], cut: &w.cuts[0], slack: &w.slackOf[0], carried: &w.carried[0],
			list: &s.active[0], n: len(s.active), octets: w.octets,
		}
		w.p.halve(&w.halving)
	} else {
		clear(out)
	}
	form := w.Logit()
	for _, i := range inputs {
		c, cut := form.Slope(int(i)), w.SplitReduction(int(i))
		for v := range out {
			out[v] -= 2 * direct * math.Abs(c[v]) * cut[v]
		}
	}
	return out
}
