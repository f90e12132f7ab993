package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// reluRows are the rows of a network of ReLU layers.
type reluRows struct {
	*builder
	n *relu.Network
	// sets: ReLUs are written as special ordered sets.
	sets bool
	// differences, if not nil, bounds the differences of the copies' neurons;
	// before then holds each copy's neurons before the activation, by layer.
	differences *bound.Difference
	before      [][][]form
	// columns holds the columns of each copy, by hidden layer.
	columns [][][]neuronColumns
	// reads holds the values that each layer of the first copy reads. Later copies share
	// the neurons that have the same inputs.
	reads [][]form
}

// neuronColumns are a neuron's value, its ReLU's phase, and the negative part
// of the ReLU's argument; −1 if there is none.
type neuronColumns struct{ value, phase, negative int }

func (e *reluRows) depth() int { return len(e.n.Layers) }

func (e *reluRows) add(suffix string, v []form) (form, func(inputs, start []float64)) {
	layers := e.n.Layers
	if e.differences != nil {
		e.before = append(e.before, make([][]form, len(layers)))
	}
	columns := make([][]neuronColumns, len(layers))
	reads := [][]form{v}
	for k := range layers[:len(layers)-1] {
		v, columns[k] = e.hidden(k, suffix, v)
		reads = append(reads, v)
	}
	if e.columns = append(e.columns, columns); e.reads == nil {
		e.reads = reads
	}
	last := &layers[len(layers)-1]
	out := affineOf(last, 0, v)
	if e.n.Head == relu.HeadSoftmax {
		diff := affineOf(last, 1, v)
		diff.plus(out, -1)
		out = diff
	}
	return out, func(v, start []float64) {
		for k := range layers {
			v = liftLayer(&layers[k], columns[k], v, start)
		}
	}
}

// hidden adds the neurons of hidden layer k and returns their values.
func (e *reluRows) hidden(k int, suffix string, v []form) ([]form, []neuronColumns) {
	l := &e.n.Layers[k]
	out := make([]form, l.Out)
	columns := make([]neuronColumns, l.Out)
	for j := range out {
		columns[j] = neuronColumns{-1, -1, -1}
		b := e.bounds.Pre[k][j]
		if l.ReLU && b.Hi <= 0 {
			continue // always inactive: the constant 0
		}
		if e.reads != nil && readsSame(l.Row(j), v, e.reads[k]) {
			out[j], columns[j] = e.reads[k+1][j], e.columns[0][k][j]
			continue
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
		x := e.column(problem.Column{Name: name, Lo: lo, Hi: hi, Role: problem.RoleNeuron})
		columns[j].value = x
		out[j].add(x, 1)
		y.plus(out[j], -1) // y − x
		switch {
		case !l.ReLU || b.Lo >= 0:
			e.row(name, y, 0, 0)
		case e.sets:
			columns[j].negative = e.sos1(name, y, x, b)
		default:
			columns[j].phase = e.column(problem.Column{Name: name + " active", Hi: 1, Integer: true, Role: problem.RoleReLU, Priority: len(e.n.Layers) - k})
			e.bigM(name, y, x, columns[j].phase, b)
		}
	}
	return out, columns
}

// readsSame reports whether a neuron has the same inputs in two copies.
func readsSame[T any, P interface {
	*T
	same(*T) bool
}](weights []float64, one, two []T) bool {
	for i, w := range weights {
		if w != 0 && !P(&one[i]).same(&two[i]) {
			return false
		}
	}
	return true
}

// bigM ties a ReLU's value x and phase to its argument y between b.Lo < 0 and
// b.Hi > 0.
func (e *reluRows) bigM(name string, yMinusX form, x, phase int, b space.Interval) {
	e.row(name+" above", clone(yMinusX), math.Inf(-1), 0)
	below := clone(yMinusX)
	below.add(phase, b.Lo)
	e.row(name+" below", below, b.Lo, math.Inf(1))
	var off form
	off.add(x, 1)
	off.add(phase, -b.Hi)
	e.row(name+" off", off, math.Inf(-1), 0)
}

// sos1 splits the argument of a ReLU into its positive part x and a negative part,
// which it returns. A special ordered set lets only one of the two differ from 0.
func (e *reluRows) sos1(name string, yMinusX form, x int, b space.Interval) (negative int) {
	negative = e.column(problem.Column{Name: name + " negative part", Hi: -b.Lo, Role: problem.RoleNeuron})
	yMinusX.add(negative, 1)
	e.row(name, yMinusX, 0, 0)
	e.milp.SOS1 = append(e.milp.SOS1, problem.SOS1{Name: name, Columns: []int{x, negative}})
	return negative
}

func affineOf(l *relu.Layer, j int, v []form) form {
	out := form{constant: l.Bias[j]}
	for i, w := range l.Row(j) {
		if w != 0 {
			out.plus(v[i], w)
		}
	}
	return out
}

func liftLayer(layer *relu.Layer, columns []neuronColumns, v, start []float64) []float64 {
	out := make([]float64, layer.Out)
	for j := range out {
		sum := layer.Bias[j]
		for i, w := range layer.Row(j) {
			sum += w * v[i]
		}
		active, negative := 1.0, 0.0
		if layer.ReLU && sum < 0 {
			sum, active, negative = 0, 0, -sum
		}
		out[j] = sum
		if len(columns) > 0 {
			if columns[j].value >= 0 {
				start[columns[j].value] = sum
			}
			if columns[j].phase >= 0 {
				start[columns[j].phase] = active
			}
			if columns[j].negative >= 0 {
				start[columns[j].negative] = negative
			}
		}
	}
	return out
}
