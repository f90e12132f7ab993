package model_test

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// A family registers how its models are read; a program that imports the family's package can read them.
func Example() {
	stump := &trees.Ensemble{Columns: 1, Output: fairness.LinkSigmoid, Trees: []trees.Tree{{{Value: 3.5, Left: 1, Right: 2}, trees.Leaf(-2), trees.Leaf(1)}}}
	content, err := stump.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, known, err := model.Read(trees.Family, content)
	if err != nil || !known {
		fmt.Println(known, err)
		return
	}
	fmt.Println(m.Family(), m.Inputs(), m.Logit([]float64{3}), m.Logit([]float64{4}))
	_, known, _ = model.Read("oracle", content)
	fmt.Println(known)
	// Output:
	// trees 1 -2 1
	// false
}
