package batch

import "math"

// mostTabled is the number of a layer's neurons, the first ones, that Tables may bound;
// the others keep their lines.
const mostTabled = 128

// leftForm is a lower form without the open neurons whose coefficients were negative, a row of lanes per coefficient.
type leftForm struct {
	rows    []float64 // of the constant and the inputs
	weights []float64 // the coefficients of the tabled neurons of the layers below
}

// leaving is the memory of LeaveOut.
type leaving struct {
	sided
	forms   [][]leftForm // by layer after the first: of its negated tabled neurons; in the last, of the two sides
	noted   [][]float64  // by layer: per tabled neuron, a row of forms × lanes
	first   []int        // by layer: the number of tabled neurons below it
	most    int32        // tabled neurons have an index below it
	weights []float64
}

// LeaveOut computes, after Sides, the forms that Tables need for all lanes: lower forms of both sides and of the negatives
// of open neurons, each without the open neurons whose coefficient in it is negative.
func (w *Workspace) LeaveOut() {
	l := &w.left
	top := len(w.p.layers) - 1
	if l.forms == nil {
		l.forms, l.noted = make([][]leftForm, top+1), make([][]float64, top)
	}
	l.first = append(l.first[:0], 0)
	for k := range top {
		l.first = append(l.first, l.first[k]+len(w.tabled(k)))
	}
	some := max(2, w.forms)
	w.ready(&l.sided, some*w.Lanes())
	for k := 1; k < top; k++ {
		layer, list := &w.p.layers[k], w.tabled(k)
		for from := 0; from < len(list); from += some {
			l.weights = l.weights[:0]
			for _, j := range list[from:min(from+some, len(list))] {
				l.weights = appendNegated(l.weights, layer.forward[int(j)*(1+layer.in):][:1+layer.in])
			}
			w.leave(k, from, l.weights)
		}
	}
	w.leave(top, 0, w.signed)
}

// tabled returns the neurons of layer k that Tables bound in some lane.
func (w *Workspace) tabled(k int) []int32 {
	open := w.stages[k].open
	n := 0
	for n < len(open) && open[n] < w.left.most {
		n++
	}
	return open[:n]
}

// leave computes forms of layer k, the first with index from. Each is given by a bias and
// weights.
func (w *Workspace) leave(k, from int, weights []float64) {
	l, n := &w.left, w.Lanes()
	w.pass(&l.sided, k, weights, w.without)
	forms := len(weights) / (1 + w.p.layers[k].in)
	for len(l.forms[k]) < from+forms {
		l.forms[k] = append(l.forms[k], leftForm{})
	}
	for f := range forms {
		to := &l.forms[k][from+f]
		to.rows = append(to.rows[:0], l.base[f*n:][:n]...)
		for i := range w.p.inputs {
			to.rows = append(to.rows, l.form[((1+i)*forms+f)*n:][:n]...)
		}
		to.weights = to.weights[:0]
		for m := range k {
			for i := range w.tabled(m) {
				to.weights = append(to.weights, l.noted[m][(i*forms+f)*n:][:n]...)
			}
		}
	}
}

// without records the coefficients of tabled neurons and clears the negative ones of open neurons.
func (w *Workspace) without(m int, a *splitting) {
	s, n := &w.stages[m], w.Lanes()
	if a.weights != nil {
		for _, j := range s.active {
			for f := range a.forms {
				fill(vector(at(a.rows, int(j)*a.stride+8*f*n), w.octets), *at(a.weights, f*a.weightStride+8*int(j)))
			}
		}
		a.weights = nil
	}
	noted := w.left.noted[m][:0]
	for _, j := range w.tabled(m) {
		row, half := vector(at(a.rows, int(j)*a.stride), a.forms*w.octets), w.row(s.half, int(j))
		noted = append(noted, row...)
		for f := range a.forms {
			for v, h := range half {
				if c := &row[f*n+v]; *c < 0 && h > 0 {
					*c = 0
				}
			}
		}
	}
	w.left.noted[m] = noted
}

