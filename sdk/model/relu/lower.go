package relu

import (
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/model"
)

var _ model.Lowering = (*Network)(nil)

// Bits implements model.Lowering.
func (n *Network) Bits(inputs []int) (int, bool) {
	b := slices.Max(inputs)
	if slices.Min(inputs) < 0 {
		return 0, false
	}
	for i := range n.Layers {
		b += int(n.Layers[i].bits())
	}
	return b, b <= model.MaxBits
}

// difference is the layer that turns the two outputs of HeadSoftmax into one logit.
func difference() Layer {
	return Layer{In: 2, Out: 1, Weights: []float64{-1, 1}, Bias: []float64{0}}
}

// Less implements model.Lowering. If the last weights and bias would be rounded, further layers
// without ReLU add the rest.
func (n *Network) Less(by model.Offset) (model.Model, error) {
	out := &Network{Head: n.Head, Precision: 64, Layers: slices.Clone(n.logitLayers())}
	if n.Head == HeadSoftmax {
		out.Head = HeadSigmoid
	}
	linear := !slices.ContainsFunc(n.Layers, func(l Layer) bool { return l.ReLU })
	s, err := stepsOf(by, linear)
	if err == nil {
		err = out.carry(s, by.Most)
	}
	if err != nil {
		return nil, err
	}
	end := out.Layers[len(out.Layers)-1]
	bias := new(big.Rat).Sub(new(big.Rat).SetFloat64(end.Bias[0]), s.base)
	terms, most := make([][]float64, 1+len(s.height)), 1
	for i := range terms {
		of := bias
		if i > 0 {
			of = new(big.Rat).Neg(s.height[i-1])
		}
		if terms[i], err = model.Split(of); err != nil {
			return nil, err
		}
		most = max(most, len(terms[i]))
	}
	term := func(i, k int) float64 {
		if k < len(terms[i]) {
			return terms[i][k]
		}
		return 0
	}
	out.Layers = out.Layers[:len(out.Layers)-1]
	for k := range most {
		l := Layer{In: end.In, Out: 1, Weights: slices.Clone(end.Weights), Bias: []float64{term(0, k)}, Name: end.Name}
		for i := range s.height {
			l.Weights = append(l.Weights, term(i+1, k))
		}
		if l.In += len(s.height); k+1 < most {
			l = l.with(0, last(l.In, len(s.height)), make([]float64, len(s.height)))
		}
		out.Layers, end = append(out.Layers, l), Layer{In: 1, Weights: []float64{1}}
	}
	return out, out.Validate()
}

// Wider implements model.Lowering.
func (n *Network) Wider(inputs int) model.Model {
	out := &Network{Layers: slices.Clone(n.Layers), Head: n.Head, Precision: n.Precision}
	out.Layers[0] = out.Layers[0].with(inputs, nil, nil)
	return out
}
