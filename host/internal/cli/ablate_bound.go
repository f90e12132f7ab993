package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/sdk/problem"
)

// resolveProver starts the solver of --bound once: that there is none is told
// before the searches, not after. Its version is part of the plan.
func resolveProver(ctx context.Context, app *App, p *ablate.Plan) error {
	solver, err := app.prover(ctx, problem.MaxK)
	if err != nil {
		return err
	}
	defer solver.close()
	d := solver.options.Description
	p.Plugins[ablate.SolverKey(d.Name)] = ablate.Plugin{Name: d.Name, Version: d.Version, Library: libraryOf(d)}
	return nil
}

// boundOf asks for the bound of a network, of a solver in a process of its own,
// which has the threads and the memory that each task had.
func (a *App) boundOf(p *ablate.Plan) func(context.Context, *ablate.Subject) (*search.Bound, error) {
	return func(ctx context.Context, s *ablate.Subject) (*search.Bound, error) {
		own := *a
		own.Threads, own.Seed, own.Data, own.Memory = p.Threads, p.Seed, s.Source.Data, ""
		if p.Memory > 0 {
			own.Memory = strconv.FormatInt(p.Memory, 10)
		}
		question := questionFlags{model: s.Source.Model, epsilon: s.Epsilon, protected: p.Protected, where: p.Where, rules: p.Rules}
		st, q, err := question.scores(&own, s.Source.Study)
		if err != nil {
			return nil, err
		}
		if st.SHA256 != s.StudySHA256 || st.ModelSHA256 != s.ModelSHA256 {
			return nil, fmt.Errorf("the study %s or its network was changed since the ablation began", s.Source.Study)
		}
		solver, err := own.prover(ctx, problem.MaxK)
		if err != nil {
			return nil, err
		}
		defer solver.close()
		return solver.maxK(ctx, q, p.Bound)
	}
}
