package known

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Layer draws a dense layer: its weights, then its biases.
func Layer(in, out int, rectified bool, weight, bias func() float64) relu.Layer {
	l := relu.Layer{In: in, Out: out, ReLU: rectified}
	for range in * out {
		l.Weights = append(l.Weights, weight())
	}
	for range out {
		l.Bias = append(l.Bias, bias())
	}
	return l
}

// Dense draws a network of dense layers, all with ReLU except the last. widths are the
// numbers of inputs and of neurons of the hidden layers; the head determines the number of
// outputs.
func Dense(head relu.Head, weight, bias func() float64, widths ...int) *relu.Network {
	outputs := 1
	if head == relu.HeadSoftmax {
		outputs = 2
	}
	n := &relu.Network{Head: head, Precision: 64}
	for k, in := range widths {
		if k == len(widths)-1 {
			n.Layers = append(n.Layers, Layer(in, outputs, false, weight, bias))
		} else {
			n.Layers = append(n.Layers, Layer(in, widths[k+1], true, weight, bias))
		}
	}
	return n
}

// Dyadic draws a network with dyadic weights and two hidden layers, of the given number of
// neurons and of 3.
func Dyadic(rng *rand.Rand, inputs, hidden int) *relu.Network {
	head := relu.HeadSigmoid
	if rng.IntN(3) == 0 {
		head = relu.HeadSoftmax
	}
	weight, bias := func() float64 { return float64(rng.IntN(65)-32) / 16 }, func() float64 { return float64(rng.IntN(33)-16) / 8 }
	n := Dense(head, weight, bias, inputs, hidden, 3)
	n.Precision = 32
	for k := range n.Layers {
		n.Layers[k].Name = "dense"
	}
	return n
}

// Small draws a question about some fifty individuals. Its space has two integer features, a
// one-hot category, two protected features and, in half of the draws, constraints.
func Small(rng *rand.Rand) *problem.Query {
	s := &space.Space{Inputs: 7, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: -2, Hi: 3, Inputs: []space.Input{{Index: 0, Scale: 0.5, Offset: 0.25}}},
		{Name: "p", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{1, 4, 12}, Inputs: []space.Input{{Index: 1, Scale: 0.125}}},
		{Name: "c", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"x", "y", "z"}, Inputs: []space.Input{
			{Index: 2, Table: []float64{1, 0, 0}}, {Index: 3, Table: []float64{0, 1, 0}}, {Index: 4, Table: []float64{0, 0, 1}}}},
		{Name: "q", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 5, Scale: 1}}},
		{Name: "b", Kind: space.Integer, Lo: 0, Hi: 2, Inputs: []space.Input{{Index: 6, Scale: 1}}},
	}}
	if rng.IntN(2) == 0 {
		s.Forbidden = []space.Predicate{
			{{Feature: 2, Set: []int{0, 2}}, {Feature: 3, Set: []int{1}}},
			{{Feature: 0, Interval: space.Interval{Lo: 2, Hi: math.Inf(1)}}, {Feature: 4, Interval: space.Interval{Lo: 1, Hi: 1}}},
		}
	}
	n := Dyadic(rng, s.Inputs, 4)
	rng.Int64() // skipped, so that the questions that follow catch every liar of sdk/conformance
	q := &problem.Query{
		Model: n, Space: s,
		Notion: fairness.Notions[rng.IntN(len(fairness.Notions))], Epsilon: big.NewRat(int64(1+rng.IntN(12)), 20),
	}
	return q
}
