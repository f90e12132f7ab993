// Package layers turns the operations of a model file into the dense layers of a network.
package layers

import (
	"cmp"
	"math"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// MaxParameters is the maximum number of weights and biases of one network.
const MaxParameters = 64 << 20

// Builder converts a file's operations on its inputs, step by step, into a network. A value
// of the file is a Form: numbers that are linear in the units of one stage. Operations that are
// linear per unit change the Form, and become part of a layer's weights; a ReLU makes its units
// part of the next stage. An operation on Forms of different stages first lifts them to the later
// one, where x passes through ReLUs as relu(x) − relu(−x).
//
// The conversion is exact in real arithmetic. A product that float64 cannot represent, such as
// that of a weight and a scale, is computed with twice the precision and rounded once.
type Builder struct {
	stages []stage
	left   int // the number of numbers that may still be allocated
}

// stage holds the inputs, or the units of a layer. rows are linear in the units of the previous
// stage; the stage of inputs has no rows.
type stage struct {
	name  string
	units int
	rows  []row
	relu  bool
	// pass maps a unit of the previous stage to the two units here whose difference is its
	// value; the second is −1 if the first alone is.
	pass map[int32][2]int32
}

// row is a number that is linear in the units of a stage: b plus the sum of w[i] times unit at[i].
// With a nil list of units, w[i] belongs to unit i.
type row struct {
	at []int32
	w  []float64
	b  float64
}

// Form holds numbers that are linear in the units of one stage. name is the layer that they come
// from, if any. dense: they are the output of a dense layer, which is kept as a layer.
type Form struct {
	stage int
	rows  []row
	name  string
	dense bool
}

// New returns a builder without inputs.
func New() *Builder { return &Builder{stages: []stage{{}}, left: 2 * MaxParameters} }

// Inputs adds n inputs and returns their places.
func (c *Builder) Inputs(n int) []int32 {
	if c.stages[0].units+n > relu.MaxUnits {
		panic(fault.New("the network has more than %d inputs, the maximum", relu.MaxUnits))
	}
	return c.stages[0].grow(n)
}

// Select returns the form of the inputs at some places.
func (c *Builder) Select(at ...int32) Form { return c.units(0, at...) }

// Constant returns the form of numbers that depend on no input.
func (c *Builder) Constant(values []float64) Form {
	f := Form{rows: c.rows(len(values))}
	for i, v := range values {
		f.rows[i].b = v
	}
	return f
}

// Coded returns numbers that are sums of inputs weighted by values, such as the code of a category
// from its indicator inputs. at holds the inputs of each number.
func (c *Builder) Coded(at [][]int32, values []float64) Form {
	c.Take(2 * len(values) * len(at))
	f := Form{rows: c.rows(len(at))}
	for i := range at {
		f.rows[i] = row{at: at[i], w: values}
	}
	return f
}

// Left is the number of numbers that may still be allocated.
func (c *Builder) Left() int { return c.left }

// Len is the number of numbers of a form.
func (f Form) Len() int { return len(f.rows) }

// Part returns the numbers [from, to).
func (f Form) Part(from, to int) Form {
	return Form{stage: f.stage, name: f.name, dense: f.dense, rows: f.rows[from:to]}
}

// Constants returns the biases of a form: its numbers if it is constant.
func (f Form) Constants() []float64 {
	out := make([]float64, len(f.rows))
	for i := range out {
		out[i] = f.rows[i].b
	}
	return out
}

// Is reports whether f and g have one number each, and f's is sign times g's.
func (f Form) Is(g Form, sign float64) bool {
	if f.stage != g.stage || len(f.rows) != 1 || len(g.rows) != 1 {
		return false
	}
	a, b := &f.rows[0], &g.rows[0]
	if len(a.w) != len(b.w) || a.b != sign*b.b {
		return false
	}
	for k := range a.w {
		if a.unit(k) != b.unit(k) || a.w[k] != sign*b.w[k] {
			return false
		}
	}
	return true
}

// Pick selects numbers of a form by their places.
func (c *Builder) Pick(f Form, at []int) Form {
	c.Take(len(at))
	out := Form{stage: f.stage, name: f.name, dense: f.dense, rows: c.rows(len(at))}
	for i, k := range at {
		out.rows[i] = f.rows[k]
	}
	return out
}

func (c *Builder) last() int { return len(c.stages) - 1 }

// Take counts n numbers against the limit.
func (c *Builder) Take(n int) {
	if n > c.left || n < 0 {
		panic(fault.New("the network has more than %d weights and biases, the maximum", MaxParameters))
	}
	c.left -= n
}

// rows makes n empty rows; each counts as the eight numbers of its memory.
func (c *Builder) rows(n int) []row {
	c.Take(8 * n)
	return make([]row, n)
}

// units returns the form of some units of a stage.
func (c *Builder) units(stage int, at ...int32) Form {
	c.Take(2 * len(at))
	f := Form{stage: stage, rows: c.rows(len(at))}
	ones := []float64{1}
	for i := range at {
		f.rows[i] = row{at: at[i : i+1], w: ones}
	}
	return f
}

func (r *row) unit(k int) int32 {
	if r.at == nil {
		return int32(k)
	}
	return r.at[k]
}

// plain reports whether the row is a single unit, unchanged.
func (r *row) plain() bool { return r.at != nil && len(r.w) == 1 && r.w[0] == 1 && r.b == 0 }

// simple reports whether the rows have few terms, so that a dense layer on the form can be
// composed with them instead of needing a layer for them.
func (f *Form) simple() bool {
	terms := 0
	for i := range f.rows {
		terms += len(f.rows[i].w)
	}
	return terms <= 4*len(f.rows)
}

// constant reports whether no number depends on the inputs.
func (f *Form) constant() bool {
	return !slices.ContainsFunc(f.rows, func(r row) bool { return len(r.w) > 0 })
}

// add appends units to a stage and returns their form.
func (c *Builder) add(stage int, rows []row) Form {
	s := &c.stages[stage]
	if s.units+len(rows) > relu.MaxUnits {
		panic(fault.New("a layer has more than %d units, the maximum", relu.MaxUnits))
	}
	s.rows = append(s.rows, rows...)
	return c.units(stage, s.grow(len(rows))...)
}

// grow adds n units and returns their places.
func (s *stage) grow(n int) []int32 {
	at := make([]int32, n)
	for i := range at {
		at[i] = int32(s.units + i)
	}
	s.units += n
	return at
}

// layer turns a form into units of the next stage, and adds that stage if needed.
func (c *Builder) layer(f Form, withReLU bool) Form {
	if f.stage == c.last() {
		c.stages = append(c.stages, stage{name: f.name, relu: withReLU, pass: map[int32][2]int32{}})
	}
	next := &c.stages[f.stage+1]
	switch {
	case next.relu == withReLU:
		if next.name == "" {
			next.name = f.name
		}
		return c.add(f.stage+1, f.rows)
	case withReLU:
		return c.layer(c.lift(f), true)
	}
	return c.lift(f)
}

// ReLU is max(0, x).
func (c *Builder) ReLU(f Form) Form { return c.layer(f, true) }

// solid returns a form whose numbers are multiples of single units, without biases.
func (c *Builder) solid(f Form) Form {
	for i := range f.rows {
		if len(f.rows[i].w) > 1 || f.rows[i].b != 0 {
			return c.layer(f, false)
		}
	}
	return f
}

// lift expresses the form in the units of the next stage, which must exist.
func (c *Builder) lift(f Form) Form {
	next := &c.stages[f.stage+1]
	out := Form{stage: f.stage + 1, rows: c.rows(len(f.rows)), name: f.name}
	for i := range f.rows {
		r := &f.rows[i]
		if len(r.w) == 0 {
			out.rows[i] = *r
			continue
		}
		if len(r.w) > 1 { // make a unit of the sum
			p := c.pair(f.stage+1, row{at: r.at, w: r.w, b: r.b}, false)
			out.rows[i] = passed(p, 1, 0)
			continue
		}
		u := r.unit(0)
		p, ok := next.pass[u]
		if !ok {
			p = c.pair(f.stage+1, row{at: []int32{u}, w: []float64{1}}, c.stages[f.stage].relu)
			c.stages[f.stage+1].pass[u] = p
		}
		out.rows[i] = passed(p, r.w[0], r.b)
	}
	c.Take(4 * len(out.rows))
	return out
}

// pair adds units to the stage so that r is the difference of two of them, or equal to one unit;
// then the second index is −1.
func (c *Builder) pair(stage int, r row, positive bool) [2]int32 {
	if positive || !c.stages[stage].relu {
		return [2]int32{c.add(stage, []row{r}).rows[0].at[0], -1}
	}
	f := c.add(stage, []row{r, c.times(r, -1, 0)})
	return [2]int32{f.rows[0].at[0], f.rows[1].at[0]}
}

func passed(p [2]int32, w, b float64) row {
	if p[1] < 0 {
		return row{at: []int32{p[0]}, w: []float64{w}, b: b}
	}
	return row{at: []int32{p[0], p[1]}, w: []float64{w, -w}, b: b}
}

// meet lifts forms to the latest of their stages.
func (c *Builder) meet(forms ...*Form) {
	to := 0
	for _, f := range forms {
		to = max(to, f.stage)
	}
	for _, f := range forms {
		for f.stage < to {
			*f = c.lift(*f)
		}
	}
}

// times is scale·x + shift, each number rounded once.
func (c *Builder) times(r row, scale, shift float64) row {
	if scale == 1 {
		r.b = plus(r.b, shift)
		return r
	}
	c.Take(len(r.w))
	out := row{at: r.at, w: make([]float64, len(r.w)), b: math.FMA(r.b, scale, shift)}
	for k, w := range r.w {
		out.w[k] = w * scale
	}
	return out
}

// plus is a + b, but a itself if b is 0, which keeps the sign of a zero.
func plus(a, b float64) float64 {
	switch {
	case b == 0:
		return a
	case a == 0:
		return b
	}
	return a + b
}

// each is the value for number i: values holds one value per number, or one for all.
func each(values []float64, i int) float64 {
	if len(values) == 1 {
		return values[0]
	}
	return values[i]
}

// by applies a step to each row.
func (c *Builder) by(f Form, step func(i int, r row) row) Form {
	out := Form{stage: f.stage, rows: c.rows(len(f.rows)), name: f.name, dense: f.dense}
	for i, r := range f.rows {
		out.rows[i] = step(i, r)
	}
	return out
}

// Scale is scale·x + shift, number by number. Here and in other operations a single value applies
// to all numbers.
func (c *Builder) Scale(f Form, scale, shift []float64) Form {
	return c.by(f, func(i int, r row) row { return c.times(r, each(scale, i), each(shift, i)) })
}

// one and zero are the neutral scale and shift.
var one, zero = []float64{1}, []float64{0}

// Negate is −x.
func (c *Builder) Negate(f Form) Form { return c.Times(f, []float64{-1}) }

// Times is scale·x, number by number.
func (c *Builder) Times(f Form, scale []float64) Form { return c.Scale(f, scale, zero) }

// Minus is x − mean, number by number.
func (c *Builder) Minus(f Form, mean []float64) Form { return c.Scale(f, one, Negative(mean)) }

// Divide is x/by, number by number, rounded once.
func (c *Builder) Divide(f Form, by []float64) Form {
	return c.by(f, func(i int, r row) row {
		c.Take(len(r.w))
		out := row{at: r.at, w: make([]float64, len(r.w)), b: r.b / each(by, i)}
		for k, w := range r.w {
			out.w[k] = w / each(by, i)
		}
		return out
	})
}

// Normalize is scale·(x − mean)/√(variance + epsilon) + shift, number by number: batch
// normalisation at inference.
func (c *Builder) Normalize(f Form, scale, shift, mean, variance []float64, epsilon float64) Form {
	factor := make([]float64, len(f.rows))
	for i := range factor {
		factor[i] = each(scale, i) / math.Sqrt(each(variance, i)+epsilon)
	}
	return c.Scale(c.Minus(f, mean), factor, shift)
}

// Negative returns the negatives of values; 0 becomes 0, not −0.
func Negative(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = 0 - v
	}
	return out
}

