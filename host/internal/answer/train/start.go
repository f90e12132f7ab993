package train

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// OneLogit returns an equivalent network with a single output unit. Its logit is
// the difference of two softmax units, rounded to the network's precision. A
// network with one output unit is returned unchanged.
func OneLogit(n *relu.Network) *relu.Network {
	if n.Head != relu.HeadSoftmax {
		return n
	}
	last := len(n.Layers) - 1
	two := &n.Layers[last]
	one := relu.Layer{Name: two.Name, In: two.In, Out: 1, Weights: make([]float64, two.In), Bias: []float64{two.Bias[1] - two.Bias[0]}}
	for i, w := range two.Row(1) {
		one.Weights[i] = w - two.Row(0)[i]
	}
	if n.Precision == 32 {
		one.Weights, one.Bias = rounded(one.Weights), rounded(one.Bias)
	}
	out := &relu.Network{Head: relu.HeadSigmoid, Precision: n.Precision}
	out.Layers = append(append(out.Layers, n.Layers[:last]...), one)
	return out
}

// checkStart refuses a network that training cannot start from.
func (c *Config) checkStart(inputs int) error {
	n := c.Start
	if n == nil {
		return nil
	}
	if len(c.Hidden) > 0 {
		return fmt.Errorf("hidden layers %v and a network to start from: give one of the two", c.Hidden)
	}
	if n.Inputs() != inputs {
		return fmt.Errorf("the network to start from takes %d inputs, the rows have %d", n.Inputs(), inputs)
	}
	for k := range n.Layers[:len(n.Layers)-1] {
		if !n.Layers[k].ReLU {
			return fmt.Errorf("layer %d (%s) of the network to start from has no ReLU, which this trainer does not train", k, n.Layers[k].Name)
		}
	}
	return nil
}

// startFrom returns a model with the weights of a network.
func startFrom(n *relu.Network) *model {
	n = OneLogit(n)
	m := shape(n.Inputs(), widths(n))
	for k := range m.layers {
		copy(m.layers[k].weights(m.parameters), n.Layers[k].Weights)
		copy(m.layers[k].bias(m.parameters), n.Layers[k].Bias)
	}
	return m
}

// widths returns the widths of the hidden layers.
func widths(n *relu.Network) []int {
	out := []int{}
	for _, l := range n.Layers[:len(n.Layers)-1] {
		out = append(out, l.Out)
	}
	return out
}
