package relu

// Gradient implements model.Differentiable by backpropagation. The slope of a
// ReLU at 0 is taken to be 0.
func (n *Network) Gradient() func(inputs []float64) (logit float64, slopes []float64) {
	g := &gradient{network: n, values: make([][]float64, len(n.Layers)+1)}
	width := n.Inputs()
	for i := range n.Layers {
		g.values[i+1] = make([]float64, n.Layers[i].Out)
		width = max(width, n.Layers[i].Out)
	}
	for i := range g.back {
		g.back[i] = make([]float64, width)
	}
	return g.at
}

// gradient is the memory of one goroutine.
//
// The conversions to float64 keep compilers from fusing products and sums, so
// that the results are the same on every machine.
type gradient struct {
	network *Network
	values  [][]float64 // the inputs, then each layer's outputs
	back    [2][]float64
}

func (g *gradient) at(inputs []float64) (logit float64, slopes []float64) {
	g.values[0] = inputs
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
	if g.network.Head == HeadSoftmax {
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
