package batch

// Workspace is the memory of one goroutine, for a number of lanes. The caller
// fills in the boxes with Centre and HalfWidth and calls Bound; the results hold
// until the next call. All rows are Lanes() numbers long.
type Workspace struct {
	p      *Plan
	octets int
	forms  int // number of forms that are substituted together

	// Intervals bounds the hidden neurons after the first layer by interval arithmetic, too; the
	// enclosures then do not follow from the forms alone. Bound unsets it if it made fewer than one
	// in 64 of them narrower.
	Intervals bool
	// Sharpens bounds again, from both sides, the neurons that trimmed bounds leave open. Set by
	// default.
	Sharpens bool

	centre, radius []float64 // a row for the constant 1 and one per input
	moving         []int32   // inputs with a radius, counted from 1
	all            []int32   // 0, 1, 2, …

	stages []reached
	flags  []uint8

	rows        [2][]float64 // forms' coefficients, read and written in turn
	base, slack []float64
	mid, rad    []float64
	slopes      int // which of rows holds the logit's coefficients

	// For SplitWidths: rows of a layer's neurons.
	slackOf, carried, below []float64
	cut, cuts, halved       []float64
	inputList               []int32

	// For Align: the rows of CommonSlope, and a row of zeros.
	common, zeros []float64

	// For Differences: a layer's inputs and outputs.
	apart            []int32
	diffMid, diffRad []float64
	nextMid, nextRad []float64

	// For Pair: the coefficients of two lanes' neurons, read and written in turn; the forms;
	// and the inputs in which a run's lanes differ.
	pair        [4][]float64
	pairs       []float64
	apartInputs []int32
	joint       Joint
	// Shown makes Pair record the slopes that a certificate shows to its checker; shown
	// has them by lane.
	Shown bool
	shown [][]JointSlope

	// For Sides: its memory; the last layer's bias and weights, then their negatives.
	sides   sided
	signed  []float64
	weighed []float64 // side 0's coefficients of the first layer's open neurons, a row for each

	few        *few // nil if bounds hold for all points
	left       leaving
	moment     moment
	shifting   shifting
	product    product
	splitting  splitting
	relaxation relaxation
	enclosure  enclosure
	spreading  spreading
	strip      strip
	halving    halving
	alignment  alignment
}

// reached holds the bounds of a layer's neurons: rows of lanes.
type reached struct {
	slope, half, mid, rad []float64
	apartMid, apartRad    []float64 // of differences
	active, open          []int32   // neurons that have λ > 0, or need a strip, in some lane
}

// NewWorkspace allocates memory for a number of lanes, rounded up to whole octets.
func (p *Plan) NewWorkspace(lanes int) *Workspace {
	w := &Workspace{p: p, Sharpens: true, octets: max(1, (lanes+7)/8), left: leaving{most: mostTabled}}
	n := w.Lanes()
	w.forms = max(1, min(p.widest, 256/n))
	w.centre, w.radius = make([]float64, (1+p.inputs)*n), make([]float64, (1+p.inputs)*n)
	fill(w.centre[:n], 1)
	for i := range max(p.inputs, p.widest) + 1 {
		w.all = append(w.all, int32(i))
	}
	for i := range p.layers {
		rows := p.layers[i].out * n
		w.stages = append(w.stages, reached{slope: make([]float64, rows), half: make([]float64, rows), mid: make([]float64, rows), rad: make([]float64, rows)})
	}
	w.flags = make([]uint8, p.widest)
	for i := range w.rows {
		w.rows[i] = make([]float64, (1+p.widest)*w.forms*n)
	}
	w.base, w.slack = make([]float64, w.forms*n), make([]float64, w.forms*n)
	w.mid, w.rad = make([]float64, p.widest*n), make([]float64, p.widest*n)
	w.slackOf, w.carried, w.below = make([]float64, p.widest*n), make([]float64, p.widest*n), make([]float64, p.widest*n)
	w.common, w.zeros = make([]float64, (1+p.inputs)*n), make([]float64, n)
	w.cut, w.cuts, w.halved = make([]float64, (1+p.inputs)*n), make([]float64, p.widest*n), make([]float64, n)
	return w
}

// Lanes returns the number of lanes, a multiple of eight.
func (w *Workspace) Lanes() int { return 8 * w.octets }