// Tables bounds the logits of one box's lanes by sums of functions, if the box's points form a lattice. The features that
// vary are divided into groups. A function is a table with a number for each of a group's points.
//
// For y = Σ y_G, a sum of functions of groups with its constant in one of them, and any κ_G that add up to 0,
//
//	max(0, y) ≤ Σ max(0, y_G − κ_G),
//
// since max(0, ·) is subadditive. The sum has the least mean if each κ_G is the quantile of y_G at one level for all
// groups. It is then the mean of max(0, y) for features that rise and fall together, the worst dependence. The code
// approximates this κ_G by a mean and a share of standard deviations.
//
// The upper line of a ReLU, through both ends of the neuron's range, is nearly farthest from the ReLU where most points
// lie. So a side replaces the line by such a sum for each open neuron with a negative coefficient, in every layer, since y
// is bounded from above by tables, too. Other neurons keep their lower lines, 0 or y.
//
// A Tables serves one goroutine, with its Workspace.
type Tables struct {
	w      *Workspace
	lanes  int // per box
	box    int
	at     []int     // by group: where its points begin in a row; at the end, a row's length
	shares []float64 // by group: one over its length in a row
	inputs [][]int32 // by group: the rows of its features
	varies []bool    // by input
	// rows has three parts: a row per input with its values at the points of its group; a row per input with its largest
	// distance from these values; and a row per tabled neuron with its ReLU in the current lane.
	rows []float64
	open []int32 // tabled neurons that are open in the current lane, numbered through all layers
	// Forms that are evaluated together: their coefficients of rows, values and constants.
	coefs, out []float64
	rests      []float64
	list       []int32   // the rows of a product
	some       []int32   // a layer's neurons that are open in the current lane
	means      []float64 // means and standard deviations of a form, by group
	spreads    []float64
	sides      [2]tabledSide
}

// tabledSide holds a side's lower bounds: per lane a constant and a row.
type tabledSide struct {
	rows, rests []float64
	means       []float64 // of the bounds, by lane
	err         float64   // how far the bounds may be from sound ones
	parts       []float64 // means by lane and group
	// Approximate mean and standard deviation of the side's form of Workspace.Sides, by
	// lane.
	middles, spreads []float64
}

// together is the largest number of forms that are evaluated in one product; it fixes the
// size of coefs and out.
const together = 16

// NewTables returns Tables for boxes of the given number of lanes.
func (w *Workspace) NewTables(lanes int) *Tables {
	t := &Tables{w: w, lanes: lanes, varies: make([]bool, w.p.inputs), rests: make([]float64, together)}
	for side := range t.sides {
		s := &t.sides[side]
		s.rests, s.means, s.middles, s.spreads = make([]float64, lanes), make([]float64, lanes), make([]float64, lanes), make([]float64, lanes)
	}
	return t
}

// Shape begins a box, after LeaveOut. sizes has the number of points of each group. There is at least one group, and each
// has at least one point and a feature.
func (t *Tables) Shape(sizes []int) {
	t.at, t.shares = append(t.at[:0], 0), t.shares[:0]
	width := 0
	for g, size := range sizes {
		wide := (size + 7) &^ 7
		width += wide
		t.at, t.shares = append(t.at, width), append(t.shares, 1/float64(wide))
		if len(t.inputs) == g {
			t.inputs = append(t.inputs, nil)
		}
		t.inputs[g] = t.inputs[g][:0]
	}
	clear(t.varies)
	t.rows = grown(t.rows, t.height()*width)
	t.coefs, t.out = grown(t.coefs, together*t.height()), grown(t.out, together*width)
	t.means, t.spreads = grown(t.means, len(sizes)), grown(t.spreads, len(sizes))
}

// height returns the number of rows: two per input, and one per tabled neuron.
func (t *Tables) height() int {
	first := t.w.left.first
	return t.relu(first[len(first)-1])
}

// relu returns the index in rows of a tabled neuron's ReLU.
func (t *Tables) relu(neuron int) int { return 2*t.w.p.inputs + neuron }

