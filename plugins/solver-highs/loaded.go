package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// loaded keeps a problem in HiGHS and changes it there. Each Solve starts from the
// problem alone, so its answer does not depend on earlier calls.
type loaded struct {
	lib   *highs.Lib
	stack *problem.Stack
	model *highs.Model
	// held is the problem that HiGHS holds; nil if that is not known.
	held *problem.MILP
}

func load(lib *highs.Lib, p *problem.Problem) (sdk.Loaded, error) {
	model, err := lib.New()
	if err != nil {
		return nil, err
	}
	return &loaded{lib: lib, stack: problem.NewStack(p), model: model}, nil
}

// Close frees the problem.
func (l *loaded) Close() error {
	l.model.Close()
	return nil
}

// Solve applies the delta and answers the resulting problem. On an error it does not
// apply the delta.
func (l *loaded) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	begin := time.Now()
	s, err := options.Read(o.Options)
	if err != nil {
		return nil, err
	}
	before := *l.stack // Apply does not change the earlier levels
	p, err := l.stack.Apply(d)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	q := &question{Question: milp.Question{MILP: p.MILP, Options: o, Begin: begin}, lib: l.lib, settings: s}
	r, err := l.solve(ctx, q)
	if err != nil {
		*l.stack = before
		l.held = nil // HiGHS may hold a partial change
		return nil, err
	}
	return r, nil
}

func (l *loaded) solve(ctx context.Context, q *question) (*sdk.Result, error) {
	lost, err := numbers.Lost(q.MILP)
	if err != nil {
		return nil, err
	}
	q.Tolerance = max(lost, q.settings.tolerance())
	if len(q.MILP.Columns) == 0 {
		return q.WithoutColumns("empty"), nil
	}
	if err := l.bring(q.MILP, q.settings, q.Options); err != nil {
		return nil, err
	}
	return q.answer(ctx, l.model)
}

// bring makes HiGHS hold the problem.
func (l *loaded) bring(m *problem.MILP, s settings, o sdk.SolveOptions) error {
	// Options first: one of them decides which coefficients are dropped.
	if err := s.apply(l.model, o, -1); err != nil {
		return err
	}
	if l.held != nil && update(l.model, l.held, m) == nil {
		l.held = m
		return nil
	}
	l.held = nil
	p, err := arrays(m)
	if err != nil {
		return err
	}
	if err := l.model.Pass(p); err != nil {
		return fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
	}
	l.held = m
	return nil
}
