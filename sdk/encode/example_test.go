package encode_test

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
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
	q := &problem.Query{Model: lender, Space: applicants, Region: applicants.Whole(), Notion: fairness.Logit, Epsilon: big.NewRat(1, 1), K: 2, Goal: problem.Decide}
	b := bound.Linear(lender, bound.Inputs(applicants, applicants.Whole()))
	low, err := encode.BigM(q, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Two people, lifted to values of all columns, satisfy the rows; and come back.
	people := [][]float64{{4, 0}, {4, 1}}
	values, err := low.Lift(people)
	if err != nil {
		fmt.Println(err)
		return
	}
	values[low.Slack] = 0 // the room that rows of a notion may share: there are none yet
	fmt.Println(low.Fidelity == encode.Exact, low.Problem.MILP.Violation(values))
	fmt.Println(low.Decode(problem.Floats(values)))
	// Output:
	// true 0
	// [[4 0] [4 1]] <nil>
}
