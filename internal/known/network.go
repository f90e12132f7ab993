package known

import "github.com/hyfair/hyfair/sdk/model/relu"

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

// Dense draws a network of dense layers, all with ReLU but the last: widths are those of its
// inputs and of its hidden layers, and the head says how many outputs there are.
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
