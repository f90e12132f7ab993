package evaluate_test

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// applicants is a space of two features: an income, and the protected sex.
var applicants = &space.Space{Inputs: 2, Features: []space.Feature{
	{Name: "income", Kind: space.Integer, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
	{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"female", "male"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
}}

// lender is a network of one layer: its logit is income + 2·sex − 5.
var lender = &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
	{Name: "out", In: 2, Out: 1, Weights: []float64{1, 2}, Bias: []float64{-5}},
}}

func Example() {
	e, err := evaluate.New(lender, applicants, applicants.Whole(), big.NewRat(1, 20))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, income := range []float64{0, 4} {
		o := e.Evaluate([]float64{income, 0})
		fmt.Printf("income %v: k = %d of %d copies, gap %.4f, violates %v\n", income, o.K, o.N, o.Gap, o.Violates)
	}
	// Output:
	// income 0: k = 1 of 2 copies, gap 0.0407, violates false
	// income 4: k = 2 of 2 copies, gap 0.4621, violates true
}
