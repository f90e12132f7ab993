package cli

import (
	"fmt"
	"runtime"

	"github.com/hyfair/hyfair/host/internal/journal"
	"github.com/hyfair/hyfair/host/internal/task"
)

// openJournal opens the journal of --journal, or the one in the folder for
// runs. A folder that cannot be written to costs the journal, not the run: nil
// is returned then, and a word on standard error.
func (a *App) openJournal() (*journal.Journal, error) {
	if a.Journal != "" {
		j, err := journal.Open(a.Journal)
		return j, usage(err)
	}
	path, err := journal.DefaultPath()
	var j *journal.Journal
	if err == nil {
		j, err = journal.Open(path)
	}
	if err != nil {
		a.notKept(err)
		return nil, nil
	}
	return j, nil
}

func (a *App) notKept(err error) {
	fmt.Fprintf(a.Stderr, "hyfair: this run's events are not kept: %v\n", err)
}

// record begins a run in the journal, which may be nil, and returns the stream
// that its events take, and the run: nil where nothing is kept. What goes wrong
// later is told when the journal is closed.
func (a *App) record(j *journal.Journal, started task.Started) (*task.Stream, *journal.Run) {
	stream := &task.Stream{Run: started.Task.NewRun(started.At), Start: started.At}
	if j == nil {
		return stream, nil
	}
	run, err := j.Begin(started)
	if err != nil {
		a.notKept(err)
		return stream, nil
	}
	keep(stream, run)
	return stream, run
}

// keep lets a stream's events go to a run of a journal.
func keep(stream *task.Stream, run *journal.Run) {
	stream.Run = run.Name()
	stream.Sinks = append(stream.Sinks, func(e task.Event) { run.Emit(e) })
}

// nameOf is a run's name; empty where nothing is kept.
func nameOf(run *journal.Run) string {
	if run == nil {
		return ""
	}
	return run.Name()
}

func thisMachine() task.Machine {
	return task.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
}