// Repeated returns n values, given n values or one for all. Any other number is a fault, in whose
// message the last argument names the values.
func Repeated(values []float64, n int, what string) []float64 {
	if len(values) == 1 && n != 1 {
		return slices.Repeat(values, n)
	}
	if len(values) != n {
		panic(fault.New("got %d %s, want %d: one per unit", len(values), what, n))
	}
	return values
}

// Transpose converts an inputs × units matrix, the order of other programs, to units × inputs.
func Transpose(k []float64, inputs, units int) []float64 {
	w := make([]float64, len(k))
	for i := range inputs {
		for j := range units {
			w[j*inputs+i] = k[i*units+j]
		}
	}
	return w
}

// Sum is a + sign·b, number by number. If adding weights would round, the numbers become units
// first, unless a or b is constant.
func (c *Builder) Sum(a, b Form, sign float64) Form {
	c.meet(&a, &b)
	exact := true
	out := c.sumOf(a, b, sign, &exact)
	if exact || a.constant() || b.constant() {
		return out
	}
	a, b = c.solid(a), c.solid(b)
	c.meet(&a, &b)
	return c.sumOf(a, b, sign, &exact)
}

func (c *Builder) sumOf(a, b Form, sign float64, exact *bool) Form {
	out := Form{stage: a.stage, rows: c.rows(len(a.rows)), name: cmp.Or(a.name, b.name), dense: a.dense || b.dense}
	for i := range a.rows {
		out.rows[i] = c.sumRow(&a.rows[i], &b.rows[i], sign, exact)
	}
	return out
}

