package batch

import "math"

// Pair bounds from above the logit of lane a less that of lane b at the same point of their box, or of a part
// of that box if the caller has replaced it since. It is called after Bound and Differences; both lanes belong
// to one of the runs of Differences, which have the length group. The bound is a linear form of the inputs
// that the lanes share, which Pair leaves in column a of Pairs. Pair returns the form's maximum over the box,
// rounding included.
//
// It substitutes from the logits back to the inputs, as Bound does, but for both lanes at once: it bounds
// max(0, x) of one lane and max(0, y) of the other together, given an interval of y − x. What the lanes have in
// common cancels, except at the neurons whose sign is open.
//
// Rounding: at every neuron m, |s| + |t| ≤ |α| + |β|, and |c| ≤ 2·(|α|+|β|)·(T(m)+2E(m)), since the bound that
// relax takes is no larger than above's. So the magnitudes of all monomials add up to less than 2T of the logit
// for each lane, by the recursion of rounding.go: from V ≤ T in the first layer, which passes on V + 2T + 4E
// instead of 2T + E, V ≤ 3/2·T follows in the second, 7/4·T in the third, and so on. No monomial goes through
// more than three times as many roundings as in that recursion. So the error is below 3·4/2 = 6 E, and 16 E are added.
func (w *Workspace) Pair(a, b, group int) (most float64) {
	most = w.pairForm(a, b, group, false)
	for i := range w.p.inputs {
		at := (1+i)*w.Lanes() + a
		most += w.pairs[at]*w.centre[at] + math.Abs(w.pairs[at])*w.radius[at]
	}
	return most
}

// pairForm leaves Pair's form in column a of Pairs, and returns its constant. If differences is set,
// it bounds the difference of ReLUs by that of their arguments, unless the rounding error could then
// exceed Pair's.
func (w *Workspace) pairForm(a, b, group int, differences bool) (base float64) {
	p := w.p
	w.preparePairs()
	if w.Shown {
		w.shown[a] = w.shown[a][:0]
	}
	here, below := [2][]float64{w.pair[0], w.pair[1]}, [2][]float64{w.pair[2], w.pair[3]}
	last := len(p.layers) - 1
	for i, v := range p.layers[last].forward[1:] { // the bias cancels
		if here[0][i], here[1][i] = v, -v; last == 0 {
			here[0][i] = 0
		}
	}
	for k := last - 1; k >= 0; k-- {
		l := &p.layers[k]
		clear(below[0][:l.in])
		clear(below[1][:l.in])
		for j := range l.out {
			s, t := here[0][j], here[1][j]
			if l.relu && (s != 0 || t != 0) {
				var c float64
				o := w.openPair(k, j, a, b, group)
				s, t, c = o.relax(s, t, differences)
				base += c
				if w.Shown && o.open() {
					w.shown[a] = append(w.shown[a], JointSlope{k, j, s, t})
				}
			}
			if s == 0 && t == 0 {
				continue
			}
			row := l.forward[j*(1+l.in):][:1+l.in]
			base += (s + t) * row[0]
			if k == 0 { // the lanes share the inputs, except those in apart
				sum := s + t
				for i, v := range row[1:] {
					below[0][i] += sum * v
				}
				for _, i := range w.apartInputs {
					below[1][i] += t * row[1+i]
				}
				continue
			}
			for i, v := range row[1:] {
				below[0][i] += s * v
				below[1][i] += t * v
			}
		}
		here, below = below, here
	}
	for _, i := range w.apartInputs {
		x, y := here[0][i]-here[1][i], here[1][i]
		centre, radius := w.Centre(int(i)), w.HalfWidth(int(i))
		base += x*centre[a] + math.Abs(x)*radius[a] + y*centre[b] + math.Abs(y)*radius[b]
		here[0][i] = 0
	}
	for i, v := range here[0][:p.inputs] {
		w.row(w.pairs, 1+i)[a] = v
	}
	return base + 16*p.Error()
}

// A JointSlope is a neuron's part of a form of Pairs: with its values x in lane a and y in lane b, it adds
// at most Own·x + Other·y and a constant to the difference of the logits.
type JointSlope struct {
	Layer, Neuron int
	Own, Other    float64
}

// JointSlopes returns the slopes of the last form in column lane of Pairs. Shown must be set.
func (w *Workspace) JointSlopes(lane int) []JointSlope { return w.shown[lane] }

