package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

// version is the plugin's own.
const version = "1.0.0"

// solver implements sdk.Incremental. The library is looked for once, when it
// is first asked for.
type solver struct {
	open func() (*z3.Lib, error)
}

var _ sdk.Incremental = (*solver)(nil)

func newSolver() *solver { return &solver{open: sync.OnceValues(z3.Open)} }

// Describe answers also without the library.
func (s *solver) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:    "z3",
		Version: version,
		Summary: "SMT-LIB 2 scripts with Z3 (satisfiability modulo theories, exact rational arithmetic)",
		Options: describedOptions(),
		Libraries: []sdk.Library{
			native.Report(s.open()),
		},
		Serves: []sdk.Service{
			{Form: problem.FormSMT, Goal: problem.Decide},
			{Form: problem.FormSMT, Goal: problem.Maximise},
		},
		Exactness: sdk.GradeExact,
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

// Load keeps the script in Z3.
func (s *solver) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	if p.SMT == nil {
		return nil, fmt.Errorf("%w: Z3 answers problems in the %s form, this one is in the %s form", sdk.ErrUnsupported, problem.FormSMT, p.Form())
	}
	lib, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %v", sdk.ErrIncompatible, err)
	}
	return load(lib, p.SMT)
}