// grown returns n numbers, in row's memory if that suffices.
func grown(row []float64, n int) []float64 {
	if cap(row) < n {
		return make([]float64, n+n/2)[:n]
	}
	return row[:n]
}

// Width returns the length of a row in numbers, a multiple of eight.
func (t *Tables) Width() int { return t.at[len(t.at)-1] }

// Point returns where a group's points begin in a row.
func (t *Tables) Point(group int) int { return t.at[group] }

// part returns the numbers of a row that belong to a group.
func (t *Tables) part(row, group int) []float64 {
	return t.rows[row*t.Width():][t.at[group]:t.at[group+1]]
}

// Feature returns the row of an input's values at each point of its group. The caller fills it in, and repeats the last
// point up to a whole octet. If wide is set, the caller also fills in away: how far the input may be from these values.
func (t *Tables) Feature(input, group int, wide bool) (row, away []float64) {
	t.varies[input] = true
	t.inputs[group] = append(t.inputs[group], int32(input))
	if wide {
		t.inputs[group] = append(t.inputs[group], int32(t.w.p.inputs+input))
		away = t.part(t.w.p.inputs+input, group)
	}
	return t.part(input, group), away
}

// Bound bounds both sides of the logit from below in all lanes of box b, after Look and after all features are filled
// in. It uses tables, or a side's form of Workspace.Sides if that promises more points above the number beyond.
func (t *Tables) Bound(b int, beyond float64) {
	w, n := t.w, t.w.Lanes()
	t.box = b
	top := w.left.forms[len(w.p.layers)-1]
	tables := [2]float64{math.Inf(1), math.Inf(1)} // in standard deviations, as Outlook returns them
	for z := range t.lanes {
		t.open = t.open[:0]
		for m, first := range w.left.first[:len(w.left.first)-1] {
			t.some = t.some[:0]
			for i, j := range w.tabled(m) {
				if w.stages[m].half[int(j)*n+b*t.lanes+z] > 0 {
					t.some = append(t.some, int32(i))
				}
			}
			for from := 0; from < len(t.some); from += together {
				t.uppers(m, z, t.some[from:min(from+together, len(t.some))])
			}
			for _, i := range t.some {
				t.open = append(t.open, int32(first)+i)
			}
		}
		for side := range t.sides {
			t.left(side, &top[side], z)
		}
		t.work(len(t.sides), true)
		for side := range t.sides {
			mean, variance := t.put(side, z, side)
			tables[side] = min(tables[side], (mean-beyond-w.p.tables)/math.Sqrt(variance+tiniest))
			t.sides[side].err = w.p.tables
		}
	}
	for side, of := range tables {
		if lines, _ := t.Outlook(side, beyond); lines > of {
			t.lines(side)
		}
	}
}

// lines bounds a side by its form of Workspace.Sides.
func (t *Tables) lines(side int) {
	form := t.w.Side(side)
	t.sides[side].err = 4 * t.w.p.Error()
	for z := range t.lanes {
		v, coefs := t.box*t.lanes+z, t.row(0)
		for i := range t.varies {
			coefs[i] = form.Slope(i)[v]
		}
		t.constant(0, form.Base[v], z)
		t.work(1, false)
		t.put(0, z, side)
	}
}

// uppers bounds from above, in lane z, the ReLUs of the listed tabled neurons of layer
// m.
func (t *Tables) uppers(m, z int, some []int32) {
	w, l := t.w, &t.w.p.layers[m]
	for q, i := range some {
		if m > 0 {
			t.left(q, &w.left.forms[m][i], z)
			continue
		}
		row := l.forward[int(w.stages[0].open[i])*(1+l.in):][:1+l.in]
		coefs := t.row(q)
		for i, c := range row[1:] {
			coefs[i] = -c
		}
		t.constant(q, -row[0], z)
	}
	t.work(len(some), true)
	for q, i := range some {
		mean, _ := t.moments(q)
		sum, spread := -t.rests[q]-mean, 0.0 // of y
		for _, s := range t.spreads {
			spread += s
		}
		out := t.rows[t.relu(w.left.first[m]+int(i))*t.Width():]
		for g, from := range t.at[:len(t.at)-1] {
			share := 1 / float64(len(t.means))
			if spread > 0 {
				share = t.spreads[g] / spread
			}
			w.shifting = shifting{dst: &out[from], src: &t.out[q*t.Width()+from], shift: -t.means[g] - share*sum, octets: (t.at[g+1] - from) / 8}
			w.p.hinge(&w.shifting)
		}
	}
}

