package space_test

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/space"
)

// applicants is a space of two features: an income, and the protected sex.
var applicants = &space.Space{Inputs: 2, Features: []space.Feature{
	{Name: "income", Kind: space.Integer, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
	{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"female", "male"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
}}

func Example() {
	if err := applicants.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	where, err := space.ParsePredicate(applicants, "income=3..5")
	if err != nil {
		fmt.Println(err)
		return
	}
	region, _, err := applicants.Cut(applicants.Whole(), where)
	n, _ := applicants.CountIndividuals(region.Box, 100)
	fmt.Println(n, "individuals, each with", region.Count(), "copies;", err)
	fmt.Println(applicants.Counterfactuals(region, []float64{4, 0}))
	// Output:
	// 3 individuals, each with 2 copies; <nil>
	// [[4 0] [4 1]]
}
