// Package session holds what a run needs and what does not change its result: plugins, the
// journal, threads, memory, the clock, and messages for the user. The question is in a request
// (packages question and answer).
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/system/machine"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
)

// Session holds what a command, a worker or a test needs to answer requests. Its fields are
// set before its first use; it must not be copied. Safe for concurrent use.
type Session struct {
	// Plugins are the plugins found.
	Plugins *discover.Catalogue
	// Threads that a solver may use, 1 or more; ThreadsGiven: the user said so.
	Threads      int
	ThreadsGiven bool
	// Memory that a solver may use, in bytes; 0: no limit. Jobs is the number of tasks at once.
	Memory int64
	Jobs   int
	// Shard selects a part of the tasks of a request.
	Shard record.Shard
	// Begun is the start of the clock, from which time limits count. Clock is the runs' clock;
	// nil: wall time from each run's start.
	Begun time.Time
	Clock *clock.Clock
	// JournalFile is the journal's path; empty: the one in the folder for runs, or no journal
	// if that cannot be written.
	JournalFile string
	// Events, if not nil, receives the events in place of a journal.
	Events func(record.Event)
	// Working is called by Work; may be nil.
	Working func()
	// Progress replaces the line of progress, Tell writes a line for the user; may be nil.
	Progress, Tell func(text string)
	// Part, if not nil, shows one answer and its faults before the command's entire result is
	// ready. The answer may be nil.
	Part func(d *view.Document, wrong []string)

	mu     sync.Mutex
	told   map[string]bool
	opened bool
	kept   *journal.Journal
}

// Next returns a session for the next of several questions, with the same settings and a clock that
// starts now. Its lines of progress begin with the given text.
func (s *Session) Next(what string) *Session {
	next := &Session{
		Plugins: s.Plugins, Threads: s.Threads, ThreadsGiven: s.ThreadsGiven, Memory: s.Memory, Jobs: s.Jobs, Begun: time.Now(),
		JournalFile: s.JournalFile, Events: s.Events, Working: s.Working, Tell: func(text string) { s.Note("%s", text) },
	}
	if s.Progress != nil {
		next.Progress = func(text string) { s.Progress(what + " · " + text) }
	}
	return next
}

// Work is called once the request has been read: from then on an interrupt lets the command
// finish and show its result.
func (s *Session) Work() {
	if s.Working != nil {
		s.Working()
	}
}

// Until returns a context that leaves time for the answer within a time limit, which counts
// from the session's start; 0: no limit.
func (s *Session) Until(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	// The last tenth of a second is for the report.
	return context.WithDeadline(ctx, s.Begun.Add(max(limit-100*time.Millisecond, limit/2)))
}

// PartOf returns a context with an equal part of the remaining time for the first of several
// questions. Time that it does not use is left to the others.
func PartOf(ctx context.Context, questions int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || questions < 2 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(questions))
}

// TooLate returns an error that names the time limit, if that is why a solver could not be
// started, and otherwise err.
func TooLate(ctx context.Context, limit time.Duration, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fmt.Errorf("--timeout %v ended before a solver had started: %w", limit, err)
	}
	return err
}

// Show replaces the line of progress.
func (s *Session) Show(text string) {
	if s.Progress != nil {
		s.Progress(text)
	}
}

// Note writes a line for the user; equal lines only once.
func (s *Session) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		s.told = map[string]bool{}
	}
	if s.Tell != nil && !s.told[text] {
		s.told[text] = true
		s.Tell(text)
	}
}

// Journal returns the journal, opened by the first call. It is nil in a worker. It is also nil
// if the folder for runs cannot be written; the user is then notified.
func (s *Session) Journal() (*journal.Journal, error) {
	s.mu.Lock()
	if s.opened || s.Events != nil {
		defer s.mu.Unlock()
		return s.kept, nil
	}
	s.opened = true
	path, err := s.JournalFile, error(nil)
	if path == "" {
		path, err = journal.DefaultPath()
	}
	if err == nil {
		s.kept, err = journal.Open(path)
	}
	s.mu.Unlock()
	if err != nil && s.JournalFile == "" {
		s.notKept(err)
		return nil, nil
	}
	return s.kept, Mistake(err)
}

func (s *Session) notKept(err error) { s.Note("this run's events are not kept: %v", err) }

// Close closes the journal and returns its first error.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		return nil
	}
	kept := s.kept
	s.kept, s.opened = nil, false
	if err := kept.Close(); err != nil {
		return fmt.Errorf("not all of this run's events are kept: %w", err)
	}
	return nil
}

// Past calls the function with the journal, which must exist. An unknown run is a Mistake.
func (s *Session) Past(do func(*journal.Journal) error) error {
	j, err := s.Existing()
	if err != nil {
		return err
	}
	if err = do(j); errors.Is(err, journal.ErrNoRun) {
		err = Mistake(err)
	}
	return errors.Join(err, j.Close())
}

// Existing opens the journal for reading. A missing journal is a Mistake, and fs.ErrNotExist.
func (s *Session) Existing() (*journal.Journal, error) {
	path := s.JournalFile
	if path == "" {
		var err error
		if path, err = journal.DefaultPath(); err != nil {
			return nil, err
		}
	}
	j, err := journal.OpenExisting(path)
	return j, Mistake(err)
}

// Run is a running run: its stream of events and their destination.
type Run struct {
	*record.Stream
	// Kept is the run in the journal, and Journal the journal's file; nil and empty without a
	// journal.
	Kept    *journal.Run
	Journal string
}

