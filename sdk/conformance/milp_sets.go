package conformance

import (
	"context"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

var milpSetCases = []SolverCase{
	{Name: "milp/sets", Doc: "at most one column of a special ordered set differs from zero",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkSets},
}

func checkSets(ctx context.Context, e *SolverEnv) error {
	if !e.Description.SOS1 {
		return skip("special ordered sets are not claimed")
	}
	for _, k := range setProblems() {
		if _, err := e.askMILP(ctx, k.name, k.p, k.want, sdk.SolveOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func setProblems() []known {
	sets := func(list ...[]int) []problem.SOS1 {
		out := make([]problem.SOS1, len(list))
		for i, columns := range list {
			out[i] = problem.SOS1{Name: "s", Columns: columns}
		}
		return out
	}
	return []known{
		{"one of two", &problem.MILP{
			Columns: reals(2, 0, 3), Rows: []problem.Row{row(-inf, 9, 1, 1)}, SOS1: sets([]int{0, 1}), Objective: maximise(2, 3),
		}, optimum(9)},
		{"none of one column and of none", &problem.MILP{
			Columns: reals(2, 0, 3), Rows: []problem.Row{row(-inf, 9, 1, 1)}, SOS1: sets([]int{0}, nil), Objective: maximise(2, 3),
		}, optimum(15)},
		{"overlapping", &problem.MILP{
			Columns: reals(3, 0, 2), Rows: []problem.Row{row(-inf, 9, 1, 1, 1)}, SOS1: sets([]int{0, 1}, []int{2, 1}), Objective: maximise(2, 3, 2),
		}, optimum(8)},
		{"a value and its two parts", &problem.MILP{
			Columns:   []problem.Column{{Name: "y", Lo: -2, Hi: 3, Role: problem.RoleOther}, {Name: "p", Hi: 3, Role: problem.RoleOther}, {Name: "n", Hi: 2, Role: problem.RoleOther}},
			Rows:      []problem.Row{row(0, 0, 1, -1, 1)},
			SOS1:      sets([]int{1, 2}),
			Objective: maximise(0, 1, 1),
		}, optimum(3)},
		{"a column in no row", &problem.MILP{
			Columns: reals(3, 0, 3), Rows: []problem.Row{row(-11, inf, 0, 3, -2)}, SOS1: sets([]int{2, 1, 0}), Objective: minimise(-4, 5, 6),
		}, optimum(-12)},
		{"negative values", &problem.MILP{
			Columns: reals(2, -4, 3), Rows: []problem.Row{row(-9, inf, 1, 1)}, SOS1: sets([]int{0, 1}), Objective: minimise(1, 1),
		}, optimum(-4)},
		{"integers", &problem.MILP{
			Columns: integers(3, 0, 4), Rows: []problem.Row{row(-inf, 7, 2, 1, 2)}, SOS1: sets([]int{0, 1, 2}), Objective: maximise(3, 2, 3),
		}, optimum(9)},
		{"infeasible", &problem.MILP{
			Columns: integers(3, 0, 4), Rows: []problem.Row{row(5, inf, 1, 1, 1)}, SOS1: sets([]int{0, 1, 2}), Objective: maximise(1),
		}, infeasible},
	}
}
