package native

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Bound is a library as a plugin binds it: a struct with a *Library in it.
type Bound interface{ Report(error) sdk.Library }

// Plugin is the common part of all solver plugins around a library. It decides and
// optimises problems in one form. If the library is missing, it still describes
// itself, and refuses each problem with one sentence that says how to install it.
type Plugin[L Bound] struct {
	// About is the plugin's description, without Serves and Libraries.
	About sdk.Description
	Form  problem.Form
	// Library is the library's name in messages.
	Library string
	// Open finds and binds the library. It is called many times: use
	// sync.OnceValues.
	Open func() (L, error)
}

// Describe implements sdk.Solver.
func (p *Plugin[L]) Describe(context.Context) (sdk.Description, error) {
	d := p.About
	d.Serves = []sdk.Service{{Form: p.Form, Goal: problem.Decide}, {Form: p.Form, Goal: problem.Maximise}}
	lib, err := p.Open()
	var none *NotFoundError
	if errors.As(err, &none) {
		d.Libraries = []sdk.Library{none.Report()}
	} else {
		d.Libraries = []sdk.Library{lib.Report(err)}
	}
	return d, nil
}

// library returns the library if the problem is in its form.
func (p *Plugin[L]) library(asked *problem.Problem) (lib L, err error) {
	if form := asked.Form(); form != p.Form {
		return lib, fmt.Errorf("%w: %s answers problems in the %s form, this one is in the %s form", sdk.ErrUnsupported, p.Library, p.Form, form)
	}
	if lib, err = p.Open(); err != nil {
		return lib, fmt.Errorf("%w: %w", sdk.ErrIncompatible, err)
	}
	return lib, nil
}

// Solver is an sdk.Solver around a library that loads every problem from scratch.
type Solver[L Bound] struct {
	Plugin[L]
	Answer func(context.Context, L, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error)
}

// Solve implements sdk.Solver.
func (s *Solver[L]) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	lib, err := s.library(p)
	if err != nil {
		return nil, err
	}
	return s.Answer(ctx, lib, p, o)
}

// Incremental is an sdk.Incremental around a library that keeps loaded problems.
type Incremental[L Bound] struct {
	Plugin[L]
	Keep func(L, *problem.Problem) (sdk.Loaded, error)
}

// Load implements sdk.Incremental.
func (s *Incremental[L]) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	lib, err := s.library(p)
	if err != nil {
		return nil, err
	}
	return s.Keep(lib, p)
}

// Solve loads the problem, solves it and unloads it.
func (s *Incremental[L]) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	l, err := s.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	result, err := l.Solve(ctx, problem.Delta{}, o)
	return result, errors.Join(err, l.Close())
}
