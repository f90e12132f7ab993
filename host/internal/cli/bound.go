package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/sdk/problem"
)

// prover is the solver that --bound asks, beside what a command finds by other
// means: the default one of networks.
type prover struct {
	plugin  *discover.Plugin
	options certify.Options
}

// prover starts the solver, which must answer every one of the goals. Options of
// --set are not for it: they are those of the command's own plugins.
func (a *App) prover(ctx context.Context, goals ...problem.Goal) (*prover, error) {
	memory, err := a.memoryBytes()
	if err != nil {
		return nil, usage(err)
	}
	catalogue, err := a.catalogue()
	if err != nil {
		return nil, err
	}
	plugin, err := catalogue.DefaultSolver(ctx, nil, problem.FormNetwork, append(goals, problem.Decide)...)
	if err != nil {
		return nil, fmt.Errorf("--bound: %w", err)
	}
	return &prover{plugin, certify.Options{
		Solver: plugin.Solver(), Description: plugin.Description(), Threads: a.threads(), Memory: memory, Seed: a.Seed,
	}}, nil
}

func (p *prover) close() { p.plugin.Close() }

// name is the solver's.
func (p *prover) name() string { return p.options.Description.Name }

// enclose bounds one value over the individuals of a query within the limit, see
// certify.Enclose. The error may come with what is known in spite of it: the
// solver was lost, or contradicted itself or an individual.
func (p *prover) enclose(ctx context.Context, q problem.Query, goal problem.Goal, limit time.Duration, known [][]float64) (*certify.Extreme, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	q.Goal = goal
	e, err := certify.Enclose(ctx, &q, p.options, known)
	if e != nil && len(e.Faults) > 0 {
		err = errors.Join(err, errors.New(strings.Join(e.Faults, "; ")))
	}
	return e, err
}

// maxK bounds the largest k of a question. A bound that comes with an error has
// its text.
func (p *prover) maxK(ctx context.Context, q *problem.Query, limit time.Duration) (*search.Bound, error) {
	start := time.Now()
	e, err := p.enclose(ctx, *q, problem.MaxK, limit, nil)
	if e == nil {
		return nil, err
	}
	b := &search.Bound{Grade: e.Grade.String(), Solver: p.name(), Seconds: time.Since(start).Seconds()}
	if !e.Nobody {
		b.MaxK = int(e.Bound)
	}
	if err != nil {
		b.Error = err.Error()
	}
	return b, err
}

// validateBound checks the time of a --bound.
func validateBound(limit time.Duration) error {
	if limit < 0 {
		return fmt.Errorf("--bound %v is negative", limit)
	}
	return nil
}
