package encode

import (
	"errors"
	"math"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Relaxation is the linear relaxation of one copy of a network up to a layer:
// integers and ReLU phases may be fractional. Each neuron's range in it encloses
// the range in the network.
type Relaxation struct {
	Problem *problem.Problem
	// Neurons holds the layer's neurons before the activation as objectives without
	// a direction; for the output layer only the logit.
	Neurons []problem.Objective
	// ReLU is set if the layer ends in ReLUs; the Neurons are their arguments.
	ReLU bool
	// Widths bounds how far a solver's optimum of each neuron may exceed the true one,
	// per unit of the solver's tolerance: one unit in every row, bound and phase, and
	// one unit of reduced cost over every column's range.
	Widths []float64
}

// Relax writes the linear relaxation of the query's network up to a layer,
// counted from 0. b must enclose the network over RelaxedRegion(q). It fails if
// the rows are too large for floating point: see Carried.
func Relax(q *problem.Query, b *bound.Bounds, layer int) (*Relaxation, error) {
	for _, pre := range b.Pre[:layer] {
		for _, iv := range pre {
			if math.IsInf(iv.Lo, 0) || math.IsInf(iv.Hi, 0) {
				return nil, errors.New("the model's values over this region are not bounded in float64")
			}
		}
	}
	n, err := relu.Of(q.Model, "a linear relaxation")
	if err != nil {
		return nil, err
	}
	e := &reluRows{n: n, builder: &builder{q: q, bounds: b, milp: &problem.MILP{}, inputGain: make([]float64, q.Space.Inputs)}}
	if e.first, err = firstRegion(q); err != nil {
		return nil, err
	}
	e.spelled = e.needBinaries()
	within := *q
	within.Region = e.first
	region := RelaxedRegion(&within)
	v := make([]form, q.Space.Inputs)
	for i := range q.Space.Features {
		f := e.feature(i, "", region)
		for k := range f.feature.Inputs {
			in := &f.feature.Inputs[k]
			v[in.Index] = f.input(in)
			for _, t := range v[in.Index].terms {
				e.inputGain[in.Index] += math.Abs(t.Coef)
			}
		}
	}
	for k := range layer {
		v, _ = e.hidden(k, "", v)
	}
	for i := range e.milp.Columns {
		e.milp.Columns[i].Integer = false
	}
	out := &Relaxation{Problem: &problem.Problem{Name: "relaxation", MILP: e.milp}, ReLU: n.Layers[layer].ReLU}
	ranges := 0.0
	for _, c := range e.milp.Columns {
		ranges += c.Hi - c.Lo
	}
	for _, y := range e.heads(layer, v) {
		out.Neurons = append(out.Neurons, problem.Objective{Offset: y.form.constant, Terms: y.form.terms})
		out.Widths = append(out.Widths, 1+e.carried(y.gain, layer-1)+ranges)
	}
	return out, errors.Join(e.milp.Validate(), Carried(e.milp))
}

// head is a neuron as a form over the columns, with the magnitudes of its weights.
type head struct {
	form form
	gain []float64
}

// heads returns the neurons of a layer; for the output layer, the logit.
func (e *reluRows) heads(layer int, v []form) []head {
	l := &e.n.Layers[layer]
	weights := func(j int) []float64 {
		out := make([]float64, l.In)
		for i, w := range l.Row(j) {
			out[i] = math.Abs(w)
		}
		return out
	}
	if layer == len(e.n.Layers)-1 && e.n.Head == relu.HeadSoftmax {
		y := affineOf(l, 1, v)
		y.plus(affineOf(l, 0, v), -1)
		gain := weights(0)
		for i, w := range weights(1) {
			gain[i] += w
		}
		return []head{{y, gain}}
	}
	var out []head
	for j := range l.Out {
		out = append(out, head{affineOf(l, j, v), weights(j)})
	}
	return out
}
