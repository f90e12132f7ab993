package serve_test

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/serve"
	"google.golang.org/grpc"
)

// idle is a solver that claims nothing.
type idle struct{}

func (idle) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "idle", Version: "1.0.0", Summary: "claims nothing"}, nil
}

func (idle) Solve(context.Context, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error) {
	return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete, Native: "idle"}, nil
}

// The main of a plugin is serve.Solver(idle{}). A gRPC server of one's own takes the same solver.
func Example() {
	s := grpc.NewServer(serve.ServerOptions()...)
	serve.RegisterSolver(s, idle{})
	for name := range s.GetServiceInfo() {
		fmt.Println(name)
	}
	// Output: hyfair.solver.v1.Solver
}
