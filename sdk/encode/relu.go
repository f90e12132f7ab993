package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// hidden adds the neurons of hidden layer k and returns their values.
func (e *builder) hidden(k int, suffix string, v []form) ([]form, []neuronColumns) {
	l := &e.q.Network.Layers[k]
	out := make([]form, l.Out)
	columns := make([]neuronColumns, l.Out)
	for j := range out {
		columns[j] = neuronColumns{-1, -1, -1}
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
			columns[j].phase = e.column(problem.Column{Name: name + " active", Hi: 1, Integer: true, Role: problem.RoleReLU, Priority: len(e.q.Network.Layers) - k})
			e.bigM(name, y, x, columns[j].phase, b)
		}
	}
	return out, columns
}

// bigM ties a ReLU's value x and phase to its argument y between b.Lo < 0 and
// b.Hi > 0.
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

// sos1 splits the argument of a ReLU into its positive part x and its negative
// part, which it returns, of which a set of type 1 lets only one differ from 0.
func (e *builder) sos1(name string, yMinusX form, x int, b space.Interval) (negative int) {
	negative = e.column(problem.Column{Name: name + " negative part", Hi: -b.Lo, Role: problem.RoleNeuron})
	yMinusX.add(negative, 1)
	e.row(name, yMinusX, 0, 0)
	e.milp.SOS1 = append(e.milp.SOS1, problem.SOS1{Name: name, Columns: []int{x, negative}})
	return negative
}
