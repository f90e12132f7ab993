package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
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
func (a *App) record(j *journal.Journal, started record.Started) (*record.Stream, *journal.Run) {
	stream := &record.Stream{Run: started.Task.NewRun(started.At), Start: started.At}
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

// runEvents is the stream of events of one run, and where it goes.
type runEvents struct {
	app     *App
	journal *journal.Journal // nil: the folder for runs could not be written
	stream  *record.Stream
	run     string // the run's name in the journal; empty: it is not kept
}

// path is the journal's; empty where nothing is kept.
func (e *runEvents) path() string {
	if e.run == "" {
		return ""
	}
	return e.journal.Path()
}

// close tells what went wrong with the journal since it was opened.
func (e *runEvents) close() error {
	if e.journal == nil {
		return nil
	}
	if err := e.journal.Close(); err != nil {
		return fmt.Errorf("not all of this run's events are kept: %w", err)
	}
	return nil
}

// faults are what a plugin did wrong.
func (e *runEvents) faults(plugin string, list []string) {
	for _, f := range list {
		e.stream.Emit(record.Event{Kind: record.KindFault, Fault: &record.Fault{Plugin: plugin, Error: f}})
	}
}

// failed ends a run that has nothing to show.
func (e *runEvents) failed(err error) {
	e.stream.Emit(record.Event{Kind: record.KindFinished, Finished: &record.Finished{Error: err.Error()}})
}

// keep lets a stream's events go to a run of a journal.
func keep(stream *record.Stream, run *journal.Run) {
	stream.Run = run.Name()
	stream.Sinks = append(stream.Sinks, func(e record.Event) { run.Emit(e) })
}

// nameOf is a run's name; empty where nothing is kept.
func nameOf(run *journal.Run) string {
	if run == nil {
		return ""
	}
	return run.Name()
}

// solverRun says what a command runs that puts a question to a solver.
func (a *App) solverRun(command string, st *study.Study, q *problem.Query, plugin *discover.Plugin, where string, settings map[string]string) record.Started {
	d := plugin.Description()
	return record.Started{
		Task:     record.Task{Command: command, Network: st.ModelSHA256, Study: st.SHA256, Arm: d.Name, Seed: a.Seed, Region: where, Settings: settings},
		Features: q.Space.Names(), Study: st.Name, Model: filepath.Base(st.ModelPath),
		Versions: map[string]string{"hyfair": session.Version(), plugin.String(): d.Version, "library": session.Library(d)}, Machine: session.Machine(),
	}
}

// questionSettings are those that every question to a solver has.
func (a *App) questionSettings(st *study.Study, q *problem.Query, plugin *discover.Plugin, memory int64) map[string]string {
	settings := map[string]string{
		"notion": q.Notion.String(), "protected": strings.Join(question.Protected(q.Space), ","),
	}
	if a.Threads != 0 {
		settings["threads"] = strconv.Itoa(a.Threads)
	}
	if q.Epsilon != nil {
		settings["epsilon"] = fairness.FormatRat(q.Epsilon)
	}
	if q.K > 0 {
		settings["k"] = strconv.Itoa(q.K)
	}
	if memory > 0 {
		settings["memory"] = strconv.FormatInt(memory, 10)
	}
	for _, r := range st.Rules {
		if r.On {
			settings["rule."+r.Name] = "on"
		}
	}
	for name, value := range plugin.Options {
		settings["set."+name] = value
	}
	return settings
}