// Joint bounds two lanes' logits f(a) and f(b) by three forms: Pair's, and each lane's own. It is
// valid until the next call of Joint or Bound.
type Joint struct {
	w    *Workspace
	a, b int
	// Upper bounds of f(a) − f(b) and f(a), and a lower bound of f(b): their values at the centre
	// of the box and, by input, their changes from there to its upper end.
	apart, high, low    float64
	aparts, highs, lows []float64
}

// Joint computes Pair's form and gathers the lanes' own. If differences is set, the form bounds neurons' differences by
// those of their arguments, which may be narrower for large boxes.
func (w *Workspace) Joint(a, b, group int, differences bool) *Joint {
	j, n, form := &w.joint, w.Lanes(), w.Logit()
	j.w, j.a, j.b = w, a, b
	j.apart, j.high, j.low = w.pairForm(a, b, group, differences), form.Base[a]+w.slack[a], form.Base[b]-w.slack[b]
	j.aparts, j.highs, j.lows = j.aparts[:0], j.highs[:0], j.lows[:0]
	for i := range w.p.inputs {
		a, b := (1+i)*n+a, (1+i)*n+b
		d, h, l := w.pairs[a], form.slopes[a], form.slopes[b]
		j.apart, j.high, j.low = j.apart+d*w.centre[a], j.high+h*w.centre[a], j.low+l*w.centre[b]
		j.aparts, j.highs, j.lows = append(j.aparts, d*w.radius[a]), append(j.highs, h*w.radius[a]), append(j.lows, l*w.radius[b])
	}
	return j
}

// Most bounds up·f(a) − down·f(b) from above at the same point of the box, for up and down from 0 to 1, rounding included.
//
// With both = min(up, down), it is both·(f(a) − f(b)) and the rest of one lane's form. The constant of Pair's form includes
// its rounding; the lane's form is off by at most E. The three sums here have a term per input with three roundings each,
// of magnitudes that add up to less than 8T: their errors are below 12 E. 16 E are added.
func (j *Joint) Most(up, down float64) float64 {
	both := min(up, down)
	up, down = up-both, down-both
	most := both*j.apart + up*j.high - down*j.low
	for i, v := range j.aparts {
		most += math.Abs(both*v + up*j.highs[i] - down*j.lows[i])
	}
	return most + 16*j.w.p.Error()
}

// Form replaces column a of Pairs by the form of Most's bound, in the inputs that the
// lanes share.
func (j *Joint) Form(up, down float64) {
	both, form, n := min(up, down), j.w.Logit(), j.w.Lanes()
	for i := range j.w.p.inputs {
		a, b := (1+i)*n+j.a, (1+i)*n+j.b
		j.w.pairs[a] = both*j.w.pairs[a] + (up-both)*form.slopes[a] - (down-both)*form.slopes[b]
	}
}

// Pairs returns the forms that Pair and Joint left, without their constants.
func (w *Workspace) Pairs() Form {
	n := w.Lanes()
	return Form{slopes: w.pairs, stride: n, length: n, Base: w.zeros}
}

func (w *Workspace) preparePairs() {
	if w.pairs != nil {
		return
	}
	w.pairs = make([]float64, (1+w.p.inputs)*w.Lanes())
	for i := range w.pair {
		w.pair[i] = make([]float64, w.p.widest)
	}
	w.shown = make([][]JointSlope, w.Lanes())
}

// keepDifferences stores the differences of layer k's neurons for openPair.
func (w *Workspace) keepDifferences(k int) {
	s := &w.stages[k]
	if s.apartMid == nil {
		s.apartMid, s.apartRad = make([]float64, len(s.mid)), make([]float64, len(s.mid))
	}
	copy(s.apartMid, w.nextMid)
	copy(s.apartRad, w.nextRad)
}

// openPair bounds a neuron's values x and y in two lanes: x from la to ua, y from lb to
// ub, y − x from dl to du.
type openPair struct{ la, ua, lb, ub, dl, du float64 }

func (w *Workspace) openPair(k, j, a, b, group int) openPair {
	s, n, e := &w.stages[k], w.Lanes(), w.p.errs[k][j]
	of := func(lane int) (lo, hi float64) {
		mid, rad := s.mid[j*n+lane], s.rad[j*n+lane]+e
		return mid - rad, mid + rad
	}
	var o openPair
	o.la, o.ua = of(a)
	o.lb, o.ub = of(b)
	mid, rad := 0.0, 4*e
	if a%group != 0 {
		mid, rad = mid-s.apartMid[j*n+a], rad+s.apartRad[j*n+a]+4*e
	}
	if b%group != 0 {
		mid, rad = mid+s.apartMid[j*n+b], rad+s.apartRad[j*n+b]+4*e
	}
	o.dl, o.du = max(mid-rad, o.lb-o.ua), min(mid+rad, o.ub-o.la)
	return o
}

