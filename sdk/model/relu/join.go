package relu

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/model"
)

var _ model.Joining = (*Network)(nil)

// Join implements model.Joining. Both networks are computed side by side. A ReLU after each logit z removes the network
// that the switch s does not select: with L ≥ most, ReLU(z + L − 2L·s) is z + L if s = 0 and 0 if s = 1. The other network
// has the opposite signs, and the sum of both is the logit plus L. L is a power of two, so no product is rounded.
func (n *Network) Join(other model.Model, most float64) (model.Model, error) {
	o, ok := other.(*Network)
	if !ok {
		return nil, fmt.Errorf("a model of the family %s cannot be joined with one of %s", other.Family(), Family)
	}
	lift, err := above(most)
	if err != nil {
		return nil, err
	}
	first, second := n.strand(lift, -2*lift), o.strand(-lift, 2*lift)
	out := &Network{Head: HeadLinear, Precision: 64}
	if n.Head != HeadLinear && o.Head != HeadLinear {
		out.Head = HeadSigmoid
	}
	wide, wider := n.Inputs(), o.Inputs()
	for len(first)+len(second) > 0 {
		// An identity layer delays a strand. It is exact without ReLU, and with it if its inputs come from a ReLU, as at a strand's end.
		relu := (len(first) == 0 || first[0].ReLU) && (len(second) == 0 || second[0].ReLU)
		a, b := identity(wide), identity(wider)
		if len(first) > 0 && first[0].ReLU == relu {
			a, first = first[0], first[1:]
		}
		if len(second) > 0 && second[0].ReLU == relu {
			b, second = second[0], second[1:]
		}
		wide, wider = a.Out, b.Out
		out.Layers = append(out.Layers, beside(a, b, relu))
	}
	out.Layers = append(out.Layers, Layer{In: 3, Out: 1, Weights: []float64{1, 1, 0}, Bias: []float64{-lift}})
	return out, out.Validate()
}

// Switched implements model.Joining. The switch bypasses all layers; a linear network stays linear.
func (n *Network) Switched(most float64) (model.Model, error) {
	drop, err := above(most)
	if err != nil {
		return nil, err
	}
	out := &Network{Head: HeadSigmoid, Precision: 64}
	if n.Head == HeadLinear {
		out.Head = HeadLinear
	}
	for _, l := range n.logitLayers() {
		out.Layers = append(out.Layers, beside(stage{Layer: l}, stage{}, l.ReLU))
	}
	out.Layers = append(out.Layers, Layer{In: 2, Out: 1, Weights: []float64{1, drop}, Bias: []float64{-drop}})
	return out, out.Validate()
}

// above returns a power of two above logits up to most, if sums of a few such numbers are finite.
func above(most float64) (float64, error) {
	if !(most <= math.MaxFloat64/8) {
		return 0, fmt.Errorf("logits up to %v are too large: the limit is %.3g", most, math.MaxFloat64/8)
	}
	return model.PowerAbove(most), nil
}

// logitLayers returns the network's layers, and with two outputs one for their difference.
func (n *Network) logitLayers() []Layer {
	if n.Head == HeadSoftmax {
		return append(slices.Clone(n.Layers), difference())
	}
	return n.Layers
}

// stage is a layer of one of the two networks, with additional weights for the switch.
type stage struct {
	Layer
	byFlip []float64 // nil: 0
}

// strand returns the network's layers, followed by the ReLU that removes its logit.
func (n *Network) strand(bias, flip float64) (out []stage) {
	for _, l := range n.logitLayers() {
		out = append(out, stage{Layer: l})
	}
	return append(out, stage{Layer{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{bias}, ReLU: true}, []float64{flip}})
}

func identity(n int) stage {
	out := stage{Layer: Layer{In: n, Out: n, Weights: make([]float64, n*n), Bias: make([]float64, n)}}
	for i := range n {
		out.Weights[i*n+i] = 1
	}
	return out
}

// beside returns a layer that has both stages, and the switch as its last unit.
func beside(a, b stage, relu bool) Layer {
	l := Layer{In: a.In + b.In + 1, Out: a.Out + b.Out + 1, ReLU: relu}
	row := func(of *stage, j, at int) {
		weights := make([]float64, l.In)
		copy(weights[at:], of.Row(j))
		if of.byFlip != nil {
			weights[l.In-1] = of.byFlip[j]
		}
		l.Weights, l.Bias = append(l.Weights, weights...), append(l.Bias, of.Bias[j])
	}
	for j := range a.Out {
		row(&a, j, 0)
	}
	for j := range b.Out {
		row(&b, j, a.In)
	}
	flip := make([]float64, l.In)
	flip[l.In-1] = 1
	l.Weights, l.Bias = append(l.Weights, flip...), append(l.Bias, 0)
	return l
}
