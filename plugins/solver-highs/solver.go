package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

// version is the plugin's own.
const version = "1.0.0"

// solver implements sdk.Incremental. The library is looked for once, when it
// is first asked for.
type solver struct {
	open func() (*highs.Lib, error)
}

var _ sdk.Incremental = (*solver)(nil)

func newSolver() *solver { return &solver{open: sync.OnceValues(highs.Open)} }

// Describe answers also without the library.
func (s *solver) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:    "highs",
		Version: version,
		Summary: "mixed-integer linear programs with HiGHS (branch and cut, floating point)",
		Options: describedOptions(),
		Libraries: []sdk.Library{
			native.Report(s.open()),
		},
		Serves: []sdk.Service{
			{Form: problem.FormMILP, Goal: problem.Decide},
			{Form: problem.FormMILP, Goal: problem.Maximise},
		},
		Exactness: sdk.GradeNumerical,
	}, nil
}

// Solve is one Solve on a problem loaded for it.
func (s *solver) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	l, err := s.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	result, err := l.Solve(ctx, problem.Delta{}, o)
	return result, errors.Join(err, l.Close())
}

// Load keeps the problem in HiGHS.
func (s *solver) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	if p.MILP == nil {
		return nil, fmt.Errorf("%w: HiGHS answers problems in the %s form, this one is in the %s form", sdk.ErrUnsupported, problem.FormMILP, p.Form())
	}
	lib, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %v", sdk.ErrIncompatible, err)
	}
	return load(lib, p)
}