// open reports whether the sign of x or of y is open.
func (o *openPair) open() bool { return o.la < 0 && o.ua > 0 || o.lb < 0 && o.ub > 0 }

// relax bounds α·max(0, x) + β·max(0, y) from above by s·x + t·y + c, with |s| + |t| at most |α| + |β|.
// It tries several pairs of slopes and takes the one with the least bound at the centre. If differences
// is set, it takes the second pair, unless c would then be too large for the rounding.
func (o *openPair) relax(alpha, beta float64, differences bool) (s, t, c float64) {
	s, c = above(alpha, o.la, o.ua)
	t, other := above(beta, o.lb, o.ub)
	if c += other; !o.open() {
		return s, t, c
	}
	x, y := (o.la+o.ua)/2, (o.lb+o.ub)/2
	least := c + s*x + t*y
	try := func(sx, ty float64) {
		if math.Abs(sx)+math.Abs(ty) > math.Abs(alpha)+math.Abs(beta) {
			return
		}
		if cxy := o.most(alpha, beta, sx, ty); cxy+sx*x+ty*y < least {
			s, t, c, least = sx, ty, cxy, cxy+sx*x+ty*y
		}
	}
	// max(0, x) by its chord's slope, and max(0, y) − max(0, x) by a share of y − x.
	share := min(max(o.du, 0)/max(o.du-o.dl, tiniest), 1)
	if o.dl >= 0 {
		share = 1
	}
	if beta < 0 && o.dl < 0 && o.du > 0 {
		share = 1 - share
	}
	chord := max(o.ua, 0) / max(max(o.ua, 0)-min(o.la, 0), tiniest)
	sx, ty := (alpha+beta)*chord-beta*share, beta*share
	if differences {
		size, c2 := math.Abs(alpha)+math.Abs(beta), o.most(alpha, beta, sx, ty)
		if math.Abs(sx)+math.Abs(ty) <= size && math.Abs(c2) <= 2*size*max(-o.la, o.ua, -o.lb, o.ub) {
			return sx, ty, c2
		}
		return s, t, c
	}
	try(sx, ty)
	// The chord of the sum if y − x is at the middle of its interval.
	if d := (o.dl + o.du) / 2; o.ua > o.la {
		at := func(x float64) float64 { return alpha*max(x, 0) + beta*max(x+d, 0) }
		try((at(o.ua)-at(o.la))/(o.ua-o.la), 0)
	}
	return s, t, c
}

// above bounds α·max(0, x) from above by s·x + c, for x from l to u.
func above(alpha, l, u float64) (s, c float64) {
	switch {
	case l >= 0:
		return alpha, 0
	case u <= 0:
		return 0, 0
	}
	slope := u / (u - l)
	switch {
	case alpha > 0:
		return alpha * slope, alpha * max(-slope*l, (1-slope)*u) * (1 + 0x1p-50)
	case slope > 0.5: // α·max(0, x) is at most α·x, and at most 0
		return alpha, 0
	}
	return 0, 0
}

// most returns the maximum of α·max(0, x) + β·max(0, y) − s·x − t·y over the hexagon of x and
// y. The function is linear in each quadrant, so it has its maximum at a corner of the
// hexagon's part of one.
func (o *openPair) most(alpha, beta, s, t float64) float64 {
	most := math.Inf(-1)
	at := func(x, y float64) { most = max(most, alpha*max(x, 0)+beta*max(y, 0)-s*x-t*y) }
	column := func(x float64) {
		lo, hi := max(o.lb, x+o.dl), min(o.ub, x+o.du)
		at(x, lo) // if lo > hi, a point outside the hexagon: the bound stays sound
		at(x, hi)
		if lo < 0 && hi > 0 {
			at(x, 0)
		}
	}
	row := func(y float64) {
		at(max(o.la, y-o.du), y)
		at(min(o.ua, y-o.dl), y)
	}
	column(o.la)
	column(o.ua)
	if o.la < 0 && o.ua > 0 {
		column(0)
	}
	row(o.lb)
	row(o.ub)
	if o.lb < 0 && o.ub > 0 {
		row(0)
	}
	return most + 0x1p-48*(math.Abs(alpha)+math.Abs(beta))*(math.Abs(o.la)+math.Abs(o.ua)+math.Abs(o.lb)+math.Abs(o.ub))
}
