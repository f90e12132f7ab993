package cli

import (
	"math"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
)

// certifyEvents is the stream of events of one question.
type certifyEvents struct {
	runEvents
	// kept is the run in the journal; nil: it is not kept.
	kept *journal.Run
}

// events opens the journal of the run and says what is run.
func (j *certifyJob) events() (*certifyEvents, error) {
	opened, err := j.app.openJournal()
	if err != nil {
		return nil, err
	}
	e := &certifyEvents{runEvents: runEvents{app: j.app, journal: opened}}
	if e.kept = j.resumable(opened); e.kept != nil {
		e.stream = &record.Stream{Start: j.start}
		keep(e.stream, e.kept)
		e.run = e.kept.Name()
		return e, nil
	}
	started := j.started()
	started.At = j.start.UTC()
	e.stream, e.kept = j.app.record(opened, started)
	e.run = nameOf(e.kept)
	return e, nil
}

// started is the question by its content.
func (j *certifyJob) started() record.Started {
	settings := j.app.questionSettings(j.study, j.query, j.plugin, j.memory)
	settings["encoding"], settings["bounds"], settings["climb"] = j.encoding(), j.bounds(), strconv.FormatBool(j.flags.climb)
	if j.flags.maxK {
		settings["max-k"] = "true"
	}
	if len(j.flags.question.Relax) > 0 {
		settings["relax"] = strings.Join(j.flags.question.Relax, ",")
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
	return j.app.solverRun("certify", j.study, j.query, j.plugin, j.flags.question.Where, settings)
}

// task is the question without where and when it is asked.
func (j *certifyJob) task() record.Task { return j.started().Task }

func (e *certifyEvents) report(j *certifyJob, rep *certify.Report, failed error, interrupted bool) {
	e.faults(j.plugin.String(), rep.Faults)
	if w := rep.Witness; w != nil {
		e.stream.Emit(w.Event())
	}
	v := &record.Verdict{Region: j.flags.question.Where, Verdict: rep.Verdict.String(), Tolerance: rep.Tolerance, Reason: rep.Reason}
	if rep.Verdict == certify.Fair {
		v.Grade = rep.Grade.String()
	}
	if rep.HasBound && !math.IsInf(rep.Bound, 0) {
		v.Bound = &rep.Bound
	}
	e.stream.Emit(record.Event{Kind: record.KindVerdict, Verdict: v})
	// Parts that a time limit left open can be gone on with.
	limited := j.flags.partition.chunks != "" && rep.Reason == "time limit"
	end := &record.Finished{Interrupted: interrupted || limited}
	if failed != nil {
		end.Error = failed.Error()
	}
	e.stream.Emit(record.Event{Kind: record.KindFinished, Finished: end})
}
