package ablate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
)

// Worker does one task somewhere, on these processors (none: on any), hands its
// events over in order, and tells what it cost.
type Worker func(ctx context.Context, r *search.Request, cores []int, event func(record.Event) error) (workers.Usage, error)

// Progress is a glimpse of an ablation under way.
type Progress struct {
	// Done counts the tasks that have results, of Total, Resumed those that had
	// one before; Failed those that failed, Retried those that failed once.
	Done, Resumed, Failed, Retried, Total int
	// Latest tells of one of the tasks under way.
	Latest string
	// Left is how long the rest may take; 0: not known yet.
	Left time.Duration
}

// attempts is how often a task is tried.
const attempts = 2

// Slots divides processors among jobs, threads to each; nil where they do not
// suffice, or there is one job, which nobody disturbs.
func Slots(cores []int, jobs, threads int) [][]int {
	if jobs < 2 || threads < 1 || len(cores)/threads < jobs {
		return nil
	}
	out := make([][]int, jobs)
	for i := range out {
		out[i] = cores[i*threads : (i+1)*threads]
	}
	return out
}

// Run does the tasks of the plan that the record has no result of, Jobs at a
// time, each job on its own of the slots where there are any. A task that fails
// is tried once more, and then recorded as failed; another Run tries it again.
// The error is about what could not be recorded; failed tasks are for the tables
// to tell. ctx ends the ablation early: tasks under way are not recorded.
func Run(ctx context.Context, p *Plan, record compare.Record, work Worker, slots [][]int, progress func(Progress)) error {
	r := &runner{plan: p, record: record, work: work, report: progress}
	var open []Entry
	entries := p.Entries()
	for _, e := range entries {
		if _, _, ok := record.Done(e.Key); !ok {
			open = append(open, e)
		}
	}
	done := len(entries) - len(open)
	r.state = Progress{Done: done, Resumed: done, Total: len(entries)}
	// Until a task is done, the budget tells what one takes.
	r.state.Left = p.Limit() * time.Duration((len(open)+p.Jobs-1)/p.Jobs)
	queue := make(chan Entry)
	var group sync.WaitGroup
	for i := range min(p.Jobs, len(open)) {
		var cores []int
		if i < len(slots) {
			cores = slots[i]
		}
		group.Go(func() {
			for e := range queue {
				if ctx.Err() == nil { // it may have ended while e was handed over
					r.do(ctx, e, cores)
				}
			}
		})
	}
	for _, e := range open {
		if ctx.Err() != nil || r.broken() != nil {
			break
		}
		queue <- e
	}
	close(queue)
	group.Wait()
	return r.broken()
}

// runner is a Run under way. It is the only one to write to the record.
type runner struct {
	plan   *Plan
	record compare.Record
	work   Worker
	report func(Progress)

	mu    sync.Mutex
	state Progress
	// spent is the wall time of the tasks done here.
	spent time.Duration
	// failure: the record cannot be written, and going on is no use.
	failure error
}

func (r *runner) broken() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// do does one task, twice if need be, and records what it came to.
func (r *runner) do(ctx context.Context, e Entry, cores []int) {
	begin := time.Now()
	retried := ""
	for attempt := 1; ; attempt++ {
		f, err := r.try(ctx, e, cores)
		if ctx.Err() != nil {
			return // cut short: not what the budget would have given
		}
		if err == nil {
			f.result.Retried = retried
			r.complete(e.Key, &f.result, time.Since(begin), f.events)
			return
		}
		if attempt == attempts {
			r.complete(failedKey(r.record, e.Key), &Result{Error: err.Error(), Retried: retried}, time.Since(begin), faults(f.events))
			return
		}
		retried = err.Error()
		r.change(func(s *Progress) { s.Retried++ })
	}
}

// try does a task once.
func (r *runner) try(ctx context.Context, e Entry, cores []int) (*fold, error) {
	f := &fold{fast: e.Arm.Mode == ModeFast}
	r.tell(e.Key)
	usage, err := r.work(ctx, r.plan.Request(e), cores, func(event record.Event) error {
		if p := event.Progress; p != nil {
			r.tell(fmt.Sprintf("%s: %d found, largest k %d", e.Key, p.Found, p.MaxK))
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

// complete records what a task came to.
func (r *runner) complete(key string, result *Result, wall time.Duration, events []record.Event) {
	err := r.record.Complete(key, result, wall.Seconds(), events...)
	r.change(func(s *Progress) {
		if err != nil {
			r.failure = errors.Join(r.failure, err)
			return
		}
		if result.Error != "" {
			s.Failed++
		} else {
			s.Done++
		}
		r.spent += wall
		here := s.Done - s.Resumed + s.Failed
		left := s.Total - s.Done - s.Failed
		s.Left = r.spent * time.Duration(left) / time.Duration(here*min(r.plan.Jobs, max(1, left)))
	})
}

// faults are the events that tell what plugins did wrong.
func faults(events []record.Event) []record.Event {
	var out []record.Event
	for _, e := range events {
		if e.Kind == record.KindFault {
			out = append(out, e)
		}
	}
	return out
}

func (r *runner) tell(latest string) { r.change(func(s *Progress) { s.Latest = latest }) }

// change changes the state and reports it.
func (r *runner) change(do func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(&r.state)
	if r.report != nil {
		r.report(r.state)
	}
}

// failedKey is where the next failure of a task is recorded: beside its result,
// whose place stays free for another try.
func failedKey(record compare.Record, key string) string {
	for n := 1; ; n++ {
		failed := fmt.Sprintf("%s | failed %d", key, n)
		if _, _, ok := record.Done(failed); !ok {
			return failed
		}
	}
}

// From reads results from a record: nil for a task that has none, and the last
// failure of one that only failed.
func From(record compare.Record) func(Entry) (*Result, error) {
	return func(e Entry) (*Result, error) {
		text, _, ok := record.Done(e.Key)
		for n := 1; !ok; n++ {
			failed, _, found := record.Done(fmt.Sprintf("%s | failed %d", e.Key, n))
			if !found {
				break
			}
			text = failed
		}
		if text == nil {
			return nil, nil
		}
		r := &Result{}
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("result of %s: %w", e.Key, err)
		}
		return r, nil
	}
}