// Centre returns the row of input i's centres. In lane v the box is centre ± half-width,
// which must lie in the plan's root box, up to rounding.
func (w *Workspace) Centre(i int) []float64 { return w.row(w.centre, 1+i) }

// HalfWidth returns the row of input i's half-widths. The caller fills it in, as with
// Centre.
func (w *Workspace) HalfWidth(i int) []float64 { return w.row(w.radius, 1+i) }

// Form holds a linear form of the inputs for each lane.
type Form struct {
	slopes         []float64
	stride, length int // of its rows
	// Base is the row of constants, a number per lane.
	Base []float64
}

// Slope returns the row of coefficients of input i, a number per lane.
func (f *Form) Slope(i int) []float64 {
	from := (1 + i) * f.stride
	return f.slopes[from : from+f.length : from+f.length]
}

// Logit returns the logit's form. The logit is within Slack and the plan's Error of it.
func (w *Workspace) Logit() Form {
	n := w.Lanes()
	return Form{slopes: w.rows[w.slopes], stride: n, length: n, Base: w.base[:n]}
}

// Slack returns the row of the logit's largest distances from its form, to which the
// plan's Error is to be added.
func (w *Workspace) Slack() []float64 { return w.slack[:w.Lanes()] }

// Mid returns the row of the centres of the logit's enclosure, mid ± (rad + Error).
func (w *Workspace) Mid() []float64 { return w.mid[:w.Lanes()] }

// Rad returns the row of the radii of the logit's enclosure: see Mid.
func (w *Workspace) Rad() []float64 { return w.rad[:w.Lanes()] }

// Neuron returns the enclosure of a hidden neuron's value before its activation, in every
// lane: mid ± (rad + err).
func (w *Workspace) Neuron(layer, neuron int) (mid, rad []float64, err float64) {
	s := &w.stages[layer]
	return w.row(s.mid, neuron), w.row(s.rad, neuron), w.p.errs[layer][neuron]
}

func (w *Workspace) row(rows []float64, i int) []float64 {
	n := w.Lanes()
	return rows[i*n : (i+1)*n : (i+1)*n]
}

// Bound bounds the logit over each lane's box: see Logit, Slack, Mid and Rad. It
// overwrites the results of the previous call.
func (w *Workspace) Bound() {
	w.moving = w.moving[:0]
	for i := range w.p.inputs {
		for _, r := range w.HalfWidth(i) {
			if r != 0 {
				w.moving = append(w.moving, int32(1+i))
				break
			}
		}
	}
	if w.few != nil {
		w.few.begin()
	}
	w.first()
	narrower, of := 0, 0
	for k := 1; k < len(w.p.layers); k++ {
		l := &w.p.layers[k]
		for from := 0; from < l.out; from += w.forms {
			w.back(k, from, min(from+w.forms, l.out))
		}
		if k < len(w.p.layers)-1 {
			if w.curbs(k) {
				copy(w.few.form, w.mid[:l.out*w.Lanes()])
			}
			if w.Intervals {
				narrower, of = narrower+w.narrow(k), of+l.out*w.Lanes()
			}
			if w.Sharpens && w.few != nil && l.relu {
				w.sharpen(k)
			}
			if w.curbs(k) {
				w.curb(k)
			}
			w.relus(k)
		}
	}
	w.Intervals = w.Intervals && narrower >= of/64 && of > 0
}

// first bounds the first layer, whose forms are its weights.
func (w *Workspace) first() {
	l, n := &w.p.layers[0], w.Lanes()
	a := &w.product
	*a = product{
		out: &w.mid[0], outStride: 8 * n, coefs: &l.forward[0], coefStride: 8 * (1 + l.in), outputs: l.out,
		octets: w.octets, rows: &w.centre[0], stride: 8 * n, list: &w.all[0], n: 1 + l.in,
	}
	w.p.product(a)
	a.out, a.coefs, a.rows = &w.rad[0], &l.magnitude[0], &w.radius[0]
	if a.n = len(w.moving); a.n > 0 {
		a.list = &w.moving[0]
	}
	w.p.product(a)
	if len(w.p.layers) == 1 { // the logit: its form as back would leave it
		for i := range 1 + l.in {
			fill(w.row(w.rows[0], i), l.forward[i])
		}
		w.slopes = 0
		fill(w.base[:n], l.forward[0])
		clear(w.slack)
		return
	}
	if w.curbs(0) {
		w.spreadFirst()
		copy(w.few.form, w.mid[:l.out*n])
		w.curb(0)
	}
	w.relus(0)
}

