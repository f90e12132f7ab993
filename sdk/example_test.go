package sdk_test

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// idle is a solver of the MILP form that claims nothing.
type idle struct{}

func (idle) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "idle", Version: "1.0.0", Summary: "claims nothing",
		Serves: []sdk.Service{{Form: problem.FormMILP, Goal: problem.Decide}}, Exactness: sdk.GradeNumerical,
	}, nil
}

func (idle) Solve(context.Context, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error) {
	return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete, Native: "idle"}, nil
}

// A solver describes itself and answers problems. Its main is one call: serve.Solver(idle{}).
func Example() {
	var s sdk.Solver = idle{}
	d, err := s.Describe(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Name, d.Answers(problem.FormMILP, problem.Decide), d.Answers(problem.FormSMT, problem.Decide))
	r, err := s.Solve(context.Background(), &problem.Problem{MILP: &problem.MILP{}}, sdk.SolveOptions{})
	fmt.Println(r.Status, r.Reason, err)
	// Output:
	// idle true false
	// unknown incomplete <nil>
}
