// Package experiment does many tasks under equal rules: it resumes what was broken
// off, tries a failed task once more, and keeps tasks on processors of their own.
// What the tasks are and what is measured over their results is for the kinds of
// experiment: compare, ablate, series.
package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Task is one of an experiment's.
type Task struct {
	// Key names it in the record.
	Key string
	// Asked is all that makes its result beside the Plugins, by their names in the frame:
	// a task of which another run has the result is not done again, unless Asked is nil. Cell has the tasks
	// that stand in a table side by side, which are all done on machines that are alike.
	Asked   any
	Plugins []string
	Cell    string
	// Group has the tasks whose times are held against each other: they are all done on one
	// machine. Empty: the task is alone.
	Group string
	// Try does it once, on these processors (none: on any), and tells on the way how
	// it stands. retried says what went wrong the first time; empty: nothing. The
	// outcome of an error is what was known by then.
	Try func(ctx context.Context, cores []int, retried string, tell func(string)) (Outcome, error)
}

// Outcome is what a task came to.
type Outcome struct {
	// Result is recorded as JSON, with the events.
	Result any
	Events []record.Event
}

// Options say how tasks are done.
type Options struct {
	// Jobs run at the same time, each on its own of the slots where there are any.
	Jobs  int
	Slots [][]int
	// Here: the tasks have no errands, and are done here wherever others are.
	Here bool
	// Limit is about how long a task takes; 0: not known.
	Limit time.Duration
	// Failed is what is recorded of a task that failed for good, made of what was known
	// by then; another Run tries it again. nil: nothing is, and the failure is returned.
	Failed func(known any, err error, retried string) any
	// Progress, if not nil, is called with the state after each change.
	Progress func(Progress)

	// unchanged, where not nil, is an error where something is not what it was when the
	// experiment began: a task's result is not recorded then, and no other is begun.
	unchanged func() error
}

// Progress is a glimpse of an experiment under way.
type Progress struct {
	// Done counts the tasks that have results, of Total, Resumed those that had
	// one before; Failed those that failed, Retried those that failed once.
	Done, Resumed, Failed, Retried, Total int
	// Latest is a line of progress of one running task.
	Latest string
	// Left is how long the rest may take; 0: not known yet.
	Left time.Duration
}

// String is one line for a person.
func (p Progress) String() string {
	left := "?"
	if p.Left > 0 {
		left = p.Left.Round(time.Second).String()
	}
	line := fmt.Sprintf("%d of %d tasks", p.Done, p.Total)
	if p.Resumed > 0 {
		line += fmt.Sprintf(" (%d from before)", p.Resumed)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf(", %d failed", p.Failed)
	}
	if p.Retried > 0 {
		line += fmt.Sprintf(", %d tried again", p.Retried)
	}
	return fmt.Sprintf("%s · %s left · %s", line, left, p.Latest)
}

// attempts is how often a task is tried.
const attempts = 2

// Slots divides processors among jobs, threads to each; nil where they do not
// suffice, or there is one job, which nothing disturbs.
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

// Run does the tasks that the record has no result of, Jobs at a time. The error
// is about what could not be recorded, and about failures that Options.Failed does
// not take. ctx ends the experiment early: tasks under way are not recorded.
func Run(ctx context.Context, tasks []Task, kept record.Store, o Options) error {
	r := &runner{Options: o, kept: kept}
	var open []Task
	for _, t := range tasks {
		if _, _, ok := kept.Done(t.Key); !ok {
			open = append(open, t)
		}
	}
	done := len(tasks) - len(open)
	r.state = Progress{Done: done, Resumed: done, Total: len(tasks)}
	// Until a task is done, its limit tells what one takes.
	r.state.Left = o.Limit * time.Duration((len(open)+o.Jobs-1)/o.Jobs)
	queue := make(chan Task)
	var group sync.WaitGroup
	for i := range min(o.Jobs, len(open)) {
		var cores []int
		if i < len(o.Slots) {
			cores = o.Slots[i]
		}
		group.Go(func() {
			for t := range queue {
				if ctx.Err() == nil { // it may have ended while t was handed over
					r.do(ctx, t, cores)
				}
			}
		})
	}
	for _, t := range open {
		if ctx.Err() != nil || r.broken() {
			break
		}
		queue <- t
	}
	close(queue)
	group.Wait()
	return errors.Join(r.failures...)
}

