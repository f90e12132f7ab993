package ablate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
)

// Worker does one task somewhere, on these processors (none: on any), hands its
// events over in order, and tells what it cost.
type Worker func(ctx context.Context, r *search.Request, cores []int, event func(record.Event) error) (workers.Usage, error)

// Run does the tasks of the plan that the record has no result of, see
// experiment.Run. A task that fails twice is recorded as failed; failed tasks are
// for the tables to tell.
func Run(ctx context.Context, p *Plan, kept experiment.Record, work Worker, slots [][]int, progress func(experiment.Progress)) error {
	var tasks []experiment.Task
	for _, e := range p.Entries() {
		tasks = append(tasks, experiment.Task{Key: e.Key, Try: func(ctx context.Context, cores []int, retried string, tell func(string)) (experiment.Outcome, error) {
			f, err := p.try(ctx, e, work, cores, tell)
			f.result.Retried = retried
			return experiment.Outcome{Result: &f.result, Events: f.events}, err
		}})
	}
	return experiment.Run(ctx, tasks, kept, experiment.Options{
		Jobs: p.Jobs, Slots: slots, Limit: p.Limit(), Progress: progress,
		Failed: func(err error, retried string) any { return &Result{Error: err.Error(), Retried: retried} },
	})
}

// try does a task once.
func (p *Plan) try(ctx context.Context, e Entry, work Worker, cores []int, tell func(string)) (*fold, error) {
	f := &fold{fast: e.Arm.Mode == ModeFast}
	usage, err := work(ctx, p.Request(e), cores, func(event record.Event) error {
		if p := event.Progress; p != nil {
			tell(fmt.Sprintf("%s: %d found, largest k %d", e.Key, p.Found, p.MaxK))
		}
		f.add(event)
		return nil
	})
	result, bad := f.end()
	switch {
	case err != nil && !f.finished:
	case bad != nil: // what the worker told on the way says more than how it ended
		err = bad
	case err == nil:
		result.CPU, result.Cores = usage.CPU.Seconds(), cores
	}
	if usage.Killed && !f.finished {
		err = errors.New("the worker did not end by itself and was killed")
	}
	return f, err
}

// From reads results from a record, see experiment.Result.
func From(kept experiment.Record) func(Entry) (*Result, error) {
	return func(e Entry) (*Result, error) { return experiment.Result[Result](kept, e.Key) }
}
