package batch

// narrow intersects the enclosures of layer k's neurons, which are in mid and rad, with
// what interval arithmetic makes of the layer before, and reports how many became narrower.
//
// The lines between which a ReLU lies do not know that it is never negative: its lower
// one is at λ·l where the neuron is at l, and over a few layers that adds up. Intervals
// forget what neurons have in common instead, which matters less in large boxes.
//
// Every sum has the terms of the neuron's own form at most, of magnitudes up to those
// that T(neuron) adds up, since |centre| + radius of what is read is at most T(m) + E(m):
// its error is within a half of E, as that of the form's bounds is.
func (w *Workspace) narrow(k int) (narrower int) {
	n := w.Lanes()
	w.prepareDifferences()
	l, below, s := &w.p.layers[k], &w.p.layers[k-1], &w.stages[k-1]
	fill(w.row(w.diffMid, 0), 1)
	clear(w.row(w.diffRad, 0))
	list := append(w.apart[:0], 0)
	for _, j := range s.active {
		e := w.p.errs[k-1][j]
		mid, rad := w.row(s.mid, int(j)), w.row(s.rad, int(j))
		outMid, outRad := w.row(w.diffMid, 1+int(j)), w.row(w.diffRad, 1+int(j))
		for v, m := range mid {
			r := rad[v] + e
			lo, hi := m-r, m+r
			if below.relu {
				lo, hi = max(lo, 0), max(hi, 0)
			}
			c := (lo + hi) / 2
			outMid[v], outRad[v] = c, max(hi-c, c-lo)
		}
		list = append(list, 1+j)
	}
	w.apart = list
	a := &w.product
	*a = product{
		out: &w.nextMid[0], outStride: 8 * n, coefs: &l.forward[0], coefStride: 8 * (1 + l.in), outputs: l.out,
		octets: w.octets, rows: &w.diffMid[0], stride: 8 * n, list: &list[0], n: len(list),
	}
	w.p.product(a)
	a.out, a.coefs, a.rows = &w.nextRad[0], &l.magnitude[0], &w.diffRad[0]
	w.p.product(a)
	mid, rad := w.mid[:l.out*n], w.rad[:l.out*n]
	otherMid, otherRad := w.nextMid[:l.out*n], w.nextRad[:l.out*n]
	for v, r := range rad {
		m, om, or := mid[v], otherMid[v], otherRad[v]
		if om-or <= m-r && om+or >= m+r {
			continue
		}
		lo, hi := max(m-r, om-or), min(m+r, om+or)
		mid[v], rad[v] = centred(lo, hi) // each is within E of one that holds
		narrower++
	}
	return narrower
}

// centred is the middle and the radius of what lies between two ends, 0 where they cross.
func centred(lo, hi float64) (mid, rad float64) {
	c := (lo + hi) / 2
	return c, max(hi-c, c-lo, 0)
}