// sumRow adds two rows; it clears exact if a sum was rounded.
func (c *Builder) sumRow(a, b *row, sign float64, exact *bool) row {
	width := 0
	for _, r := range []*row{a, b} {
		for k := range r.w {
			width = max(width, int(r.unit(k))+1)
		}
	}
	if len(a.w)+len(b.w) < width/2 {
		return c.sumSparse(a, b, sign, exact)
	}
	c.Take(width)
	out := row{w: make([]float64, width), b: exactly(a.b, sign*b.b, exact)}
	for k, w := range a.w {
		out.w[a.unit(k)] = exactly(out.w[a.unit(k)], w, exact)
	}
	for k, w := range b.w {
		out.w[b.unit(k)] = exactly(out.w[b.unit(k)], sign*w, exact)
	}
	return out
}

func (c *Builder) sumSparse(a, b *row, sign float64, exact *bool) row {
	c.Take(2 * (len(a.w) + len(b.w)))
	out := row{at: []int32{}, b: exactly(a.b, sign*b.b, exact)}
	of := map[int32]int{}
	for n, r := range []*row{a, b} {
		for k, w := range r.w {
			if n == 1 {
				w *= sign
			}
			u := r.unit(k)
			if j, ok := of[u]; ok {
				out.w[j] = exactly(out.w[j], w, exact)
				continue
			}
			of[u] = len(out.w)
			out.at, out.w = append(out.at, u), append(out.w, w)
		}
	}
	return out
}

