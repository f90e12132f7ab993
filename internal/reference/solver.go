// Package reference holds Enumerator and Wanderer, a solver and a strategy that are
// simple, correct and slow. Tests of hosts, of plugins and of the conformance suite
// compare with them.
package reference

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/option"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Enumerator is a solver that tries every point, in exact arithmetic. It takes every
// form: a MILP whose integer columns are bounded (the simplex method solves the
// continuous ones), an SMT-LIB script of the fragment of internal/script, and a network
// over discrete features. It is for problems of a few columns, symbols or features; for
// what it cannot enumerate it returns Unknown, Incomplete. The zero value is ready, and
// safe for concurrent use.
type Enumerator struct{}

var _ sdk.Incremental = Enumerator{}

// Describe implements sdk.Solver.
func (Enumerator) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "enumerate", Version: "1.0.0", Summary: "tries every point of tiny problems, exactly",
		Options: []sdk.Option{{Name: "order", Default: "up", Help: "order of enumeration: up or down"}},
		Serves: []sdk.Service{
			{Form: problem.FormNetwork, Goal: problem.Decide}, {Form: problem.FormNetwork, Goal: problem.Maximise},
			{Form: problem.FormNetwork, Goal: problem.Minimise}, {Form: problem.FormNetwork, Goal: problem.Quantify},
			{Form: problem.FormNetwork, Goal: problem.MaxK}, {Form: problem.FormNetwork, Goal: problem.MinK},
			{Form: problem.FormMILP, Goal: problem.Decide}, {Form: problem.FormMILP, Goal: problem.Maximise},
			{Form: problem.FormSMT, Goal: problem.Decide},
		},
		Families:  []string{relu.Family, trees.Family, linear.Family},
		Exactness: sdk.GradeExact, SOS1: true, Concurrent: true,
	}, nil
}

// Solve implements sdk.Solver.
func (e Enumerator) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	d, err := e.Describe(ctx)
	if err != nil {
		return nil, err
	}
	options := option.Read(d.Options, o.Options)
	options.Choice("order", "up", "down")
	if err := options.Err(); err != nil {
		return nil, err
	}
	m := newMeter(ctx, o)
	var r *sdk.Result
	switch p.Form() {
	case problem.FormNetwork:
		if err = d.Refuses(p.Query.Model); err == nil {
			r, err = solveNetwork(m, p.Query, o)
		}
	case problem.FormMILP:
		r, err = solveMILP(m, p.MILP, o)
	case problem.FormSMT:
		r, err = solveScript(m, p.SMT, o)
	default:
		err = fmt.Errorf("problem %q has no form: %w", p.Name, sdk.ErrInvalidProblem)
	}
	if err != nil {
		return nil, err
	}
	r.Nodes, r.Elapsed = m.work, time.Since(m.start)
	if r.Native == "" {
		r.Native = r.Status.String()
	}
	return r, nil
}

// Load implements sdk.Incremental.
func (e Enumerator) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	return &loaded{e, problem.NewStack(p)}, nil
}

// loaded answers deltas by solving from scratch.
type loaded struct {
	solver sdk.Solver
	stack  *problem.Stack
}

func (l *loaded) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	p, err := l.stack.Apply(d)
	if err != nil {
		return nil, errors.Join(sdk.ErrInvalidProblem, err)
	}
	return l.solver.Solve(ctx, p, o)
}

func (l *loaded) Close() error { return nil }

// meter counts work and reports when a limit is reached.
type meter struct {
	ctx         context.Context
	start       time.Time
	deadline    time.Time // zero if there is none
	work, limit int64
	reason      sdk.Reason
}

func newMeter(ctx context.Context, o sdk.SolveOptions) *meter {
	m := &meter{ctx: ctx, start: time.Now(), limit: o.WorkLimit}
	if o.TimeLimit > 0 {
		m.deadline = m.start.Add(o.TimeLimit)
	}
	return m
}

// stop counts one unit of work and reports whether to stop; then reason says why.
func (m *meter) stop() bool {
	if m.reason != sdk.NoReason {
		return true
	}
	switch {
	case m.limit > 0 && m.work >= m.limit:
		m.reason = sdk.WorkLimit
	case m.work%16 != 0:
	case m.ctx.Err() != nil:
		m.reason = sdk.Interrupted
	case !m.deadline.IsZero() && time.Now().After(m.deadline):
		m.reason = sdk.TimeLimit
	}
	if m.reason == sdk.NoReason {
		m.work++
	}
	return m.reason != sdk.NoReason
}

// conclude returns the claim after an enumeration. held reports whether there is a point,
// best whether the search was for the best one, complete whether every point was tried.
func (m *meter) conclude(held, best, complete bool) (sdk.Status, sdk.Reason) {
	switch {
	case m.reason != sdk.NoReason && held:
		return sdk.Feasible, m.reason
	case m.reason != sdk.NoReason:
		return sdk.Unknown, m.reason
	case held && best && complete:
		return sdk.Optimal, sdk.NoReason
	case held:
		return sdk.Feasible, sdk.NoReason
	case complete:
		return sdk.Infeasible, sdk.NoReason
	}
	return sdk.Unknown, sdk.Incomplete
}
