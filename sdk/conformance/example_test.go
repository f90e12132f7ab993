package conformance_test

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/problem"
)

// boaster claims that every problem is infeasible.
type boaster struct{}

func (boaster) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "boaster", Version: "1.0.0", Summary: "claims that nothing is feasible",
		Serves: []sdk.Service{{Form: problem.FormMILP, Goal: problem.Decide}, {Form: problem.FormMILP, Goal: problem.Maximise}}, Exactness: sdk.GradeNumerical,
	}, nil
}

func (boaster) Solve(context.Context, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error) {
	return &sdk.Result{Status: sdk.Infeasible, Native: "infeasible"}, nil
}

func Example() {
	report, err := conformance.CheckSolver(context.Background(), boaster{}, conformance.Options{Only: []string{"describe", "milp/*"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.OK(), report.Outcomes[0].Case, report.Outcomes[0].Verdict, report.Count(conformance.Failed) > 0)
	// Output: false describe passed true
}
