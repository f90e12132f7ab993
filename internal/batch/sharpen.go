package batch

// sharp holds one-sided forms of a layer's open neurons and their enclosures.
type sharp struct {
	sided
	list    []int32   // the open neurons
	weights []float64 // for each neuron its weights, then their negatives
	// A row per form, two per neuron: a lower bound of it and one of its negative.
	mid, rad, spread, rest []float64
}

// sharpen bounds again the neurons of layer k that are still open in some lane, each by two forms like those of Sides, and
// intersects the enclosures in mid and rad with the new ones. In lanes where a neuron is not open nothing changes, so a
// lane's bounds do not depend on the others.
//
// Parallel forms are a strip apart at every point; the two forms here are far apart only at few points: the farther y's
// mean is from 0, the less max(0, y) exceeds its lower line 0 or y on average. The monomials of a form are at most those
// that T(neuron) adds up, so each end is within E of a sound one, as in narrow.
func (w *Workspace) sharpen(k int) {
	d, l, n := &w.few.sharp, &w.p.layers[k], w.Lanes()
	d.list = d.list[:0]
	for j := range l.out {
		for v := range n {
			if w.open(k, j, v) {
				d.list = append(d.list, int32(j))
				break
			}
		}
	}
	some := max(1, w.forms/2)
	if d.mid == nil {
		w.ready(&d.sided, 2*some*n)
		room := func() []float64 { return make([]float64, 2*w.p.widest*n) }
		d.mid, d.rad, d.spread, d.rest = room(), room(), room(), room()
	}
	for from := 0; from < len(d.list); from += some {
		w.bothSides(k, from, min(from+some, len(d.list)))
	}
	for i, j := range d.list {
		mid, rad := w.row(w.mid, int(j)), w.row(w.rad, int(j))
		for v := range mid {
			at := 2*i*n + v
			lo, hi := mid[v]-rad[v], mid[v]+rad[v]
			from, to := d.mid[at]-d.rad[at], d.rad[at+n]-d.mid[at+n]
			if from <= lo && to >= hi || !w.open(k, int(j), v) {
				continue
			}
			mid[v], rad[v] = centred(max(lo, from), min(hi, to))
		}
	}
}

// open reports whether the trimmed enclosure of neuron j of layer k has both signs in lane v.
func (w *Workspace) open(k, j, v int) bool {
	f, at, e := w.few, j*w.Lanes()+v, w.p.errs[k][j]
	if w.mid[at]-w.rad[at] >= e || w.mid[at]+w.rad[at] <= -e {
		return false
	}
	if b := v / f.group; w.curbs(k) && b < len(f.tau) && f.tau[b] > 0 {
		r := reach(f.tau[b], f.spread[at], f.rest[at]) + e
		return f.form[at]-r < e && f.form[at]+r > -e
	}
	return true
}

// bothSides bounds the neurons [from, to) of the list from both sides.
func (w *Workspace) bothSides(k, from, to int) {
	d, l, n := &w.few.sharp, &w.p.layers[k], w.Lanes()
	d.weights = d.weights[:0]
	for _, j := range d.list[from:to] {
		row := l.forward[int(j)*(1+l.in):][:1+l.in]
		d.weights = appendNegated(append(d.weights, row...), row)
	}
	w.pass(&d.sided, k, d.weights, nil)
	forms := 2 * (to - from)
	at := 2 * from * n
	none := d.rest[at:][:forms*n]
	clear(none)
	e := &w.enclosure
	*e = enclosure{
		rows: &d.form[0], stride: 8 * n * forms, list: &w.all[1], n: w.p.inputs, centre: &w.centre[0], radius: &w.radius[0],
		base: &d.base[0], slack: &none[0], mid: &d.mid[at], rad: &d.rad[at], forms: forms, octets: w.octets,
	}
	w.p.enclose(e)
	if w.curbs(k) {
		w.spreadOf(e, d.spread[at:], d.rest[at:])
	}
}

// ends returns a neuron's trimmed enclosure. at is the index of its lower form in the lane, at+lanes that of its
// upper form.
func (d *sharp) ends(at, lanes int, tau float64) (least, most float64) {
	end := func(at int) float64 { return d.mid[at] - reach(tau, d.spread[at], d.rest[at]) }
	return end(at), -end(at + lanes)
}
