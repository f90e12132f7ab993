package nearest_test

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/chain/nearest"
	"github.com/hyfair/hyfair/sdk/space"
)

// applicants is a space of two features: an income, and the protected sex.
var applicants = &space.Space{Inputs: 2, Features: []space.Feature{
	{Name: "income", Kind: space.Integer, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
	{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"female", "male"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
}}

func Example() {
	x := nearest.New(applicants, [][]float64{{1, 0}, {1, 1}, {5, 0}, {9, 1}})
	fmt.Println(x.Len(), "individuals; nearest to 6:", x.Find([]float64{6, 0}, 2))
	// Output: 3 individuals; nearest to 6: [[5 0] [9 1]]
}
