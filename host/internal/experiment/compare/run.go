package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
)

// Record keeps results of tasks: journal.Run, or what stands for it. Done gives
// the JSON of a result that was stored by Complete, ever. Complete stores once
// for each key, at once and for good.
type Record interface {
	Done(key string) (result []byte, seconds float64, ok bool)
	Complete(key string, result any, seconds float64, events ...record.Event) error
}

// Worker does one task somewhere, hands its events over in order, and tells
// what it cost. An error means that the task was not done.
type Worker func(ctx context.Context, job *Job, event func(record.Event) error) (workers.Usage, error)

// Progress is a glimpse of a comparison under way.
type Progress struct {
	// Done counts the tasks that have results, of Total; Resumed those that had
	// one before.
	Done, Resumed, Total int
	// Latest tells of one of the tasks under way.
	Latest string
	// Left is how long the rest may take; 0: not known yet.
	Left time.Duration
}

// Run does the tasks of the plan that the record has no result of, Jobs at a
// time. Tasks that fail are reported together at the end and can be tried again
// by another Run; the others have their results in the record. ctx ends the
// comparison early: tasks under way are not recorded.
func Run(ctx context.Context, p *Plan, record Record, work Worker, progress func(Progress)) error {
	r := &runner{plan: p, record: record, work: work, report: progress, start: time.Now()}
	var open []Entry
	entries := p.Entries()
	for _, e := range entries {
		if _, _, ok := record.Done(e.Key); !ok {
			open = append(open, e)
		}
	}
	r.state = Progress{Done: len(entries) - len(open), Resumed: len(entries) - len(open), Total: len(entries)}
	queue := make(chan Entry)
	var group sync.WaitGroup
	for range min(p.Jobs, len(open)) {
		group.Go(func() {
			for e := range queue {
				if ctx.Err() == nil { // it may have ended while e was handed over
					r.do(ctx, e)
				}
			}
		})
	}
	for _, e := range open {
		if ctx.Err() != nil || r.broken() {
			break
		}
		queue <- e
	}
	close(queue)
	group.Wait()
	return errors.Join(r.failures...)
}

// runner is a Run under way.
type runner struct {
	plan   *Plan
	record Record
	work   Worker
	report func(Progress)
	start  time.Time

	mu       sync.Mutex
	state    Progress
	failures []error
	// spent is the wall time of the tasks done here.
	spent time.Duration
	stop  bool
}

// broken reports that going on is no use: the record cannot be written.
func (r *runner) broken() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop
}

// do does one task and records its result.
func (r *runner) do(ctx context.Context, e Entry) {
	err := r.task(ctx, e)
	if err == nil || ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Errorf("%s: %w", e.Key, err))
}

func (r *runner) task(ctx context.Context, e Entry) error {
	job, err := r.plan.job(e)
	if err != nil {
		return err
	}
	f, err := newFold(e.Subject.loaded, &job.Arm)
	if err != nil {
		return err
	}
	r.tell(e.Key)
	var events []record.Event
	usage, err := r.work(ctx, job, func(event record.Event) error {
		if event.Kind == record.KindProgress {
			r.tell(fmt.Sprintf("%s: %d found, %d regions open", e.Key, event.Progress.Found, event.Progress.Open))
			return nil
		}
		events = append(events, event)
		return f.add(&event)
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err() // cut short: not what the budget would have given
	case f.interrupted:
		return errors.New("the worker was interrupted")
	case !f.finished && !usage.Killed:
		return errors.New("the worker ended without a last word")
	}
	result, err := f.end(e.Subject.Yardstick)
	if err != nil {
		return err
	}
	result.CPU, result.Killed = usage.CPU.Seconds(), usage.Killed
	if !f.finished {
		result.Seconds = usage.Wall.Seconds()
	}
	err = r.record.Complete(e.Key, result, usage.Wall.Seconds(), events...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop = r.stop || err != nil; err != nil {
		return err
	}
	r.state.Done++
	r.spent += usage.Wall
	done := r.state.Done - r.state.Resumed
	left := r.state.Total - r.state.Done
	r.state.Left = r.spent * time.Duration(left) / time.Duration(done*min(r.plan.Jobs, max(1, left)))
	r.show()
	return nil
}

func (r *runner) tell(latest string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Latest = latest
	r.show()
}

// show reports; mu is held.
func (r *runner) show() {
	if r.report != nil {
		r.report(r.state)
	}
}

// From reads results from a record; nil for a task that has none.
func From(record Record) func(Entry) (*Result, error) {
	return func(e Entry) (*Result, error) {
		text, _, ok := record.Done(e.Key)
		if !ok {
			return nil, nil
		}
		r := &Result{}
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("result of %s: %w", e.Key, err)
		}
		return r, nil
	}
}