// relus finds the strips of layer k's neurons, whose bounds are in mid and rad.
func (w *Workspace) relus(k int) {
	l, s, n := &w.p.layers[k], &w.stages[k], w.Lanes()
	copy(s.mid, w.mid[:l.out*n])
	copy(s.rad, w.rad[:l.out*n])
	s.active, s.open = s.active[:0], s.open[:0]
	if !l.relu {
		fill(s.slope, 1)
		clear(s.half)
		s.active = append(s.active, w.all[:l.out]...)
		return
	}
	w.strip = strip{
		mid: &w.mid[0], rad: &w.rad[0], err: &w.p.errs[k][0], slope: &s.slope[0], half: &s.half[0],
		flags: &w.flags[0], units: l.out, octets: w.octets,
	}
	w.p.strip(&w.strip)
	for j, f := range w.flags[:l.out] {
		if f&1 != 0 {
			s.active = append(s.active, int32(j))
			if f&2 != 0 {
				s.open = append(s.open, int32(j))
			}
		}
	}
}

// back substitutes the forms of the neurons [from, to) of layer k back to the
// inputs and bounds them.
func (w *Workspace) back(k, from, to int) {
	n, forms := w.Lanes(), to-from
	wide := 8 * n * forms
	l := &w.p.layers[k]
	for j := range forms {
		fill(w.base[j*n:(j+1)*n], l.forward[(from+j)*(1+l.in)])
	}
	clear(w.slack[:forms*n])
	r := &w.relaxation
	*r = relaxation{
		weights: &l.forward[from*(1+l.in)+1], weightStride: 8 * (1 + l.in),
		base: &w.base[0], slack: &w.slack[0], stride: wide, forms: forms, octets: w.octets,
	}
	side := 0
	for m := k - 1; ; m-- {
		// Rows are over layer m's neurons, and begin at row 0.
		s := &w.stages[m]
		list := s.open
		if r.weights != nil {
			list = s.active
		}
		r.rows = &w.rows[side][0]
		if r.weights == nil {
			r.rows = &w.rows[side][forms*n] // after the constant
		}
		if k == len(w.p.layers)-1 {
			w.note(m, r.rows, r.weights)
		}
		if r.n = len(list); r.n > 0 {
			r.list, r.slope, r.half = &list[0], &s.slope[0], &s.half[0]
			w.p.relax(r)
		}
		w.down(m, side, wide, r.weights != nil)
		r.weights = nil
		side = 1 - side
		copy(w.base, w.rows[side][:forms*n])
		if m == 0 {
			break
		}
	}
	e := &w.enclosure
	*e = enclosure{
		rows: &w.rows[side][0], stride: wide, list: &w.all[1], n: w.p.inputs, centre: &w.centre[0], radius: &w.radius[0],
		base: &w.base[0], slack: &w.slack[0], mid: &w.mid[from*n], rad: &w.rad[from*n], forms: forms, octets: w.octets,
	}
	w.p.enclose(e)
	if k < len(w.p.layers)-1 && w.curbs(k) {
		rest := w.few.rest[from*n:]
		copy(rest, w.slack[:forms*n])
		w.spreadOf(e, w.few.spread[from*n:], rest)
	}
	w.slopes = side
}

// down rewrites forms over layer m's neurons as forms over what the layer reads.
func (w *Workspace) down(m, side, wide int, fresh bool) {
	l, s := &w.p.layers[m], &w.stages[m]
	a := &w.product
	*a = product{
		start: &w.base[0], out: &w.rows[1-side][0], outStride: wide, coefs: &l.backward[0], coefStride: 8 * l.out,
		outputs: 1 + l.in, octets: wide / 64, rows: &w.rows[side][0], stride: wide, n: len(s.active),
	}
	if !fresh {
		a.rows = at(a.rows, wide) // after the constant
	}
	if a.list = &w.all[0]; a.n > 0 {
		a.list = &s.active[0]
	}
	w.p.product(a)
}
