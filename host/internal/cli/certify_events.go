package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/certify"
	"github.com/hyfair/hyfair/host/internal/journal"
	"github.com/hyfair/hyfair/host/internal/task"
)

// certifyEvents is the stream of events of one question.
type certifyEvents struct {
	app     *App
	journal *journal.Journal // nil: the folder for runs could not be written
	stream  *task.Stream
	run     string // the run's name in the journal; empty: it is not kept
	// kept is the run in the journal; nil: it is not kept.
	kept *journal.Run
}

// events opens the journal of the run and says what is run.
func (j *certifyJob) events() (*certifyEvents, error) {
	opened, err := j.app.openJournal()
	if err != nil {
		return nil, err
	}
	e := &certifyEvents{app: j.app, journal: opened}
	if e.kept = j.resumable(opened); e.kept != nil {
		e.stream = &task.Stream{Start: j.start}
		keep(e.stream, e.kept)
		e.run = e.kept.Name()
		return e, nil
	}
	e.stream, e.kept = j.app.record(opened, task.Started{
		Task: j.task(), At: j.start.UTC(), Features: j.query.Space.Names(), Study: j.study.Name, Model: filepath.Base(j.study.ModelPath),
		Versions: map[string]string{"hyfair": version(), j.plugin.String(): j.plugin.Description().Version, "library": libraryOf(j.plugin.Description())},
		Machine:  thisMachine(),
	})
	e.run = nameOf(e.kept)
	return e, nil
}

// task is the question by its content.
func (j *certifyJob) task() task.Task {
	settings := map[string]string{
		"notion": j.query.Notion.String(), "encoding": j.encoding(), "bounds": j.bounds(), "climb": strconv.FormatBool(j.flags.climb),
		"protected": strings.Join(protectedNames(j.query.Space), ","), "threads": strconv.Itoa(j.app.Threads),
	}
	if j.query.Epsilon != nil {
		settings["epsilon"] = j.query.Epsilon.RatString()
	}
	if j.flags.k > 0 {
		settings["k"] = strconv.Itoa(j.flags.k)
	}
	if j.flags.maxK {
		settings["max-k"] = "true"
	}
	if len(j.flags.relax) > 0 {
		settings["relax"] = strings.Join(j.flags.relax, ",")
	}
	if j.flags.maximise {
		settings["maximize"], settings["gap"] = "true", strconv.FormatFloat(j.flags.gap, 'g', -1, 64)
	}
	if p := &j.flags.partition; p.chunks != "" {
		// The time limit is left out: with a larger one, the run can go on.
		settings["partition"], settings["all"], settings["soft-timeout"] = p.chunks, strconv.FormatBool(p.all), p.soft.String()
	} else if j.flags.timeout > 0 {
		settings["timeout"] = j.flags.timeout.String()
	}
	if j.memory > 0 {
		settings["memory"] = strconv.FormatInt(j.memory, 10)
	}
	for _, r := range j.study.Rules {
		if r.On {
			settings["rule."+r.Name] = "on"
		}
	}
	for name, value := range j.plugin.Options {
		settings["set."+name] = value
	}
	return task.Task{Command: "certify", Network: j.study.ModelSHA256, Study: j.study.SHA256, Arm: j.plugin.Description().Name,
		Seed: j.app.Seed, Region: j.flags.question.where, Settings: settings}
}

// path is the journal's; empty where nothing is kept.
func (e *certifyEvents) path() string {
	if e.run == "" {
		return ""
	}
	return e.journal.Path()
}

func (e *certifyEvents) close() {
	if e.journal == nil {
		return
	}
	if err := e.journal.Close(); err != nil {
		fmt.Fprintf(e.app.Stderr, "hyfair: not all of this run's events are kept: %v\n", err)
	}
}

func (e *certifyEvents) failed(err error) {
	e.stream.Emit(task.Event{Kind: task.KindFinished, Finished: &task.Finished{Error: err.Error()}})
}

func (e *certifyEvents) report(j *certifyJob, rep *certify.Report, failed error, interrupted bool) {
	for _, f := range rep.Faults {
		e.stream.Emit(task.Event{Kind: task.KindFault, Fault: &task.Fault{Plugin: j.plugin.String(), Error: f}})
	}
	if w := rep.Witness; w != nil {
		e.stream.Emit(w.Event())
	}
	v := &task.Verdict{Region: j.flags.question.where, Verdict: rep.Verdict.String(), Tolerance: rep.Tolerance, Reason: rep.Reason}
	if rep.Verdict == certify.Fair {
		v.Grade = rep.Grade.String()
	}
	if rep.HasBound && !math.IsInf(rep.Bound, 0) {
		v.Bound = &rep.Bound
	}
	e.stream.Emit(task.Event{Kind: task.KindVerdict, Verdict: v})
	// Parts that a time limit left open can be gone on with.
	limited := j.flags.partition.chunks != "" && rep.Reason == "time limit"
	end := &task.Finished{Interrupted: interrupted || limited}
	if failed != nil {
		end.Error = failed.Error()
	}
	e.stream.Emit(task.Event{Kind: task.KindFinished, Finished: end})
}