// row returns form q's coefficients of rows.
func (t *Tables) row(q int) []float64 { return t.coefs[q*t.height():][:t.height()] }

// left sets form q to one of LeaveOut's, together with the open neurons that were left out of it.
func (t *Tables) left(q int, f *leftForm, z int) {
	n, v, coefs := t.w.Lanes(), t.box*t.lanes+z, t.row(q)
	for i := range t.varies {
		coefs[i] = f.rows[(1+i)*n+v]
	}
	for _, e := range t.open {
		coefs[t.relu(int(e))] = min(f.weights[int(e)*n+v], 0)
	}
	t.constant(q, f.rows[v], z)
}

// constant sets form q's constant to rest plus the least contribution of the inputs that do not vary. It also sets
// the coefficients of the inputs' distances from their values.
func (t *Tables) constant(q int, rest float64, z int) {
	coefs, inputs, v := t.row(q), t.w.p.inputs, t.box*t.lanes+z
	for i, varies := range t.varies {
		c := coefs[i]
		coefs[inputs+i] = -math.Abs(c)
		if !varies {
			rest += c*t.w.Centre(i)[v] - math.Abs(c)*t.w.HalfWidth(i)[v]
		}
	}
	t.rests[q] = rest
}

// work evaluates forms 0 to forms−1, which coefs holds, at every point. If neurons is set,
// the sums include the ReLUs of the neurons in open.
func (t *Tables) work(forms int, neurons bool) {
	a, stride := &t.w.product, 8*t.Width()
	for g, from := range t.at[:len(t.at)-1] {
		t.list = append(t.list[:0], t.inputs[g]...)
		if neurons {
			for _, e := range t.open {
				t.list = append(t.list, int32(t.relu(int(e))))
			}
		}
		*a = product{
			out: &t.out[from], outStride: stride, coefs: &t.coefs[0], coefStride: 8 * t.height(), outputs: forms,
			octets: (t.at[g+1] - from) / 8, rows: &t.rows[from], stride: stride, list: &t.list[0], n: len(t.list),
		}
		t.w.p.product(a)
	}
}

// moments estimates the means and standard deviations of form q's groups, and returns the
// mean and variance of their sum.
func (t *Tables) moments(q int) (mean, variance float64) {
	row := t.out[q*t.Width():]
	for g, from := range t.at[:len(t.at)-1] {
		m, v := t.moment(row[from:t.at[g+1]], t.shares[g])
		t.means[g], t.spreads[g] = m, math.Sqrt(v)
		mean, variance = mean+m, variance+v
	}
	return mean, variance
}

// moment estimates the mean and the variance of a row; share is one over its length.
func (t *Tables) moment(row []float64, share float64) (mean, variance float64) {
	a := &t.w.moment
	a.src, a.octets = &row[0], len(row)/8
	t.w.p.moment(a)
	mean = total(&a.sum) * share
	return mean, max(0, total(&a.squares)*share-mean*mean)
}

// total returns the sum of the partial sums of the loop moment.
func total(s *[8]float64) float64 {
	return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
}

