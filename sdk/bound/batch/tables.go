package batch

import "math"

// maxTabled is how many neurons of a layer, the first ones, Tables bound; others keep their lines.
const maxTabled = 128

// leftForm is a form, a row of lanes for each coefficient, of which open neurons that were weighed with less than 0 were left out.
type leftForm struct {
	rows    []float64 // the constant and the inputs
	weights []float64 // of tabled neurons of layers below: what they were weighed with
}

// leaving is the memory of LeaveOut.
type leaving struct {
	sided
	forms   [][]leftForm // by layer behind the first: of its tabled neurons, negated; of the last, of the two sides
	noted   [][]float64  // by layer, a row of forms × lanes for each tabled neuron
	first   []int        // by layer: how many tabled neurons those below have
	weights []float64
}

// LeaveOut works out, after Sides, what Tables need of all lanes: lower forms of both sides and of open neurons' negatives, of which all open
// neurons are left out that they weigh with less than 0.
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
				for _, c := range layer.forward[int(j)*(1+layer.in):][:1+layer.in] {
					l.weights = append(l.weights, -c)
				}
			}
			w.leave(k, from, l.weights)
		}
	}
	w.leave(top, 0, w.signed)
}

// tabled are the neurons of a layer that Tables bound in some lane.
func (w *Workspace) tabled(k int) []int32 {
	open := w.stages[k].open
	n := 0
	for n < len(open) && open[n] < maxTabled {
		n++
	}
	return open[:n]
}

// leave works out forms of layer k from one on, each of a bias and weights.
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

// without notes what open neurons are weighed with, and leaves out those that are weighed with less than 0.
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

// Tables bound the logits of one box's lanes by sums of functions, each of a group of the features that vary, where the box is of a
// lattice's points: a function is a table, a number for each of the group's points.
//
// For y = Σ y_G, a sum of functions of groups of features, and any κ_G that add up to 0,
//
//	max(0, y) ≤ Σ max(0, y_G − κ_G),
//
// since max(0, ·) is subadditive. With κ_G at the quantile of y_G that is of the same level in all groups, no such sum has a lesser
// mean, whatever the features' dependence, were they to rise and fall together. The line above a ReLU, through both ends of the neuron's range,
// is nearly at its farthest from it where most points are. So where a side weighs an open neuron with less than 0, it gets such a sum in place
// of the line, be the neuron of any layer: y is bounded from above by tables, too. Neurons weighed with 0 or more keep their lower lines, 0 or y.
//
// A Tables is of use to one goroutine, with its Workspace.
type Tables struct {
	w        *Workspace
	lanes    int // of a box
	box      int
	at       []int     // by group: where its points begin in a row; and how long a row is
	inputs   [][]int32 // by group: rows of features
	features []float64 // a row an input, and behind these one for how far each may be away
	varies   []bool    // by input
	open     [][]int32 // by lane: tabled neurons that are open in it, numbered through all layers
	uppers   []float64 // of tabled neurons' ReLUs, a row for each lane
	coefs    []float64 // by row of features
	weights  []float64 // by tabled neuron
	list     []int32   // of tabled neurons
	row      []float64 // that is worked out, but for a constant
	linear   []float64
	means    []float64 // of the row, by group
	spreads  []float64
	sides    [2]tabledSide
}

// tabledSide is a side's lower bounds: of each lane a constant and a row.
type tabledSide struct {
	rows, rests []float64
	means       []float64 // of the bounds
	parts       []float64 // of groups, by lane
}

// NewTables makes tables of boxes that take so many lanes in turn.
func (w *Workspace) NewTables(lanes int) *Tables {
	t := &Tables{w: w, lanes: lanes, varies: make([]bool, w.p.inputs), open: make([][]int32, lanes), coefs: make([]float64, 2*w.p.inputs)}
	for side := range t.sides {
		t.sides[side].rests, t.sides[side].means = make([]float64, lanes), make([]float64, lanes)
	}
	return t
}

