package certify

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/asked"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
)

// inParts decides the question in parts.
func (a *asker) inParts(ctx context.Context, run *session.Run) (*engine.Report, *partition.Report, error) {
	chunks, err := partition.ParseChunks(a.query.Space, a.Partition)
	if err != nil {
		return nil, nil, session.Mistake(fmt.Errorf("--%w", err))
	}
	solvers, closeAll, err := a.solvers(ctx)
	defer closeAll()
	if err != nil {
		return nil, nil, err
	}
	o := partition.Options{
		Chunks: chunks, Adaptive: a.Partition == partition.Adaptive, All: a.All,
		SoftTimeout: a.SoftTimeout, Solvers: solvers, Seed: a.Seed, Shard: a.session.Shard,
	}
	o.Progress = func(r partition.Report) { a.session.Show(r.String()) }
	if run.Kept != nil {
		o.Store = run.Kept
	}
	rep, err := partition.Run(ctx, a.query, o)
	if rep == nil {
		return nil, nil, err
	}
	return whole(ctx, rep), rep, err
}

// solvers returns the settings of each solver process: the running one and, with --jobs,
// more of its kind. closeAll ends the latter.
func (a *asker) solvers(ctx context.Context) (all []engine.Options, closeAll func(), err error) {
	var more []discover.Solvers
	closeAll = func() {
		for _, p := range more {
			p.Close()
		}
	}
	all = append(all, a.options(a.plugins))
	for len(all) < a.session.Jobs {
		p, err := engine.OpenSolvers(ctx, a.session, asked.SolverOf(a.plugins...).Name, a.Encoding, a.Set)
		if err != nil {
			return all, closeAll, err
		}
		more = append(more, p)
		all = append(all, a.options(p))
	}
	return all, closeAll, nil
}

// whole merges the parts' reports into one for the question.
func whole(ctx context.Context, p *partition.Report) *engine.Report {
	rep := p.Report
	if rep.Regions = p.By; rep.Verdict != engine.Fair {
		rep.Grade, rep.Tolerance, rep.ToleranceFormula = 0, 0, ""
	}
	if p.Undecided > 0 {
		rep.Reason = cmp.Or(engine.Over(ctx), fmt.Sprintf("%d of %d partitions are undecided", p.Undecided, p.Total))
	}
	return &rep
}
