package bound_test

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// lender is a network of one layer: its logit is income + 2·sex − 5.
var lender = &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
	{Name: "out", In: 2, Out: 1, Weights: []float64{1, 2}, Bias: []float64{-5}},
}}

func Example() {
	b := bound.Linear(lender, []space.Interval{{Lo: 0, Hi: 9}, {Lo: 0, Hi: 1}})
	fmt.Printf("the logit is in [%.3f, %.3f]\n", b.Logit.Lo, b.Logit.Hi)
	// Output: the logit is in [-5.000, 6.000]
}