// runner is a Run under way. It is the only one to write to the record.
type runner struct {
	Options
	kept record.Store

	mu       sync.Mutex
	state    Progress
	failures []error
	// spent is the wall time of the tasks done here.
	spent time.Duration
	// stop: the record cannot be written; no further task is run.
	stop bool
}

func (r *runner) broken() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop
}

// do does one task, twice if need be, and records what it came to.
func (r *runner) do(ctx context.Context, t Task, cores []int) {
	begin := time.Now()
	tell := func(latest string) { r.change(func(s *Progress) { s.Latest = latest }) }
	retried := ""
	for attempt := 1; ; attempt++ {
		tell(t.Key)
		out, err := t.Try(ctx, cores, retried, tell)
		if r.unchanged != nil && ctx.Err() == nil {
			if changed := r.unchanged(); changed != nil {
				r.change(func(s *Progress) {
					s.Failed, r.stop = s.Failed+1, true
					r.failures = append(r.failures, changed)
				})
				return
			}
		}
		switch {
		case ctx.Err() != nil:
			return // cut short: not what the budget would have given
		case err == nil:
			r.complete(t.Key, out, time.Since(begin), false)
			return
		case attempt < attempts && !session.IsMistake(err) && !errors.Is(err, session.ErrContradiction): // these stay what they are
			retried = err.Error()
			r.change(func(s *Progress) { s.Retried++ })
			continue
		case r.Failed != nil:
			out.Result, out.Events = r.Failed(out.Result, err, retried), faults(out.Events)
			r.complete(failedKey(r.kept, t.Key), out, time.Since(begin), true)
			return
		}
		r.change(func(s *Progress) {
			s.Failed++
			r.failures = append(r.failures, fmt.Errorf("%s: %w", t.Key, err))
		})
		return
	}
}

// complete records what a task came to.
func (r *runner) complete(key string, out Outcome, wall time.Duration, failed bool) {
	err := r.kept.Complete(key, out.Result, wall.Seconds(), out.Events...)
	r.change(func(s *Progress) {
		switch {
		case err != nil:
			r.failures, r.stop = append(r.failures, fmt.Errorf("%s: %w", key, err)), true
			return
		case failed:
			s.Failed++
		default:
			s.Done++
		}
		r.spent += wall
		here := s.Done - s.Resumed + s.Failed
		left := s.Total - s.Done - s.Failed
		s.Left = r.spent * time.Duration(left) / time.Duration(here*min(r.Jobs, max(1, left)))
	})
}

// change changes the state and reports it.
func (r *runner) change(do func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(&r.state)
	if r.Progress != nil {
		r.Progress(r.state)
	}
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

// failedKey is where the next failure of a task is recorded: beside its result,
// whose place stays free for another try.
func failedKey(kept record.Store, key string) string {
	for n := 1; ; n++ {
		failed := record.FailedKey(key, n)
		if _, _, ok := kept.Done(failed); !ok {
			return failed
		}
	}
}

// Results returns a lookup of tasks' results in a record: nil for a task without a result,
// and the last failure for one that only failed.
func Results[R, S, A any](kept record.Store) func(Entry[S, A]) (*R, error) {
	return func(e Entry[S, A]) (*R, error) {
		r, _, err := Timed[R](kept, e.Key)
		return r, err
	}
}

// Timed is a task's result, as of Results, with how many seconds the task took.
func Timed[R any](kept record.Store, key string) (*R, float64, error) {
	text, seconds, ok := kept.Done(key)
	for n := 1; !ok; n++ {
		failed, s, found := kept.Done(record.FailedKey(key, n))
		if !found {
			break
		}
		text, seconds = failed, s
	}
	if text == nil {
		return nil, 0, nil
	}
	r := new(R)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, 0, fmt.Errorf("result of %s: %w", key, err)
	}
	return r, seconds, nil
}
