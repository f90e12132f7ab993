package trees_test

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

func Example() {
	m := &trees.Ensemble{Columns: 2, Output: fairness.LinkSigmoid, Base: 0.5, Trees: []trees.Tree{
		{{Input: 0, Value: 3.5, Left: 1, Right: 2}, trees.Leaf(-2), trees.Leaf(1)},
		{{Input: 1, Value: 0.5, Left: 1, Right: 2}, trees.Leaf(0), trees.Leaf(0.25)},
	}}
	if err := m.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Logit([]float64{3, 1}), m.Logit([]float64{4, 0}))
	// Output: -1.25 1.5
}
