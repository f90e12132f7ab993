package relu

// Logit evaluates the network in float64 at one input vector (length
// Inputs()) and returns the value before the last activation: l0, or l1 − l0
// for a softmax head. It allocates two buffers; batches belong in
// sdk/evaluate.
func (n *Network) Logit(inputs []float64) float64 {
	v := inputs
	for i := range n.Layers {
		v = n.Layers[i].apply(v)
	}
	if n.Head == HeadSoftmax {
		return v[1] - v[0]
	}
	return v[0]
}

func (l *Layer) apply(in []float64) []float64 {
	out := make([]float64, l.Out)
	for j := range out {
		sum := l.Bias[j]
		for i, w := range l.Row(j) {
			sum += w * in[i]
		}
		if l.ReLU && sum < 0 {
			sum = 0
		}
		out[j] = sum
	}
	return out
}

// Logit32 evaluates the network in float32 throughout, as a deployment in
// single precision would: inputs, weights and every intermediate are rounded
// to float32.
func (n *Network) Logit32(inputs []float64) float32 {
	v := make([]float32, len(inputs))
	for i, x := range inputs {
		v[i] = float32(x)
	}
	for k := range n.Layers {
		l := &n.Layers[k]
		out := make([]float32, l.Out)
		for j := range out {
			var sum float32
			for i, w := range l.Row(j) {
				sum += float32(w) * v[i]
			}
			sum += float32(l.Bias[j])
			if l.ReLU && sum < 0 {
				sum = 0
			}
			out[j] = sum
		}
		v = out
	}
	if n.Head == HeadSoftmax {
		return v[1] - v[0]
	}
	return v[0]
}