// exactly is a + b; it clears exact if the sum was rounded.
func exactly(a, b float64, exact *bool) float64 {
	s, rest := twoSum(a, b)
	if rest != 0 {
		*exact = false
	}
	if a == 0 || b == 0 {
		return plus(a, b)
	}
	return s
}

// twoSum is a + b and its rounding error.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	bb := float64(sum - a)
	return sum, float64(a-float64(sum-bb)) + float64(b-bb)
}

// Dense is W·x + b for units × inputs weights. bias may be nil.
func (c *Builder) Dense(f Form, weights []float64, units int, bias []float64, name string) Form {
	in := len(f.rows)
	if in*units != len(weights) {
		panic(fault.New("got %d weights, want %d × %d: inputs times units", len(weights), in, units))
	}
	if f.dense || !f.simple() {
		f = c.layer(f, false)
	}
	out := Form{stage: f.stage, rows: c.rows(units), name: name, dense: true}
	at, place, plain := c.used(&f)
	for j := range out.rows {
		w := weights[j*in : (j+1)*in]
		r := &out.rows[j]
		r.at = at
		if bias != nil {
			r.b = bias[j]
		}
		if plain {
			r.w = w
			continue
		}
		c.Take(place)
		r.w, r.b = compose(&f, w, r.b, at, place)
	}
	return out
}

