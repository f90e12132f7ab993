// Package experiment runs many tasks under equal rules: it resumes interrupted runs, tries a
// failed task a second time, and reserves processors for tasks. The kinds of experiment
// (compare, ablate, series and others) define the tasks and the measures of their results.
package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Task is one task of an experiment.
type Task struct {
	// Key names the task in the record.
	Key string
	// Asked and Plugins (keys in the frame) determine the task's result: another run's result is
	// reused if both are equal, unless Asked is nil. All tasks of a Cell run on equal machines.
	Asked   any
	Plugins []string
	Cell    string
	// Group names the tasks whose times are compared: all run on one machine. Empty: the task
	// may run anywhere.
	Group string
	// Try runs the task once, on these processors (none: on any), and passes progress to tell.
	// retried is the error of the first attempt; empty on the first. With an error, the outcome
	// holds what was known by then.
	Try func(ctx context.Context, cores []int, retried string, tell func(string)) (Outcome, error)
}

// Outcome is the result of a task.
type Outcome struct {
	// Result is recorded as JSON, with the events.
	Result any
	Events []record.Event
}

// Options are the settings of Run.
type Options struct {
	// Jobs is the number of tasks that run at a time, each on one of Slots if there are any.
	Jobs  int
	Slots [][]int
	// Here: the tasks have no errands, and run on this machine even if a fleet runs others.
	Here bool
	// Limit is roughly the duration of a task; 0: unknown.
	Limit time.Duration
	// Failed makes the record of a task that failed in every attempt, from what was known by
	// then; another Run tries the task again. If Failed is nil, Run returns the failure.
	Failed func(known any, err error, retried string) any
	// Progress, if not nil, is called with the state after each change.
	Progress func(Progress)

	// unchanged, if not nil, returns an error if a plugin or the program has changed since the
	// experiment began: the task's result is then not recorded, and no other task begins.
	unchanged func() error
}

// Progress is the state of a running experiment.
type Progress struct {
	// Done counts the tasks with a result, Resumed those among them with a result of an earlier
	// run. Failed counts the tasks that failed in every attempt, Retried those that failed in the
	// first. Total counts all tasks.
	Done, Resumed, Failed, Retried, Total int
	// Latest is the latest progress line of a running task.
	Latest string
	// Left is the estimated time to the end; 0: unknown.
	Left time.Duration
}

// String returns the progress as one line.
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

// attempts is the maximum number of attempts per task.
const attempts = 2

// Slots divides processors among jobs, threads for each. It returns nil if there are too few
// processors, or a single job, which no other disturbs.
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

// Run runs the tasks without a result in the record, Jobs at a time. The error joins the errors of
// the record and, if Options.Failed is nil, those of tasks. ctx ends the experiment early: running
// tasks are not recorded.
func Run(ctx context.Context, tasks []Task, kept record.Store, o Options) error {
	r := &runner{Options: o, kept: kept}
	open := slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool {
		_, _, done := kept.Done(t.Key)
		return done
	})
	done := len(tasks) - len(open)
	r.state = Progress{Done: done, Resumed: done, Total: len(tasks)}
	// Until the first task is done, the limit estimates a task's duration.
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
				if ctx.Err() == nil { // ctx may have ended while t was handed over
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

// runner is the state of Run, the only writer to the record.
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

// do runs one task, with a second attempt if the first fails, and records the result.
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
			return // the budget was not used up, so the result does not count
		case err == nil:
			r.complete(t.Key, out, time.Since(begin), false)
			return
		case attempt < attempts && !session.IsMistake(err) && !errors.Is(err, session.ErrContradiction): // after these a second attempt would fail, too
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

// complete records a task's result or failure.
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

// change applies a function to the state, and reports the new state.
func (r *runner) change(do func(*Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(&r.state)
	if r.Progress != nil {
		r.Progress(r.state)
	}
}

// faults selects the events about faults of plugins.
func faults(events []record.Event) []record.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e record.Event) bool { return e.Kind != record.KindFault })
}

// failedKey is the key of a task's next failure. It differs from the task's key, which remains
// free for the result of another try.
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

// Timed returns a task's result, as Results does, and its duration in seconds.
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
