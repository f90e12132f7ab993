package ablate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Resolve launches each plugin to learn its version, then starts each arm's search on the
// first network, so that a mistake in an arm is reported before any task runs, with its place
// in the file. Settle must have been called.
func (p *Plan) Resolve(ctx context.Context, s *session.Session) error {
	for i := range p.Arms {
		if err := p.resolve(ctx, s, i); err != nil {
			return fmt.Errorf("%s: arm %s: %w", p.Arms[i].At, p.Arms[i].Name, err)
		}
	}
	if p.Bound == 0 {
		return nil
	}
	// A missing solver is reported before the searches, too.
	solver, err := engine.OpenProver(ctx, s, p.Seed, problem.MaxK)
	if err != nil {
		return err
	}
	defer solver.Close()
	p.prover = experiment.SolverKey(solver.Plugin.Description().Name)
	p.Plugins[p.prover], err = experiment.PluginOf(solver.Plugin)
	return err
}

func (p *Plan) resolve(ctx context.Context, s *session.Session, arm int) error {
	a := &p.Arms[arm]
	if err := experiment.Learn(ctx, s, p.Plugins, client.Strategy, a.Strategy, discover.Missing); err != nil {
		return err
	}
	if a.Solver != NoSolver {
		if err := experiment.Learn(ctx, s, p.Plugins, client.Solver, a.Solver, discover.Missing); err != nil {
			return err
		}
	}
	searcher, err := search.Open(ctx, s, *p.Request(p.Entries()[arm]))
	if err != nil {
		return session.Mistake(err)
	}
	defer searcher.Close()
	return session.Mistake(searcher.Try(ctx))
}

// boundOf computes the bound of a network with a newly launched solver.
func (p *Plan) boundOf(ctx context.Context, s *session.Session, of *Subject) (*search.Bound, error) {
	asked, err := question.Open(of.Source)
	if err != nil {
		return nil, err
	}
	q, err := asked.Scores()
	if err != nil {
		return nil, err
	}
	solver, err := engine.OpenProver(ctx, s, p.Seed, problem.MaxK)
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	b, err := search.Prove(ctx, solver, q, p.Bound)
	if b != nil && errors.Is(err, session.ErrContradiction) {
		return b, nil // b holds the error's text, which the tables show
	}
	return b, err
}