// Outlook estimates by how many standard deviations the mean of a side over Look's box exceeds a number, in the lane
// where that is least. The first result is for the side's lower bound, its own form of Workspace.Sides; the second is for
// its upper bound, which the other side's form gives. LeaveOut need not have been called.
func (t *Tables) Outlook(side int, number float64) (below, above float64) {
	below, above = math.Inf(1), math.Inf(1)
	own, other := &t.sides[side], &t.sides[1-side]
	for z, mean := range own.middles {
		below = min(below, (mean-number)/own.spreads[z])
		above = min(above, (-other.middles[z]-number)/other.spreads[z])
	}
	return below, above
}

// Look estimates the means and the standard deviations of both sides' forms over box b, after Sides.
func (t *Tables) Look(b int) {
	from, to := b*t.lanes, (b+1)*t.lanes
	for side := range t.sides {
		s, form := &t.sides[side], t.w.Side(side)
		copy(s.middles, form.Base[from:to])
		fill(s.spreads, tiniest)
		for i := range t.varies {
			centre, radius := t.w.Centre(i)[from:to], t.w.HalfWidth(i)[from:to]
			for z, c := range form.Slope(i)[from:to] {
				s.middles[z] += c * centre[z]
				r := c * radius[z]
				s.spreads[z] += r * r
			}
		}
		for z, v := range s.spreads {
			s.spreads[z] = math.Sqrt(v / 3)
		}
	}
}

// put stores form q as a side's bound in lane z, and returns its mean and variance.
func (t *Tables) put(q, z, side int) (mean, variance float64) {
	s := &t.sides[side]
	s.rows, s.parts = grown(s.rows, t.lanes*t.Width()), grown(s.parts, t.lanes*len(t.means))
	mean, variance = t.moments(q)
	mean += t.rests[q]
	s.rests[z], s.means[z] = t.rests[q], mean
	copy(s.rows[z*t.Width():], t.out[q*t.Width():][:t.Width()])
	copy(s.parts[z*len(t.means):], t.means)
	return mean, variance
}

// Mean estimates, after Bound, the mean of a side's lower bound over the box's points in a
// lane.
func (t *Tables) Mean(side, z int) float64 { return t.sides[side].means[z] }

// Error bounds the rounding of a side's bounds and of sums over them.
func (t *Tables) Error(side int) float64 { return t.sides[side].err }

// Lowest writes a row to out that, with the constant rest, bounds a side from below in all lanes that among marks; nil
// marks all. In each group the row is the least of the lanes' tables, each shifted so that the difference of two lanes'
// means is shared equally among the groups.
func (t *Tables) Lowest(side int, among []bool, out []float64) (rest float64) {
	s, groups, lowest := &t.sides[side], len(t.means), -1
	for z, m := range s.means {
		if (among == nil || among[z]) && (lowest < 0 || m < s.means[lowest]) {
			lowest = z
		}
	}
	copy(out, s.rows[lowest*t.Width():][:t.Width()])
	for z, m := range s.means {
		if z == lowest || among != nil && !among[z] {
			continue
		}
		apart := (m - s.means[lowest]) / float64(groups)
		for g, from := range t.at[:groups] {
			a := &t.w.shifting
			*a = shifting{
				dst: &out[from], src: &s.rows[z*t.Width()+from], octets: (t.at[g+1] - from) / 8,
				shift: s.parts[lowest*groups+g] - s.parts[z*groups+g] + apart,
			}
			t.w.p.lowest(a)
		}
	}
	return s.rests[lowest]
}

// Pull writes to out how much each input moves the first layer's open neurons over box b, weighted by side 0's
// coefficients. It is called after Sides.
func (t *Tables) Pull(b int, out []float64) {
	w := t.w
	n, v, l := w.Lanes(), b*t.lanes, &w.p.layers[0]
	clear(out)
	if len(w.p.layers) == 1 {
		return
	}
	for i, j := range w.stages[0].open {
		if w.stages[0].half[int(j)*n+v] == 0 {
			continue
		}
		c := math.Abs(w.weighed[i*n+v])
		for i, m := range l.magnitude[int(j)*(1+l.in)+1:][:l.in] {
			out[i] += c * m
		}
	}
	for i := range out {
		out[i] *= w.radius[(1+i)*n+v]
	}
}
