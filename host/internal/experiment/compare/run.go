package compare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
)

// Worker does one task somewhere, on these processors (none: on any), hands its
// events over in order, and tells what it cost. An error means that the task was
// not done.
type Worker func(ctx context.Context, job *Job, cores []int, event func(record.Event) error) (workers.Usage, error)

// Run does the tasks of the plan that the record has no result of, see
// experiment.Run. Tasks that fail twice are reported together at the end, and
// another Run tries them again.
func Run(ctx context.Context, p *Plan, kept experiment.Record, work Worker, slots [][]int, progress func(experiment.Progress)) error {
	var tasks []experiment.Task
	for _, e := range p.Entries() {
		tasks = append(tasks, experiment.Task{Key: e.Key, Try: func(ctx context.Context, cores []int, _ string, tell func(string)) (experiment.Outcome, error) {
			return p.try(ctx, e, work, cores, tell)
		}})
	}
	return experiment.Run(ctx, tasks, kept, experiment.Options{Jobs: p.Jobs, Slots: slots, Limit: time.Duration(p.Budget), Progress: progress})
}

// try does a task once.
func (p *Plan) try(ctx context.Context, e Entry, work Worker, cores []int, tell func(string)) (out experiment.Outcome, err error) {
	job, err := p.job(e)
	if err != nil {
		return out, err
	}
	f, err := newFold(e.Subject, e.Arm)
	if err != nil {
		return out, err
	}
	usage, err := work(ctx, job, cores, func(event record.Event) error {
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
	result, err := f.end(e.Subject.Yardstick)
	if err != nil {
		return out, err
	}
	result.CPU, result.Killed = usage.CPU.Seconds(), usage.Killed
	if !f.finished {
		result.Seconds = usage.Wall.Seconds()
	}
	out.Result = result
	return out, nil
}

// From reads results from a record, see experiment.Result.
func From(kept experiment.Record) func(Entry) (*Result, error) {
	return func(e Entry) (*Result, error) { return experiment.Result[Result](kept, e.Key) }
}
