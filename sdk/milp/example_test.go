package milp_test

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// knapsack asks for the most of 5·a + 4·b with 3·a + 2·b ≤ 6, both from 0 to 2.
var knapsack = &problem.MILP{
	Columns:   []problem.Column{{Name: "a", Hi: 2, Integer: true}, {Name: "b", Hi: 2, Integer: true}},
	Rows:      []problem.Row{{Name: "weight", Lo: math.Inf(-1), Hi: 6, Terms: []problem.Term{{Column: 0, Coef: 3}, {Column: 1, Coef: 2}}}},
	Objective: problem.Objective{Maximise: true, Terms: []problem.Term{{Column: 0, Coef: 5}, {Column: 1, Coef: 4}}},
}

// A solver by enumeration: the monitor keeps the incumbent and the limits.
func Example() {
	q := milp.Question{MILP: knapsack, Begin: time.Now(), Tolerance: 1e-9}
	m := milp.Watch(context.Background(), q)
	nodes := int64(0)
	for a := 0.0; a <= 2; a++ {
		for b := 0.0; b <= 2; b++ {
			if point := []float64{a, b}; q.Feasible(point) {
				m.Found(point)
			}
			nodes++
			m.Searched(nodes)
		}
	}
	m.End()
	point := m.Incumbent()
	r := q.Result(milp.Claim{Status: sdk.Optimal, Native: "enumerated"}, nodes)
	fmt.Println(point, q.Objective(point), r.Status, r.Nodes)
	// Output: [2 0] 10 optimal 9
}
