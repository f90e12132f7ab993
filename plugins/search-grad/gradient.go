package main

import "github.com/hyfair/hyfair/sdk/model/relu"

// gradient computes logits and their gradients with respect to the network's
// inputs by backpropagation. Not safe for concurrent use.
//
// The conversions to float64 keep compilers from fusing products and sums, so
// that the results are the same on every machine.
type gradient struct {
	network *relu.Network
	values  [][]float64 // the inputs, then each layer's outputs
	back    [2][]float64
}

func newGradient(n *relu.Network) *gradient {
	g := &gradient{network: n, values: [][]float64{make([]float64, n.Inputs())}}
	width := n.Inputs()
	for i := range n.Layers {
		g.values = append(g.values, make([]float64, n.Layers[i].Out))
		width = max(width, n.Layers[i].Out)
	}
	for i := range g.back {
		g.back[i] = make([]float64, width)
	}
	return g
}

// at gives the logit at the inputs in values[0] and its gradient, which is
// overwritten by the next call. The slope of a ReLU at 0 is taken to be 0.
func (g *gradient) at() (logit float64, slopes []float64) {
	for k := range g.network.Layers {
		l, in, out := &g.network.Layers[k], g.values[k], g.values[k+1]
		for j := range out {
			sum := l.Bias[j]
			for i, w := range l.Row(j) {
				sum += float64(w * in[i])
			}
			if l.ReLU && sum < 0 {
				sum = 0
			}
			out[j] = sum
		}
	}
	last := g.values[len(g.values)-1]
	from, to := g.back[0], g.back[1]
	logit, from[0] = last[0], 1
	if g.network.Head == relu.HeadSoftmax {
		logit, from[0], from[1] = last[1]-last[0], -1, 1
	}
	for k := len(g.network.Layers) - 1; k >= 0; k-- {
		l, out := &g.network.Layers[k], g.values[k+1]
		clear(to[:l.In])
		for j := range l.Out {
			if from[j] == 0 || l.ReLU && out[j] <= 0 {
				continue
			}
			for i, w := range l.Row(j) {
				to[i] += float64(w * from[j])
			}
		}
		from, to = to, from
	}
	return logit, from[:g.network.Inputs()]
}
