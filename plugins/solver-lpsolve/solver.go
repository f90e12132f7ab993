package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/watch"
)

// version is the plugin's own.
const version = "1.0.0"

// solver implements sdk.Solver. The library is looked for once, when it is
// first asked for. Deltas are sdk/serve's business: a run of lp_solve leaves
// its basis and scale factors in the model, so each starts from a fresh one.
type solver struct {
	open func() (*lpsolve.Lib, error)
}

var _ sdk.Solver = (*solver)(nil)

func newSolver() *solver { return &solver{open: sync.OnceValues(lpsolve.Open)} }

// Describe answers also without the library.
func (s *solver) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:      "lpsolve",
		Version:   version,
		Summary:   "mixed-integer linear programs with lp_solve (branch and bound, floating point)",
		Options:   describedOptions(),
		Libraries: []sdk.Library{native.Report(s.open())},
		Serves: []sdk.Service{
			{Form: problem.FormMILP, Goal: problem.Decide},
			{Form: problem.FormMILP, Goal: problem.Maximise},
		},
		Exactness: sdk.GradeNumerical,
		SOS1:      true,
	}, nil
}

// Solve answers one problem. Not safe for concurrent use: see lpsolve.Lib.
func (s *solver) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	begin := time.Now()
	if p.MILP == nil {
		return nil, fmt.Errorf("%w: lp_solve answers problems in the %s form, this one is in the %s form", sdk.ErrUnsupported, problem.FormMILP, p.Form())
	}
	set, err := parseOptions(o.Options)
	if err != nil {
		return nil, err
	}
	lib, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %v", sdk.ErrIncompatible, err)
	}
	q, err := newQuestion(lib, watch.Question{MILP: p.MILP, Options: o, Begin: begin}, set)
	if err != nil {
		return nil, err
	}
	return q.answer(ctx)
}
