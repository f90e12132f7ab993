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

// Less implements model.Lowering. If the last bias would be rounded, further layers of one
// unit each, without ReLU, add the rest.
func (n *Network) Less(by *big.Rat) (model.Model, error) {
	out := &Network{Head: n.Head, Precision: 64, Layers: slices.Clone(n.Layers)}
	last := &out.Layers[len(out.Layers)-1]
	bias := new(big.Rat).Neg(by)
	if n.Head == HeadSoftmax {
		out.Head = HeadSigmoid
		out.Layers = append(out.Layers, difference())
		last = &out.Layers[len(out.Layers)-1]
	} else {
		bias.Add(bias, new(big.Rat).SetFloat64(last.Bias[0]))
	}
	terms, err := model.Split(bias)
	if err != nil {
		return nil, err
	}
	if len(terms) == 0 {
		terms = []float64{0}
	}
	last.Bias = terms[:1]
	for _, t := range terms[1:] {
		out.Layers = append(out.Layers, Layer{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{t}})
	}
	return out, out.Validate()
}
