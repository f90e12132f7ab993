package reference

import (
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Tenure returns a space of two features and a protected one, and a network that counts
// years against group b only: the logit is 4 for group a, 4 − years for group b.
func Tenure() (*space.Space, *relu.Network) {
	s := &space.Space{
		Features: []space.Feature{
			{Name: "years", Kind: space.Integer, Lo: 0, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "group", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"a", "b"}, Protected: []float64{0, 1},
				Inputs: []space.Input{{Index: 1, Scale: 1}}},
			{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"baker", "clerk, junior"},
				Inputs: []space.Input{{Index: 2, Scale: 1}}},
		},
		Inputs: 3,
	}
	n := &relu.Network{
		Layers: []relu.Layer{
			{Name: "hidden", In: 3, Out: 1, Weights: []float64{1, 20, 0}, Bias: []float64{-20}, ReLU: true},
			{Name: "output", In: 1, Out: 1, Weights: []float64{-1}, Bias: []float64{4}},
		},
		Head: relu.HeadSigmoid, Precision: 64,
	}
	return s, n
}