// Shape begins a box, with the number of points of each group.
func (t *Tables) Shape(sizes []int) {
	t.at = append(t.at[:0], 0)
	width := 0
	for g, size := range sizes {
		width += (size + 7) &^ 7
		t.at = append(t.at, width)
		if len(t.inputs) == g {
			t.inputs = append(t.inputs, nil)
		}
		t.inputs[g] = t.inputs[g][:0]
	}
	clear(t.varies)
	t.features = grown(t.features, 2*t.w.p.inputs*width)
	t.row, t.linear = grown(t.row, width), grown(t.linear, width)
	t.means, t.spreads = grown(t.means, len(sizes)), grown(t.spreads, len(sizes))
}

// grown is room for n numbers.
func grown(row []float64, n int) []float64 {
	if cap(row) < n {
		return make([]float64, n+n/2)[:n]
	}
	return row[:n]
}

// Width is how long a row is, in whole octets, and Point where in it a group's points begin.
func (t *Tables) Width() int { return t.at[len(t.at)-1] }

// Point goes with Width.
func (t *Tables) Point(group int) int { return t.at[group] }

// Feature is the row of what an input is at each point of the group that it varies with, for the caller to fill in, with the last
// point repeated up to a whole octet. away is how far it may be from that; nil unless wide, and else to be filled in, too.
func (t *Tables) Feature(input, group int, wide bool) (row, away []float64) {
	t.varies[input] = true
	for i := input; ; i += t.w.p.inputs {
		t.inputs[group] = append(t.inputs[group], int32(i))
		part := t.features[i*t.Width():][t.at[group]:t.at[group+1]]
		if i == input {
			row = part
		} else {
			away = part
		}
		if !wide || i > input {
			return row, away
		}
	}
}

// Bound bounds the open neurons of box b, after LeaveOut and when all features are filled in.
func (t *Tables) Bound(b int) {
	w := t.w
	t.box = b
	first, n := w.left.first, w.Lanes()
	all := first[len(first)-1]
	t.weights, t.uppers = grown(t.weights, all), grown(t.uppers, all*t.lanes*t.Width())
	for z := range t.open {
		t.open[z] = t.open[z][:0]
	}
	for m, from := range first[:len(first)-1] {
		for i, j := range w.tabled(m) {
			for z, h := range w.stages[m].half[int(j)*n+b*t.lanes:][:t.lanes] {
				if h > 0 {
					t.open[z] = append(t.open[z], int32(from+i))
					t.upper(m, i, z)
				}
			}
		}
	}
}

// upper bounds the ReLU of tabled neuron i of layer m in lane z.
func (t *Tables) upper(m, i, z int) {
	w := t.w
	var rest float64
	if m > 0 {
		rest = t.left(m, i, z)
	} else {
		l := &w.p.layers[0]
		row := l.forward[int(w.stages[0].open[i])*(1+l.in):][:1+l.in]
		for i, c := range row[1:] {
			t.coefs[i] = -c
		}
		rest = t.lower(-row[0], nil, 0, z)
	}
	t.moments()
	sum, spread := -rest, 0.0 // of y
	for g, m := range t.means {
		sum, spread = sum-m, spread+t.spreads[g]
	}
	out := t.uppers[((w.left.first[m]+i)*t.lanes+z)*t.Width():]
	for g, m := range t.means {
		share := 1 / float64(len(t.means))
		if spread > 0 {
			share = t.spreads[g] / spread
		}
		from := t.at[g]
		w.hinge = hinge{dst: &out[from], src: &t.row[from], shift: -m - share*sum, octets: (t.at[g+1] - from) / 8}
		w.p.hinge(&w.hinge)
	}
}

// moments works out the means of the row's groups, and the standard deviations, about.
func (t *Tables) moments() (mean, variance float64) {
	for g, from := range t.at[:len(t.at)-1] {
		a := &t.w.moment
		*a = moment{src: &t.row[from], octets: (t.at[g+1] - from) / 8}
		t.w.p.moment(a)
		n := float64(t.at[g+1] - from)
		m := total(&a.sum) / n
		v := max(0, total(&a.squares)/n-m*m)
		t.means[g], t.spreads[g] = m, math.Sqrt(v)
		mean, variance = mean+m, variance+v
	}
	return mean, variance
}

// total is the sum of eight sums.
func total(sums *[8]float64) (sum float64) {
	for _, s := range sums {
		sum += s
	}
	return sum
}