// Name returns the run's name in the journal; empty without a journal.
func (r *Run) Name() string {
	if r.Kept == nil {
		return ""
	}
	return r.Kept.Name()
}

// Begin starts a run. It adds versions and machine to started, and the time if it is not set.
func (s *Session) Begin(started record.Started) (*Run, error) {
	s.Work()
	j, err := s.Journal()
	if err != nil {
		return nil, err
	}
	if started.At.IsZero() {
		started.At = s.Begun
	}
	at := started.At
	started.At, started.Machine = started.At.UTC(), Machine()
	if started.Versions == nil {
		started.Versions = map[string]string{}
	}
	started.Versions["hyfair"] = Version()
	run := &Run{Stream: &record.Stream{Run: started.Task.NewRun(started.At), Clock: cmp.Or(s.Clock, clock.Wall(at))}}
	switch {
	case s.Events != nil:
		run.Sinks = append(run.Sinks, s.Events)
		run.Emit(record.Event{Kind: record.KindStarted, Started: &started})
	case j != nil:
		kept, err := j.Begin(started)
		if err != nil {
			s.notKept(err)
			break
		}
		run.keep(j, kept)
	}
	return run, nil
}

// GoOn resumes the newest unfinished run of a task, for the session's shard. It begins a new
// run if there is none, or if fresh is set.
func (s *Session) GoOn(started record.Started, fresh bool) (*Run, error) {
	if s.Shard.Of > 0 {
		started.Task.Settings[record.ShardSetting] = s.Shard.String()
	}
	j, err := s.Journal()
	if err != nil {
		return nil, err
	}
	if j != nil && !fresh {
		if open, err := j.Unfinished(started.Task); err == nil && len(open) > 0 {
			if kept, err := j.Resume(open[0].Name); err == nil {
				run := &Run{Stream: &record.Stream{Clock: clock.Wall(started.At)}}
				run.keep(j, kept)
				return run, nil
			}
		}
	}
	return s.Begin(started)
}

func (r *Run) keep(j *journal.Journal, kept *journal.Run) {
	r.Kept, r.Journal, r.Run = kept, j.Path(), kept.Name()
	r.Sinks = append(r.Sinks, func(e record.Event) { kept.Emit(e) })
}

// Faults records a plugin's faults.
func (r *Run) Faults(plugin string, list []string) {
	for _, f := range list {
		r.Emit(record.Event{Kind: record.KindFault, Fault: &record.Fault{Plugin: plugin, Error: f}})
	}
}

// ErrContradiction reports that an exact evaluation refutes a plugin's claim.
var ErrContradiction = errors.New("proof was refuted by a replayed witness")

// Refuted returns the error of refuted claims, given as texts; nil if there are none.
func Refuted(claims []string) error {
	if len(claims) == 0 {
		return nil
	}
	return fmt.Errorf("a %w: %s", ErrContradiction, strings.Join(claims, "; "))
}

// AsRefuted marks an error of another process as that of a refuted claim. Its text stays.
func AsRefuted(err error) error { return refuted{err} }

type refuted struct{ error }

func (refuted) Is(target error) bool { return target == ErrContradiction }

// Fail ends a run without a result.
func (r *Run) Fail(err error) {
	r.Emit(record.Event{Kind: record.KindFinished, Finished: &record.Finished{Error: err.Error()}})
}

// Machine describes this machine.
var Machine = sync.OnceValue(func() record.Machine {
	return record.Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		CPU: machine.Model(), Caches: machine.Caches(), Memory: machine.Memory(), Governor: machine.Governor(), Kernel: machine.Kernel(),
	}
})

// Program identifies this program's file, as of the first call.
var Program = sync.OnceValues(func() (*discover.Identity, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return discover.IdentityOf(path)
})

// Version returns the program's version as recorded by the build: for a development build the
// commit, if known.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return unknownVersion
}

const unknownVersion = "(devel)"

// Build returns Version, or for a build without a commit the start of the program's checksum,
// which requires reading its file.
func Build() string {
	if v := Version(); v != unknownVersion {
		return v
	}
	p, err := Program()
	if err != nil {
		return unknownVersion
	}
	return unknownVersion + " " + p.SHA256[:12]
}

// Library returns the names of a plugin's native libraries.
func Library(d sdk.Description) string {
	var parts []string
	for _, l := range d.Libraries {
		if p := strings.TrimSpace(l.Name + " " + l.Version); len(parts) == 0 || parts[len(parts)-1] != p {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

// mistake is an error of the request.
type mistake struct{ error }

// Unwrap returns the error itself.
func (m *mistake) Unwrap() error { return m.error }

// Mistake marks an error as one of the request, which must be changed. nil stays nil.
func Mistake(err error) error {
	if err == nil {
		return nil
	}
	return &mistake{err}
}

// IsMistake reports whether an error is one of the request: marked by Mistake, or an unknown
// plugin, a malformed question, or an option that a plugin refuses. Errors of the machine, such
// as a full disk, are never mistakes.
func IsMistake(err error) bool {
	var m *mistake
	if files.OfMachine(err) {
		return false
	}
	return errors.As(err, &m) || errors.Is(err, discover.ErrNotFound) ||
		errors.Is(err, sdk.ErrInvalidProblem) || errors.Is(err, sdk.ErrInvalidOption)
}

// Interrupted reports whether a signal, rather than a deadline, ended the context.
func Interrupted(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}
