package experiment

import (
	"context"
	"encoding/json"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
)

// Errand is a request of some kind for a worker.
type Errand struct {
	// Key is the task's key.
	Key     string
	Kind    string
	Request any
	// Spec is the part of the request that names files.
	Spec *question.Spec
	// Measured is the score difference above which an individual counts as found; empty: the ε
	// of Spec.
	Measured string
	workers.Assignment
}

// Order is an errand with everything that a place needs to run it.
type Order struct {
	Errand
	Job *Job
	// Content is the task's digest; Plugins are those it uses, by their keys in the frame.
	Content string
	Plugins map[string]Plugin
	// Group names the tasks whose times are compared, so that one machine runs them all; empty:
	// the task may run anywhere.
	Group string
}

// Place runs tasks.
type Place interface {
	// Do runs one task, as workers.Processes.Do does. It passes events on in order.
	Do(ctx context.Context, o *Order, event func(record.Event) error) (workers.Usage, error)
	// Begin is called before the tasks of a Bench.Run, with the number of pending tasks of each
	// group. It returns the number of tasks to run at a time; 0: the user's number.
	Begin(f *Frame, groups map[string]int) (width int, err error)
	// Without withdraws one task of a group.
	Without(group string)
	// Told is called with the progress of the experiment after each change.
	Told(Progress)
}

// Here runs tasks on this machine, each in a process of its own.
type Here struct{ *workers.Processes }

// Do implements Place.
func (h Here) Do(ctx context.Context, o *Order, event func(record.Event) error) (workers.Usage, error) {
	t := o.Assignment
	t.Job = o.Job
	return h.Processes.Do(ctx, t, event)
}

// Begin implements Place.
func (Here) Begin(*Frame, map[string]int) (int, error) { return 0, nil }

// Without implements Place.
func (Here) Without(string) {}

// Told implements Place.
func (Here) Told(Progress) {}

// at returns a Bench.Work that runs errands at the place, and records which machine ran each.
func (b *book) at(place Place, job func(kind string, request json.RawMessage) *Job) func(context.Context, Errand, func(record.Event) error) (workers.Usage, error) {
	return func(ctx context.Context, e Errand, event func(record.Event) error) (workers.Usage, error) {
		text, err := json.Marshal(e.Request)
		if err != nil {
			return workers.Usage{}, err
		}
		o := &Order{Errand: e, Job: job(e.Kind, text), Plugins: map[string]Plugin{}}
		o.Memory, o.Clock = o.Job.Memory, b.frame.Clock
		b.mu.Lock()
		t := b.tasks[e.Key]
		o.Content, o.Group, t.begun = b.contents[e.Key], t.Group, true
		b.tasks[e.Key] = t
		b.mu.Unlock()
		for _, name := range t.Plugins {
			if p, known := b.frame.Plugins[name]; known {
				o.Plugins[name] = p
			}
		}
		usage, err := place.Do(ctx, o, event)
		if usage.Machine != nil {
			b.mu.Lock()
			b.made[e.Key] = usage
			b.mu.Unlock()
		}
		return usage, err
	}
}

// known is a task in the book.
type known struct {
	*Task
	// begun: its errand has reached the place.
	begun bool
}

// gather announces the groups of the pending tasks to the place, and withdraws the tasks that end
// before they reach it.
func (b *book) gather(place Place, tasks []Task) (width int, err error) {
	groups := map[string]int{}
	b.mu.Lock()
	for i := range tasks {
		t := &tasks[i]
		b.tasks[t.Key] = known{Task: t}
		if _, _, done := b.Done(t.Key); !done && t.Group != "" {
			groups[t.Group]++
		}
	}
	b.mu.Unlock()
	for i := range tasks {
		t := &tasks[i]
		if t.Group == "" {
			continue
		}
		try := t.Try
		t.Try = func(ctx context.Context, cores []int, retried string, tell func(string)) (Outcome, error) {
			out, err := try(ctx, cores, retried, tell)
			b.mu.Lock()
			begun := b.tasks[t.Key].begun
			b.mu.Unlock()
			if !begun {
				place.Without(t.Group)
			}
			return out, err
		}
	}
	return place.Begin(b.frame, groups)
}
