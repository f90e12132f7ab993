package batch

// Differences bounds, after Bound, each lane's logit less its reference's at the same
// point of their box. Lanes come in runs of equal length, group; a lane's reference is
// the first one of its run. The lanes of a run have the same box, except that the inputs
// listed in apart differ from lane to lane by a constant each.
//
// What is shared cancels in the first layer. After it, the difference of two ReLUs lies
// between 0 and the difference of their arguments, and equals it if both arguments are
// positive. The layers' differences follow by interval arithmetic. If few signs are open,
// this is far tighter than the difference of two enclosures.
//
// Every sum here has at most as many terms as the neuron's own form, of at most twice the
// magnitudes, so four times its error covers the rounding. A radius is 0 only if nothing
// was rounded: then no input that differs reaches the neuron through nonzero weights and
// neurons that may be active, and the difference is 0.
func (w *Workspace) Differences(group int, apart []int32) (mid, rad []float64) {
	n := w.Lanes()
	w.prepareDifferences()
	w.apartInputs = apart
	list := w.apart[:0]
	for _, i := range apart {
		list = append(list, 1+i)
		c, r := w.Centre(int(i)), w.HalfWidth(int(i))
		dc, dr := w.row(w.diffMid, 1+int(i)), w.row(w.diffRad, 1+int(i))
		for v := range n {
			ref := v - v%group
			if dc[v], dr[v] = c[v]-c[ref], r[v]+r[ref]; v == ref {
				dr[v] = 0
			} else if dc[v] != 0 || dr[v] != 0 {
				dr[v] = max(dr[v], leastRadius)
			}
		}
	}
	w.apart = list
	for k := range w.p.layers {
		l := &w.p.layers[k]
		last := k == len(w.p.layers)-1
		a := &w.product
		*a = product{
			out: &w.nextMid[0], outStride: 8 * n, coefs: &l.forward[0], coefStride: 8 * (1 + l.in), outputs: l.out,
			octets: w.octets, rows: &w.diffMid[0], stride: 8 * n, list: &w.all[0], n: len(list),
		}
		if len(list) > 0 {
			a.list = &list[0]
		}
		w.p.product(a)
		a.out, a.coefs, a.rows = &w.nextRad[0], &l.magnitude[0], &w.diffRad[0]
		w.p.product(a)
		if last {
			break
		}
		w.keepDifferences(k)
		if l.relu {
			list = w.reluDifferences(k, group, list[:0])
		} else {
			list = list[:0]
			for j := range l.out {
				list = append(list, int32(1+j))
				copy(w.row(w.diffMid, 1+j), w.row(w.nextMid, j))
				e, always := w.p.rounding(k, j)
				for v, r := range w.row(w.nextRad, j) {
					if r != 0 || always {
						r += e
					}
					w.row(w.diffRad, 1+j)[v] = r
				}
			}
		}
	}
	mid, rad = w.nextMid[:n], w.nextRad[:n]
	e, always := w.p.rounding(len(w.p.layers)-1, 0)
	for v, r := range rad {
		if r != 0 || always {
			rad[v] = r + e
		}
		if v%group == 0 {
			mid[v], rad[v] = 0, 0
		}
	}
	return mid, rad
}

const (
	// leastRadius is the least radius of an input that differs. It keeps the radius of
	// every neuron that the input reaches above 0.
	leastRadius = 0x1p-800
	// leastWeight times leastRadius, or times the least error of a neuron, does not
	// underflow.
	leastWeight = 0x1p-160
)

// rounding returns the amount e that covers the rounding of a neuron's difference and is
// added to its radius. If always is false, a radius of 0 stays 0.
func (p *Plan) rounding(layer, neuron int) (e float64, always bool) {
	return 4 * p.errs[layer][neuron], p.layers[layer].underflows
}

func (w *Workspace) prepareDifferences() {
	if w.diffMid == nil {
		rows := (1 + max(w.p.inputs, w.p.widest)) * w.Lanes()
		w.diffMid, w.diffRad = make([]float64, rows), make([]float64, rows)
		w.nextMid, w.nextRad = make([]float64, rows), make([]float64, rows)
	}
}

// reluDifferences passes the differences of layer k's neurons through their ReLUs and
// lists the neurons whose difference may be nonzero.
func (w *Workspace) reluDifferences(k, group int, list []int32) []int32 {
	s := &w.stages[k]
	for _, j := range s.active {
		slope := w.row(s.slope, int(j))
		mid, rad := w.row(w.nextMid, int(j)), w.row(w.nextRad, int(j))
		outMid, outRad := w.row(w.diffMid, 1+int(j)), w.row(w.diffRad, 1+int(j))
		e, always := w.p.rounding(k, int(j))
		for v, lambda := range slope {
			ref, r := slope[v-v%group], rad[v]
			if r != 0 || always {
				r += e
			}
			lo, hi := mid[v]-r, mid[v]+r
			switch {
			case lambda == 0 && ref == 0:
				lo, hi = 0, 0
			case lambda == 1 && ref == 1 && w.stable(s, int(j), v) && w.stable(s, int(j), v-v%group):
			default:
				lo, hi = min(lo, 0), max(hi, 0)
			}
			c := (lo + hi) / 2
			outMid[v], outRad[v] = c, max(hi-c, c-lo)
		}
		list = append(list, 1+j)
	}
	return list
}

// stable reports whether a neuron whose λ is 1 cannot be negative. λ = 1 alone does not
// imply that, since λ may have been rounded to 1.
func (w *Workspace) stable(s *reached, j, v int) bool { return w.row(s.half, j)[v] == 0 }
