package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Recall reads a plan back from a task of the journal, and sets the control for its tables.
func Recall(t record.Task, control string) (experiment.Plan, error) {
	p, err := experiment.PlanOf[Plan](t, command, "comparison")
	if err != nil {
		return nil, err
	}
	p.Control = control
	return p, nil
}

// Do implements experiment.Plan. Its error joins those of tasks that fail twice.
func (p *Plan) Do(ctx context.Context, b *experiment.Bench) error {
	var tasks []experiment.Task
	for _, e := range p.Entries() {
		job, err := p.job(e)
		if err != nil {
			return err
		}
		var plugins []string
		for _, name := range discover.Members(job.Solver) {
			plugins = append(plugins, experiment.SolverKey(name))
		}
		asked := *job
		asked.Spec, asked.Arm = asked.Spec.Canonical(), ""
		tasks = append(tasks, experiment.Task{Key: e.Key, Asked: []any{asked, e.Subject.Yardstick}, Plugins: plugins, Cell: e.Cell(), Group: e.Group(&e.Subject.Subject), Try: func(ctx context.Context, cores []int, _ string, tell func(string)) (experiment.Outcome, error) {
			return p.try(ctx, e, job, b, cores, tell)
		}})
	}
	return b.Run(ctx, tasks, experiment.Options{Jobs: p.Jobs, Limit: p.Limit()})
}

// try runs a task once.
func (p *Plan) try(ctx context.Context, e Entry, job *Job, b *experiment.Bench, cores []int, tell func(string)) (out experiment.Outcome, err error) {
	f, err := newFold(e.Subject, e.Arm)
	if err != nil {
		return out, err
	}
	usage, err := b.Work(ctx, experiment.Errand{Key: e.Key, Kind: command, Request: job, Spec: &job.Spec, Measured: job.Measured, Assignment: workers.Assignment{Limit: job.Timeout, Cores: cores, Procs: p.Threads}}, func(event record.Event) error {
		if event.Kind == record.KindProgress {
			tell(fmt.Sprintf("%s: %d found, %d regions open", e.Key, event.Progress.Found, event.Progress.Open))
			return nil
		}
		out.Events = append(out.Events, event)
		return f.add(&event)
	})
	switch {
	case err != nil:
		return out, err
	case f.interrupted:
		return out, errors.New("the worker was interrupted")
	case !f.finished && !usage.Killed:
		return out, errors.New("the worker ended before its task did")
	}
	f.doubt(ctx, e.Seed)
	result, err := f.end(e.Subject.Yardstick)
	if err != nil {
		return out, err
	}
	result.Charge(&p.Terms, usage, f.finished)
	result.Killed = usage.Killed && result.MemoryKilled == 0
	if trouble := p.Trouble(&result.Cost); trouble != nil {
		result.Error = strings.TrimSuffix(trouble.Error()+": "+result.Error, ": ")
	}
	out.Result = result
	return out, nil
}

// Tabulate implements experiment.Plan.
func (p *Plan) Tabulate(from record.Store) (experiment.Table, error) {
	c, err := Tabulate(p, experiment.Results[Result, Subject, Arm](from))
	if err != nil {
		return nil, err
	}
	if n := len(c.Disagreements); n > 0 {
		err = fmt.Errorf("%d disagreements: a %w", n, session.ErrContradiction)
	}
	return c, err
}

// Keep implements experiment.Table.
func (c *Comparison) Keep(where experiment.Kept) { where.In(&c.Head, &c.Conditions, &c.Interrupted) }

// Failure implements experiment.Table; Do reports failures.
func (c *Comparison) Failure() error { return nil }
