package relu_test

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// lender is a network of one layer: its logit is income + 2·sex − 5.
var lender = &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
	{Name: "out", In: 2, Out: 1, Weights: []float64{1, 2}, Bias: []float64{-5}},
}}

func Example() {
	if err := lender.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lender.Logit([]float64{4, 1}), lender.Exact().Logit([]*big.Rat{big.NewRat(4, 1), big.NewRat(1, 1)}))
	// Output: 1 1/1
}
