// Command hyfair-solver-lpsolve solves mixed-integer linear programs with lp_solve 5.5, a
// library that it binds at run time.
package main

import (
	"context"
	"sync"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() { serve.Solver(solver) }

// sdk/serve applies deltas: a run of lp_solve leaves its basis and scale factors in the
// model, so each run needs a new model.
var solver = &native.Solver[*lpsolve.Lib]{
	Plugin: native.Plugin[*lpsolve.Lib]{
		About: sdk.Description{
			Name:      "lpsolve",
			Version:   "1.0.0",
			Summary:   "mixed-integer linear programs with lp_solve (branch and bound, floating point)",
			Options:   options.Options(),
			Exactness: sdk.GradeNumerical,
			SOS1:      true,
		},
		Form:    problem.FormMILP,
		Library: lpsolve.Spec.Name,
		Open:    sync.OnceValues(lpsolve.Open),
	},
	Answer: ask,
}

// ask answers one problem. Not safe for concurrent use: see lpsolve.Lib.
func ask(ctx context.Context, lib *lpsolve.Lib, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	asked := milp.Question{MILP: p.MILP, Options: o, Begin: time.Now()}
	set, err := options.Read(o.Options)
	if err != nil {
		return nil, err
	}
	q, err := newQuestion(lib, asked, set)
	if err != nil {
		return nil, err
	}
	return q.answer(ctx)
}
