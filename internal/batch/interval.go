package batch

// narrow intersects the enclosures of layer k's neurons, in mid and rad, with those that
// interval arithmetic derives from the layer before. It returns how many became narrower.
//
// The parallel lines of a ReLU ignore that it is never negative: at y = l, the lower one is
// λ·l. Over a few layers that adds up. Interval arithmetic has another weakness: it ignores
// what neurons have in common, which matters less in large boxes.
//
// Every sum has at most the terms of the neuron's own form, with magnitudes at most those
// that T(neuron) adds up, since |centre| + radius of a neuron that it reads is at most T(m)
// + E(m). So its error is at most E/2, as is that of the form's bounds.
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
		mid[v], rad[v] = centred(lo, hi) // each end is within E of a sound one
		narrower++
	}
	return narrower
}

// centred returns the centre and the radius of an interval; the radius is 0 if the ends
// cross.
func centred(lo, hi float64) (mid, rad float64) {
	c := (lo + hi) / 2
	return c, max(hi-c, c-lo, 0)
}
