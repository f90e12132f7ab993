package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Plan is an experiment with everything settled. Each kind has its own.
type Plan interface {
	Frame() *Frame
	// Do does the tasks that the bench has no result of.
	Do(ctx context.Context, b *Bench) error
	// Tabulate makes the tables of the results there are. A table that comes with an
	// error stands.
	Tabulate(from record.Store) (Table, error)
}

// Table is what an experiment came to.
type Table interface {
	Document() *view.Document
	// Records are its tasks as data.
	Records() view.Records
	// Keep notes where the journal has it, and whether not all was done.
	Keep(Kept)
	// Failure tells of tasks that failed; nil where none did.
	Failure() error
}

// Bench is what tasks are done with.
type Bench struct {
	Session *session.Session
	// Kept keeps results.
	Kept record.Store
	// Slots are the processors of each job, none where they do not suffice.
	Slots    [][]int
	Progress func(Progress)
	// Work has a worker do an errand, as workers.Processes.Do does a task. It hands events
	// over in order.
	Work func(ctx context.Context, e Errand, event func(record.Event) error) (workers.Usage, error)

	// book, where not nil, is Kept and knows of other runs.
	book  *book
	place Place
}

// Run is Run on this bench, for the tasks of which no run has the result.
func (b *Bench) Run(ctx context.Context, tasks []Task, o Options) error {
	o.Slots, o.Progress = b.Slots, b.Progress
	if b.book != nil {
		if of, all := b.Session.Shard, len(tasks); of.Of > 0 {
			tasks = b.book.frame.shard(of, tasks)
			b.Session.Note("shard %s: %d of %d tasks; hyfair runs merge puts the journals of all shards together", of, len(tasks), all)
		}
		if err := b.book.prepare(tasks); err != nil {
			return err
		}
		o.unchanged = b.book.frame.unchanged
		if o.Here {
			return Run(ctx, tasks, b.Kept, o)
		}
		width, err := b.book.gather(b.place, tasks)
		if err != nil {
			return err
		}
		if width > 0 {
			o.Jobs, o.Slots = width, nil
		}
	}
	return Run(ctx, tasks, b.Kept, o)
}

// Job is the line that a worker reads: a request of some kind, and what it may use.
type Job struct {
	Kind    string          `json:"kind"`
	Request json.RawMessage `json:"request"`
	Threads int             `json:"threads,omitempty"`
	Memory  int64           `json:"memory,omitempty"`
	// Clock of a budget in time, as Terms have it.
	Clock string `json:"clock,omitempty"`
	// Journal keeps the runs that an answer makes; empty: the usual one.
	Journal string `json:"journal,omitempty"`
	// Copies stand for the files that the request names; nil: they are on this machine.
	Copies *files.Copies `json:"copies,omitempty"`
}

// Answer has a worker answer the request of an errand; whatever the worker says on the way
// is said of who. It may give a result and an error.
func (b *Bench) Answer(ctx context.Context, e Errand, who string, tell func(string), result any) (workers.Usage, error) {
	var end *workers.Said
	e.Say = func(s *workers.Said) {
		switch {
		case s.Show != "":
			tell(who + ": " + s.Show)
		case s.Note != "":
			b.Session.Note("%s: %s", who, s.Note)
		default:
			end = s
		}
	}
	usage, err := b.Work(ctx, e, func(record.Event) error { return nil })
	switch {
	case end == nil && usage.Group != nil && usage.Group.Killed > 0:
		return usage, fmt.Errorf("used more than its %s of memory", mebibytes(b.Session.Memory))
	case end == nil && session.IsMistake(err):
		return usage, err
	case end == nil:
		return usage, errors.Join(err, errors.New("the worker ended before it gave an answer"))
	case len(end.Result) > 0:
		err = json.Unmarshal(end.Result, result)
	}
	if end.Error != "" {
		failed := errors.New(end.Error)
		if end.Refuted {
			failed = session.AsRefuted(failed)
		}
		if err = errors.Join(err, failed); end.Mistake {
			err = session.Mistake(err)
		}
	}
	return usage, err
}

// Conduct does an experiment as far as it is not done, and makes its tables. A table
// that comes with an error stands.
func Conduct(ctx context.Context, s *session.Session, place Place, p Plan, how Beginning) (Table, error) {
	f := p.Frame()
	if err := f.Check(); err != nil {
		return nil, session.Mistake(err)
	}
	b, err := open(s, f, how)
	if err != nil {
		return nil, err
	}
	if len(f.Arms) > 1 && !f.Untested {
		s.Note("%s", statistics.Power(len(f.Arms), f.Runs))
		if n := len(f.Subjects); n > 1 {
			s.Note("over networks: %s", statistics.PowerOver(len(f.Arms), n))
		}
	}
	s.Work()
	cores := workers.Cores()
	slots := Slots(cores, f.Jobs, f.Threads)
	if f.Jobs > 1 && slots == nil {
		s.Note("%d jobs of %d thread(s) cannot have cores of their own here (%d to be had): their times will be longer than alone", f.Jobs, f.Threads, len(cores))
	}
	work := b.at(place, func(kind string, request json.RawMessage) *Job {
		return &Job{Kind: kind, Request: request, Threads: s.Threads, Memory: s.Memory, Clock: f.Clock, Journal: s.JournalFile}
	})
	failed := p.Do(ctx, &Bench{Session: s, Kept: b, Slots: slots, Progress: func(now Progress) { s.Show(now.String()); place.Told(now) }, Work: work, book: b, place: place})
	t, wrong := p.Tabulate(b)
	if t != nil {
		failed = errors.Join(failed, t.Failure())
	}
	if !errors.Is(wrong, session.ErrContradiction) {
		failed, wrong = errors.Join(failed, wrong), nil
	}
	end := record.Finished{Interrupted: session.Interrupted(ctx)}
	if failed != nil {
		end.Error = failed.Error()
	}
	if b.run != nil {
		failed = errors.Join(failed, b.take(b.run.Tasks))
	}
	failed = errors.Join(wrong, failed, b.finish(end), b.close())
	if t != nil {
		b.Interrupted = end.Interrupted
		t.Keep(b.Kept)
	}
	return t, failed
}

// Recall makes the tables of an experiment in the journal again. plan reads it back
// from its task.
func Recall(j *journal.Journal, run string, plan func(record.Task) (Plan, error)) (Table, error) {
	d, err := j.Show(run)
	if err != nil {
		return nil, err
	}
	p, err := plan(d.Started.Task)
	if err != nil {
		return nil, session.Mistake(fmt.Errorf("--from %s: %w", run, err))
	}
	done := &memory{}
	if err := j.Tasks(d.Name, done.take); err != nil {
		return nil, err
	}
	t, err := p.Tabulate(done)
	if t == nil {
		return t, err
	}
	where := Kept{Source: Source{Run: d.Name, Journal: j.Path(), Machine: &d.Started.Machine}, Interrupted: d.State == journal.Interrupted}
	unread := where.take(func(visit func(journal.Done) error) error { return j.Tasks(d.Name, visit) })
	t.Keep(where)
	return t, errors.Join(err, unread)
}