// left puts form i of layer k of LeaveOut into the row, with what bounds those that were left out.
func (t *Tables) left(k, i, z int) (rest float64) {
	f, n, v := &t.w.left.forms[k][i], t.w.Lanes(), t.box*t.lanes+z
	for i := range t.varies {
		t.coefs[i] = f.rows[(1+i)*n+v]
	}
	return t.lower(f.rows[v], f.weights, k, z)
}

// lower puts into the row what has coefs at the inputs and weighs open neurons of the first layers, so many, and returns what is left: with rest,
// the least that inputs that do not vary come to.
func (t *Tables) lower(rest float64, weights []float64, layers, z int) float64 {
	w := t.w
	n, v, inputs := w.Lanes(), t.box*t.lanes+z, w.p.inputs
	for i, c := range t.coefs[:inputs] {
		if t.coefs[inputs+i] = -math.Abs(c); !t.varies[i] {
			rest += c*w.centre[(1+i)*n+v] - math.Abs(c)*w.radius[(1+i)*n+v]
		}
	}
	a, stride := &w.product, 8*t.Width()
	for g, from := range t.at[:len(t.at)-1] {
		list := t.inputs[g]
		*a = product{
			out: &t.row[from], coefs: &t.coefs[0], outputs: 1, octets: (t.at[g+1] - from) / 8,
			rows: &t.features[from], stride: stride, list: &list[0], n: len(list),
		}
		w.p.product(a)
	}
	t.list = t.list[:0]
	for _, e := range t.open[z] {
		if int(e) >= w.left.first[layers] {
			break
		}
		if c := weights[int(e)*n+v]; c < 0 {
			t.weights[e] = c
			t.list = append(t.list, e)
		}
	}
	if len(t.list) > 0 {
		t.row, t.linear = t.linear, t.row
		*a = product{
			start: &t.linear[0], out: &t.row[0], coefs: &t.weights[0], outputs: 1, octets: t.Width() / 8,
			rows: &t.uppers[z*t.Width()], stride: stride * t.lanes, list: &t.list[0], n: len(t.list),
		}
		w.p.product(a)
	}
	return rest
}

// Side bounds a side of the logit from below in all lanes of the box, after Bound: by tables, or by the forms of Sides where
// these promise more points above a number.
func (t *Tables) Side(side int, beyond float64) {
	s, top := &t.sides[side], len(t.w.p.layers)-1
	s.rows = grown(s.rows, t.lanes*t.Width())
	s.parts = grown(s.parts, t.lanes*len(t.means))
	form, v := t.w.Side(side), t.box*t.lanes
	score := func(lines bool) (least float64) {
		least = math.Inf(1)
		for z := range t.lanes {
			var rest float64
			if lines {
				for i := range t.varies {
					t.coefs[i] = form.Slope(i)[v+z]
				}
				rest = t.lower(form.Base[v+z], nil, 0, z)
			} else {
				rest = t.left(top, side, z)
			}
			mean, variance := t.moments()
			s.rests[z], s.means[z] = rest, rest+mean
			copy(s.rows[z*t.Width():], t.row)
			copy(s.parts[z*len(t.means):], t.means)
			least = min(least, (rest+mean-beyond)/math.Sqrt(variance+tiniest))
		}
		return least
	}
	if lines := score(true); score(false) < lines {
		score(true)
	}
}

// Mean is about the mean over the box's points of a side's lower bound in a lane, after Side.
func (t *Tables) Mean(side, z int) float64 { return t.sides[side].means[z] }

// Lowest puts into out what with rest bounds a side from below in all lanes that are among, nil for all: in each group the least of what the
// lanes' tables have there, moved so that their means are as far apart as the bounds' are, a part each.
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
			a := &t.w.lowest
			*a = lowering{
				dst: &out[from], src: &s.rows[z*t.Width()+from], octets: (t.at[g+1] - from) / 8,
				shift: s.parts[lowest*groups+g] - s.parts[z*groups+g] + apart,
			}
			t.w.p.lowest(a)
		}
	}
	return s.rests[lowest]
}

// Pull puts into out, by input, how far open neurons of the first layer, as the first side weighs them, move with it over box b, after Sides.
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
		c := math.Abs(w.weighed[0][2*i*n+v])
		for i, m := range l.magnitude[int(j)*(1+l.in)+1:][:l.in] {
			out[i] += c * m
		}
	}
	for i := range out {
		out[i] *= w.radius[(1+i)*n+v]
	}
}
