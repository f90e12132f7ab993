package encode

import (
	"errors"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/network"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// BigM is the paper's MILP (section "Certifying 2-Fairness requirements"),
// with one column a neuron and one binary for each neuron whose sign the
// bounds leave open:
//
//	x ≥ y,  x ≤ y − l·(1 − a),  x ≤ u·a,  x ≥ 0,  l ≤ y ≤ u
//
// Non-protected features are shared by the copies, protected ones are free in
// each. b must enclose the network over the query's region.
//
// A query with relaxations is refused with sdk.ErrUnsupported.
func BigM(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	e := &builder{q: q, bounds: b}
	return e.lower()
}

// BigMDifferences is BigM with rows about the difference of the two copies,
// which follow from the others and tighten the linear relaxation: shared
// features cancel in it. A query for more than two bins is lowered as BigM
// does.
func BigMDifferences(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	e := &builder{q: q, bounds: b}
	if q.K <= 2 {
		e.differences = bound.Differences(q.Network, q.Space, q.RegionOrWhole(), b)
	}
	return e.lower()
}

func (e *builder) lower() (*Lowered, error) {
	q, b := e.q, e.bounds
	if len(q.Relax) > 0 {
		return nil, fmt.Errorf("relaxed queries: %w", sdk.ErrUnsupported)
	}
	if math.IsInf(b.Logit.Lo, 0) || math.IsInf(b.Logit.Hi, 0) {
		return nil, errors.New("the network's values over this region are not bounded in float64")
	}
	e.region, e.milp, e.fidelity = q.RegionOrWhole(), &problem.MILP{}, Exact
	e.spelled = e.needBinaries()
	shared := make([]*featureColumns, len(q.Space.Features))
	for i := range shared {
		if !q.Space.Features[i].IsProtected() {
			f := e.feature(i, "")
			shared[i] = &f
		}
	}
	out := &Lowered{query: q, bounds: b}
	copies := max(2, q.K)
	for c := range copies {
		cols, logit := e.copyOf(c, shared)
		out.copies = append(out.copies, cols)
		out.Logits = append(out.Logits, logit)
	}
	if e.differences != nil {
		e.differenceRows(out)
	}
	for c := range copies {
		e.predicates(c, out.copies[c].features)
	}
	out.Slack = e.column(problem.Column{Name: "slack", Lo: math.Inf(-1), Hi: math.Inf(1), Role: problem.RoleOther})
	out.Problem = &problem.Problem{Name: "bigm", MILP: e.milp}
	out.Fidelity = e.fidelity
	out.Sensitivity = sensitivity(q.Network, b, e.inputGain)
	return out, e.milp.Validate()
}

type builder struct {
	q        *problem.Query
	region   space.Region
	bounds   *bound.Bounds
	milp     *problem.MILP
	fidelity Fidelity
	// spelled marks the features that get one binary a value.
	spelled []bool
	// differences, where not nil, bound the copies' neurons against each other;
	// before then holds each copy's neurons before the activation, by layer.
	differences *bound.Difference
	before      [][][]form
	// inputGain is how far each network input moves where every column it is
	// made of is off by one.
	inputGain []float64
}

func (e *builder) column(c problem.Column) int {
	e.milp.Columns = append(e.milp.Columns, c)
	return len(e.milp.Columns) - 1
}

// row adds lo ≤ f ≤ hi, the form's constant moved to the sides.
func (e *builder) row(name string, f form, lo, hi float64) {
	e.milp.Rows = append(e.milp.Rows, problem.Row{Name: name, Lo: lo - f.constant, Hi: hi - f.constant, Terms: f.terms})
}

// needBinaries finds the features that a single integer column cannot spell:
// those that map through a table, those named in a category set, and
// protected ones whose values are no arithmetic progression.
func (e *builder) needBinaries() []bool {
	s := e.q.Space
	need := make([]bool, len(s.Features))
	for i := range s.Features {
		f := &s.Features[i]
		for k := range f.Inputs {
			need[i] = need[i] || f.Inputs[k].Table != nil
		}
		if f.IsProtected() {
			_, ok := progression(e.region.Values[i])
			need[i] = need[i] || !ok
		}
	}
	for _, list := range [][]space.Predicate{s.Forbidden, e.q.Forbid, e.q.Require} {
		for _, p := range list {
			for i := range p {
				need[p[i].Feature] = need[p[i].Feature] || p[i].Set != nil
			}
		}
	}
	return need
}

// progression is the step of an arithmetic progression that float64 meets
// exactly at every value.
func progression(values []float64) (step float64, ok bool) {
	if len(values) == 1 {
		return 1, true
	}
	step = values[1] - values[0]
	for k, v := range values {
		if values[0]+step*float64(k) != v {
			return 0, false
		}
	}
	return step, true
}

// feature spells feature i; copyName tells protected copies apart.
func (e *builder) feature(i int, copyName string) featureColumns {
	f := &e.q.Space.Features[i]
	name := f.Name + copyName
	role := problem.RoleInput
	if f.IsProtected() {
		role = problem.RoleProtected
	}
	out := featureColumns{feature: f, column: -1}
	if f.Kind == space.Real && !f.IsProtected() {
		box := e.region.Box[i]
		if box.Lo == box.Hi {
			out.base = box.Lo
			return out
		}
		out.step = 1
		out.column = e.column(problem.Column{Name: name, Lo: box.Lo, Hi: box.Hi, Role: role})
		return out
	}
	if !e.spelled[i] {
		return e.integerFeature(i, name, role, out)
	}
	out.values = e.region.Values[i]
	if !f.IsProtected() {
		for v := math.Ceil(e.region.Box[i].Lo); v <= e.region.Box[i].Hi; v++ {
			out.values = append(out.values, v)
		}
	}
	if len(out.values) == 1 {
		out.base = out.values[0]
		return out
	}
	var sum form
	for _, v := range out.values {
		col := e.column(problem.Column{Name: fmt.Sprintf("%s=%s", name, f.Label(v)), Hi: 1, Integer: true, Role: role})
		out.binaries = append(out.binaries, col)
		sum.add(col, 1)
	}
	e.row(name+" has one value", sum, 1, 1)
	return out
}

func (e *builder) integerFeature(i int, name string, role problem.Role, out featureColumns) featureColumns {
	lo, hi, step := math.Ceil(e.region.Box[i].Lo), math.Floor(e.region.Box[i].Hi), 1.0
	if values := e.region.Values[i]; values != nil {
		lo = values[0]
		step, _ = progression(values)
		hi = lo + float64(len(values)-1)
		out.base, out.step = lo, step
		lo, hi = 0, float64(len(values)-1)
	} else {
		out.base, out.step = 0, 1
	}
	if lo == hi {
		out.base += out.step * lo
		return out
	}
	out.column = e.column(problem.Column{Name: name, Lo: lo, Hi: hi, Integer: true, Role: role})
	return out
}

// copyOf adds one copy of the network and returns its columns and its logit's.
func (e *builder) copyOf(c int, shared []*featureColumns) (copyColumns, int) {
	suffix := fmt.Sprintf("#%d", c+1)
	cols := copyColumns{features: make([]featureColumns, len(shared))}
	inputs := make([]form, e.q.Space.Inputs)
	for i, f := range shared {
		if f == nil {
			own := e.feature(i, suffix)
			f = &own
		}
		cols.features[i] = *f
		for k := range f.feature.Inputs {
			in := &f.feature.Inputs[k]
			inputs[in.Index] = f.input(in)
		}
	}
	e.inputGain = make([]float64, len(inputs))
	for i := range inputs {
		for _, t := range inputs[i].terms {
			e.inputGain[i] += math.Abs(t.Coef)
		}
	}
	layers := e.q.Network.Layers
	v := inputs
	if e.differences != nil {
		e.before = append(e.before, make([][]form, len(layers)))
	}
	for k := range layers[:len(layers)-1] {
		var columns []neuronColumns
		v, columns = e.hidden(k, suffix, v)
		cols.neurons = append(cols.neurons, columns)
	}
	cols.neurons = append(cols.neurons, nil)
	last := &layers[len(layers)-1]
	out := affineOf(last, 0, v)
	if e.q.Network.Head == network.HeadSoftmax {
		diff := affineOf(last, 1, v)
		diff.plus(out, -1)
		out = diff
	}
	logit := e.column(problem.Column{Name: "logit" + suffix, Lo: e.bounds.Logit.Lo, Hi: e.bounds.Logit.Hi, Role: problem.RoleLogit})
	out.add(logit, -1)
	e.row("logit"+suffix, out, 0, 0)
	return cols, logit
}

func affineOf(l *network.Layer, j int, v []form) form {
	out := form{constant: l.Bias[j]}
	for i, w := range l.Row(j) {
		if w != 0 {
			out.plus(v[i], w)
		}
	}
	return out
}

// hidden adds the neurons of hidden layer k and returns their values.
func (e *builder) hidden(k int, suffix string, v []form) ([]form, []neuronColumns) {
	l := &e.q.Network.Layers[k]
	out := make([]form, l.Out)
	columns := make([]neuronColumns, l.Out)
	for j := range out {
		columns[j] = neuronColumns{-1, -1}
		b := e.bounds.Pre[k][j]
		if l.ReLU && b.Hi <= 0 {
			continue // always inactive: the constant 0
		}
		name := fmt.Sprintf("n%d.%d%s", k+1, j+1, suffix)
		y := affineOf(l, j, v)
		if e.differences != nil {
			e.remember(k, j, y)
		}
		if len(y.terms) == 0 {
			out[j] = form{constant: y.constant}
			if l.ReLU {
				out[j].constant = math.Max(0, y.constant)
			}
			continue
		}
		lo, hi := b.Lo, b.Hi
		if l.ReLU {
			lo = math.Max(0, lo)
		}
		columns[j].value = e.column(problem.Column{Name: name, Lo: lo, Hi: hi, Role: problem.RoleNeuron})
		x := columns[j].value
		out[j].add(x, 1)
		y.plus(out[j], -1) // y − x
		if !l.ReLU || b.Lo >= 0 {
			e.row(name, y, 0, 0)
			continue
		}
		columns[j].phase = e.column(problem.Column{Name: name + " active", Hi: 1, Integer: true, Role: problem.RoleReLU, Priority: len(e.q.Network.Layers) - k})
		e.bigM(name, y, x, columns[j].phase, b)
	}
	return out, columns
}

func (e *builder) bigM(name string, yMinusX form, x, phase int, b space.Interval) {
	e.row(name+" above", clone(yMinusX), math.Inf(-1), 0)
	below := clone(yMinusX)
	below.add(phase, b.Lo)
	e.row(name+" below", below, b.Lo, math.Inf(1))
	var off form
	off.add(x, 1)
	off.add(phase, -b.Hi)
	e.row(name+" off", off, math.Inf(-1), 0)
}

func clone(f form) form {
	return form{constant: f.constant, terms: append([]problem.Term(nil), f.terms...)}
}

// sensitivity propagates one unit of error in every row, bound, integer value
// and phase of a copy to its logit: |W| products from the output back, a phase counting its
// big-M (what x may take when the phase is off by one unit).
func sensitivity(n *network.Network, b *bound.Bounds, inputGain []float64) float64 {
	last := &n.Layers[len(n.Layers)-1]
	gain := make([]float64, last.In)
	for i := range gain {
		gain[i] = math.Abs(last.Row(0)[i])
		if n.Head == network.HeadSoftmax {
			gain[i] = math.Abs(last.Row(1)[i] - last.Row(0)[i])
		}
	}
	total := 1.0
	for k := len(n.Layers) - 2; k >= 0; k-- {
		l := &n.Layers[k]
		next := make([]float64, l.In)
		for j, g := range gain {
			pre := b.Pre[k][j]
			if l.ReLU && pre.Hi <= 0 {
				continue
			}
			own := 1.0
			if l.ReLU && pre.Lo < 0 {
				own += math.Max(pre.Hi, -pre.Lo)
			}
			total += g * own
			for i, w := range l.Row(j) {
				next[i] += g * math.Abs(w)
			}
		}
		gain = next
	}
	for i, g := range gain {
		total += g * inputGain[i]
	}
	return total
}
