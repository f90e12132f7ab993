package ablate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Recall reads a plan back from a task of the journal, and sets the target k and the control for
// its tables.
func Recall(t record.Task, target int, control string) (experiment.Plan, error) {
	p, err := experiment.PlanOf[Plan](t, command, "ablation")
	if err != nil {
		return nil, err
	}
	p.Target, p.Control = target, control
	return p, nil
}

// Do implements experiment.Plan. A task that fails twice is recorded as failed; the tables report
// it.
func (p *Plan) Do(ctx context.Context, b *experiment.Bench) error {
	var tasks []experiment.Task
	for _, e := range p.Entries() {
		asked := *p.Request(e)
		asked.Spec = asked.Spec.Canonical()
		plugins, group := []string{experiment.StrategyKey(e.Arm.Strategy), experiment.SolverKey(e.Arm.Solver)}, ""
		if p.Limit() > 0 { // otherwise times are not compared
			group = e.Group(&e.Subject.Subject)
		}
		tasks = append(tasks, experiment.Task{Key: e.Key, Asked: asked, Plugins: plugins, Cell: e.Cell(), Group: group, Try: func(ctx context.Context, cores []int, retried string, tell func(string)) (experiment.Outcome, error) {
			f, err := p.try(ctx, e, b, cores, tell)
			f.result.Retried = retried
			return experiment.Outcome{Result: &f.result, Events: f.events}, err
		}})
	}
	err := b.Run(ctx, tasks, experiment.Options{
		Jobs: p.Jobs, Limit: p.Limit(),
		Failed: func(known any, err error, retried string) any {
			return &Result{Cost: known.(*Result).Cost, Error: err.Error(), Reason: experiment.ReasonOf(err), Retried: retried}
		},
	})
	if err != nil {
		return err
	}
	return p.prove(ctx, b, func(ctx context.Context, of *Subject) (*search.Bound, error) { return p.boundOf(ctx, b.Session, of) })
}

// try runs a task once.
func (p *Plan) try(ctx context.Context, e Entry, b *experiment.Bench, cores []int, tell func(string)) (*fold, error) {
	f := &fold{fast: e.Arm.Mode == ModeFast}
	// Procs is the GOMAXPROCS of worker and plugins; a solver's threads are set by an option.
	r := p.Request(e)
	t := workers.Assignment{Limit: p.Limit(), Cores: cores, Procs: p.Threads}
	usage, err := b.Work(ctx, experiment.Errand{Key: e.Key, Kind: "search", Request: r, Spec: &r.Spec, Assignment: t}, func(event record.Event) error {
		if p := event.Progress; p != nil {
			tell(fmt.Sprintf("%s: %d found, largest k %d", e.Key, p.Found, p.MaxK))
		}
		f.add(event)
		return nil
	})
	f.result.Charge(&p.Terms, usage, f.finished)
	_, bad := f.end()
	switch {
	case err != nil && !f.finished:
	case bad != nil: // the worker's events say more than its exit status
		err = bad
	}
	if usage.Killed && !f.finished {
		err = experiment.Because(experiment.ByTime, errors.New("the worker did not end by itself and was killed"))
	}
	if trouble := p.Trouble(&f.result.Cost); trouble != nil && err != nil {
		err = fmt.Errorf("%w: %w", trouble, err)
	}
	return f, err
}

// Tabulate implements experiment.Plan.
func (p *Plan) Tabulate(from record.Store) (experiment.Table, error) {
	a, err := Tabulate(p, p.Target, experiment.Results[Result, Subject, Arm](from))
	if err != nil {
		return nil, err
	}
	if err := a.TakeBounds(p, from); err != nil {
		return nil, err
	}
	return a, session.Refuted(a.Disagreements)
}

// Keep implements experiment.Table.
func (a *Ablation) Keep(where experiment.Kept) { where.In(&a.Head, &a.Conditions, &a.Interrupted) }

// Failure implements experiment.Table.
func (a *Ablation) Failure() error {
	if a.Failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d tasks failed twice; the same command tries them again", a.Failed, a.Tasks)
}