// used returns the units that a form depends on, nil if they are the stage's first n, and their
// number. plain: the form's numbers equal these units.
func (c *Builder) used(f *Form) (at []int32, n int, plain bool) {
	plain = true
	for i := range f.rows {
		plain = plain && f.rows[i].plain()
		for k := range f.rows[i].w {
			at = append(at, f.rows[i].unit(k))
		}
	}
	if n = len(at); plain && slices.IsSorted(at) && len(slices.Compact(slices.Clone(at))) == n {
		if n == 0 || int(at[0]) == 0 && int(at[n-1]) == n-1 {
			return nil, n, true
		}
		return at, n, true
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if n = len(at); n > 0 && int(at[n-1]) == n-1 {
		return nil, n, false
	}
	return at, n, false
}

// compose returns the weights and the bias of bias + weights·f as a function of n units, computed
// with twice the precision. at lists the units; nil: the stage's first n.
func compose(f *Form, weights []float64, bias float64, at []int32, n int) ([]float64, float64) {
	high, low := make([]float64, n+1), make([]float64, n+1)
	high[n] = bias
	add := func(k int, w, v float64) {
		p := w * v
		if p == 0 {
			return
		}
		rest := math.FMA(w, v, -p)
		s, e := twoSum(high[k], p)
		high[k], low[k] = s, low[k]+(e+rest)
	}
	for i := range f.rows {
		r := &f.rows[i]
		for k, v := range r.w {
			u := int(r.unit(k))
			if at != nil {
				u, _ = slices.BinarySearch(at, int32(u))
			}
			add(u, weights[i], v)
		}
		add(n, weights[i], r.b)
	}
	for k := range high {
		high[k] = plus(high[k], low[k])
	}
	return high[:n:n], high[n]
}

// Leaky is x if x is positive, else slope·x: relu(x) − slope·relu(−x).
func (c *Builder) Leaky(f Form, slope []float64) Form { return c.halves(f, Negative(slope)) }

// Abs is relu(x) + relu(−x).
func (c *Builder) Abs(f Form) Form { return c.halves(f, one) }

// halves is relu(x) + w·relu(−x), number by number.
func (c *Builder) halves(f Form, w []float64) Form {
	n := len(f.rows)
	both := Form{stage: f.stage, name: f.name, rows: slices.Clone(f.rows)}
	for i := range f.rows {
		both.rows = append(both.rows, c.times(f.rows[i], -1, 0))
	}
	units := c.ReLU(both)
	out := Form{stage: units.stage, rows: c.rows(n), name: f.name}
	for i := range out.rows {
		p, q := units.rows[i].at[0], units.rows[n+i].at[0]
		if out.rows[i] = (row{at: []int32{p, q}, w: []float64{1, each(w, i)}}); each(w, i) == 0 {
			out.rows[i] = row{at: []int32{p}, w: one}
		}
	}
	c.Take(4 * n)
	return out
}

// Positive reports whether the form's numbers are outputs of ReLUs, so that another ReLU would not
// change them.
func (c *Builder) Positive(f Form) bool {
	return f.stage > 0 && c.stages[f.stage].relu && !slices.ContainsFunc(f.rows, func(r row) bool { return !r.plain() })
}

// AtLeast is max(x, lo) = lo + relu(x − lo), number by number; −Inf is no bound.
func (c *Builder) AtLeast(f Form, lo []float64) Form { return c.bounded(f, lo, 1) }

// AtMost is min(x, hi) = hi − relu(hi − x); +Inf is no bound.
func (c *Builder) AtMost(f Form, hi []float64) Form { return c.bounded(f, hi, -1) }

func (c *Builder) bounded(f Form, bound []float64, sign float64) Form {
	if !slices.ContainsFunc(bound, func(b float64) bool { return !math.IsInf(b, 0) }) {
		return f
	}
	exact, shifts := true, make([]float64, len(f.rows))
	for i := range f.rows {
		b := each(bound, i)
		if math.IsNaN(b) || math.IsInf(b, 0) || math.Abs(b) > math.MaxFloat32 {
			panic(fault.New("got a bound of %v, want finite bounds up to %v", b, math.MaxFloat32))
		}
		exactly(f.rows[i].b, -b, &exact)
		shifts[i] = -sign * b
	}
	if !exact {
		f = c.layer(f, false)
	}
	signs := []float64{sign}
	return c.Scale(c.ReLU(c.Scale(f, signs, shifts)), signs, bound)
}

// Reorder moves input i to place[i], in the layers and in f if it is a form of the inputs.
func (c *Builder) Reorder(f *Form, place []int32) {
	if f.stage == 0 {
		f.rows = moved(f.rows, place)
	}
	if len(c.stages) > 1 {
		c.stages[1].rows = moved(c.stages[1].rows, place)
	}
}

func moved(rows []row, place []int32) []row {
	out := slices.Clone(rows)
	for i := range out {
		at := make([]int32, len(out[i].w))
		for k := range at {
			at[k] = place[out[i].unit(k)]
		}
		out[i].at = at
	}
	return out
}

// Most is max(x, y) = x + relu(y − x), number by number.
func (c *Builder) Most(x, y Form) Form { return c.Sum(x, c.ReLU(c.Sum(y, x, -1)), 1) }

// Least is min(x, y) = x − relu(x − y), number by number.
func (c *Builder) Least(x, y Form) Form { return c.Sum(x, c.ReLU(c.Sum(x, y, -1)), -1) }

// Join concatenates forms.
func (c *Builder) Join(forms ...*Form) Form {
	c.meet(forms...)
	out := Form{stage: forms[0].stage}
	for _, f := range forms {
		out.rows = append(out.rows, f.rows...)
		out.name, out.dense = cmp.Or(out.name, f.name), out.dense || f.dense
	}
	return out
}

// Network returns the network whose layers are the stages up to the form's and, last, the form.
// Its precision is 64 if a weight is not a float32.
func (c *Builder) Network(f Form, head relu.Head, precision int) *relu.Network {
	n := &relu.Network{Head: head, Precision: precision}
	stages := append(slices.Clone(c.stages[1:f.stage+1]), stage{name: f.name, units: len(f.rows), rows: f.rows})
	in, parameters := c.stages[0].units, 0
	for i := range stages {
		if parameters += (in + 1) * stages[i].units; parameters > MaxParameters {
			panic(fault.New("the network has more than %d weights and biases, the maximum", MaxParameters))
		}
		in = stages[i].units
	}
	in = c.stages[0].units
	for i := range stages {
		s := &stages[i]
		l := relu.Layer{Name: s.name, In: in, Out: s.units, ReLU: s.relu, Weights: s.weights(in), Bias: make([]float64, s.units)}
		for j := range s.rows {
			l.Bias[j] = s.rows[j].b
		}
		if precision == 32 && !(single(l.Weights) && single(l.Bias)) {
			n.Precision = 64
		}
		n.Layers, in = append(n.Layers, l), s.units
	}
	return n
}

func (s *stage) weights(in int) []float64 {
	w := make([]float64, in*s.units)
	for j := range s.rows {
		r := &s.rows[j]
		for k, v := range r.w {
			w[j*in+int(r.unit(k))] = v
		}
	}
	return w
}

func single(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != float64(float32(v)) && !math.IsNaN(v) })
}
