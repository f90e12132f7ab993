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

// Plan is a settled experiment. Each kind has its own implementation.
type Plan interface {
	Frame() *Frame
	// Do runs the tasks without a result in the bench's record.
	Do(ctx context.Context, b *Bench) error
	// Tabulate makes the tables of the results so far. It may return a valid table and an error.
	Tabulate(from record.Store) (Table, error)
}

// Table is the result of an experiment.
type Table interface {
	Document() *view.Document
	// Records are the tasks as tidy data.
	Records() view.Records
	// Keep notes where the results are stored, and whether all tasks were done.
	Keep(Kept)
	// Failure describes the tasks that failed; nil if none did.
	Failure() error
}

// Bench holds what a plan needs to run its tasks.
type Bench struct {
	Session *session.Session
	// Kept stores results.
	Kept record.Store
	// Slots are the processors of each job; nil if there are too few.
	Slots    [][]int
	Progress func(Progress)
	// Work runs an errand in a worker, as workers.Processes.Do does. It passes events on in
	// order.
	Work func(ctx context.Context, e Errand, event func(record.Event) error) (workers.Usage, error)

	// book, if not nil, is Kept, with access to other runs.
	book  *book
	place Place
}

// Run runs tasks with this bench's record, except those with a reusable result.
func (b *Bench) Run(ctx context.Context, tasks []Task, o Options) error {
	o.Slots, o.Progress = b.Slots, b.Progress
	if b.book != nil {
		if of, all := b.Session.Shard, len(tasks); of.Of > 0 {
			tasks = b.book.frame.shard(of, tasks)
			b.Session.Note("shard %s: %d of %d tasks; hyfair runs merge merges the journals of all shards", of, len(tasks), all)
		}
		apart, err := b.book.prepare(tasks)
		if err != nil {
			return err
		}
		for _, m := range apart {
			b.Session.Note("results of another machine, %s, are not reused: they cannot be compared with those of this one", m)
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

// Job is the line that a worker reads: a request and its resources.
type Job struct {
	Kind    string          `json:"kind"`
	Request json.RawMessage `json:"request"`
	Threads int             `json:"threads,omitempty"`
	Memory  int64           `json:"memory,omitempty"`
	// Clock of the time budget, see Terms.
	Clock string `json:"clock,omitempty"`
	// Journal is the path of the journal for runs that an answer begins; empty: the default.
	Journal string `json:"journal,omitempty"`
	// Copies replace files that the request names; nil: the files are on this machine.
	Copies *files.Copies `json:"copies,omitempty"`
}

// Answer runs a request in a worker and decodes its result. The worker's progress goes to tell and
// its notes go to the session, both with the prefix who. The result may be set even if an error is
// returned.
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
		return usage, errors.Join(err, errors.New("the worker ended before it answered"))
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

// Conduct runs the pending tasks of an experiment and makes its tables. It may return a valid
// table and an error.
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
		tests := statistics.Tests(len(f.Arms), f.Control != "")
		s.Note("%s", statistics.Power(len(f.Arms), f.Runs, tests))
		if n := len(f.Subjects); n > 1 {
			s.Note("over networks: %s", statistics.PowerOver(len(f.Arms), n, tests))
		}
	}
	s.Work()
	cores := workers.Cores()
	slots := Slots(cores, f.Jobs, f.Threads)
	if f.Jobs > 1 && slots == nil {
		s.Note("%d jobs of %d thread(s) share the %d core(s) of this machine: their times will be longer than those of single jobs", f.Jobs, f.Threads, len(cores))
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

// Recall makes the tables of an experiment from its run in the journal. plan decodes the
// experiment's task.
func Recall(j *journal.Journal, run string, plan func(record.Task) (Plan, error)) (Table, error) {
	d, err := j.Show(run)
	if err != nil {
		return nil, err
	}
	p, err := plan(d.Started.Task)
	if err == nil {
		err = p.Frame().checkControl()
	}
	if err != nil {
		return nil, session.Mistake(fmt.Errorf("--from %s: %w", run, err))
	}
	done := &Memory{}
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
