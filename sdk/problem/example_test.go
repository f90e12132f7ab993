package problem_test

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/problem"
)

// knapsack asks for the most of 5·a + 4·b with 3·a + 2·b ≤ 6, both from 0 to 2.
var knapsack = &problem.MILP{
	Columns:   []problem.Column{{Name: "a", Hi: 2, Integer: true}, {Name: "b", Hi: 2, Integer: true}},
	Rows:      []problem.Row{{Name: "weight", Lo: math.Inf(-1), Hi: 6, Terms: []problem.Term{{Column: 0, Coef: 3}, {Column: 1, Coef: 2}}}},
	Objective: problem.Objective{Maximise: true, Terms: []problem.Term{{Column: 0, Coef: 5}, {Column: 1, Coef: 4}}},
}

func Example() {
	p := &problem.Problem{Name: "knapsack", MILP: knapsack}
	if err := p.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Form(), problem.Evaluate(knapsack.Objective.Terms, []float64{0, 2}), knapsack.Violation([]float64{2, 2}))
	// A delta with Push can be taken back by a later Pop.
	s := problem.NewStack(p)
	narrow, err := s.Apply(problem.Delta{Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 1, Hi: 1}}})
	fmt.Println(narrow.MILP.Columns[0].Hi, err)
	wide, err := s.Apply(problem.Delta{Pop: 1})
	fmt.Println(wide.MILP.Columns[0].Hi, err)
	// Output:
	// milp 8 4
	// 1 <nil>
	// 2 <nil>
}
