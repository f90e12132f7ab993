package certify

import (
	"math"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/asked"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
)

// begin starts the question's run in the journal. In parts, it resumes the newest unfinished
// run of the same question, unless the request is Fresh.
func (a *asker) begin() (*session.Run, error) {
	started := asked.Started(a.session, "certify", a.study, a.query, a.plugins, a.Where, a.Seed)
	started.At = a.start
	settings := started.Task.Settings
	settings["encoding"], settings["bounds"], settings["climb"] = a.encoding(), a.bounds(), strconv.FormatBool(a.Climb)
	if a.MaxK {
		settings["max-k"] = "true"
	}
	if len(a.Relax) > 0 {
		settings["relax"] = strings.Join(a.Relax, ",")
	}
	if a.Maximise {
		settings["maximize"], settings["gap"] = "true", strconv.FormatFloat(a.Gap, 'g', -1, 64)
	}
	if a.Partition == "" {
		if a.Timeout > 0 {
			settings["timeout"] = a.Timeout.String()
		}
		return a.session.Begin(started)
	}
	// The time limit is not part of the run's identity: a resumed run may have a larger one.
	settings["partition"], settings["all"], settings["soft-timeout"] = a.Partition, strconv.FormatBool(a.All), a.SoftTimeout.String()
	return a.session.GoOn(started, a.Fresh)
}

// report writes the result into the run, and ends it.
func (a *asker) report(run *session.Run, rep *engine.Report, failed error, interrupted bool) {
	run.Faults(a.plugins.String(), rep.Faults)
	if w := rep.Witness; w != nil {
		run.Emit(w.Event())
	}
	v := &record.Verdict{Region: a.Where, Verdict: rep.Verdict.String(), Tolerance: rep.Tolerance, Reason: rep.Reason}
	if rep.Verdict == engine.Fair {
		v.Grade = rep.Grade.String()
	}
	if rep.HasBound && !math.IsInf(rep.Bound, 0) {
		v.Bound = &rep.Bound
	}
	run.Emit(record.Event{Kind: record.KindVerdict, Verdict: v})
	// A run in parts that ended at a time limit can be resumed.
	limited := a.Partition != "" && rep.Reason == "time limit"
	end := &record.Finished{Interrupted: interrupted || limited}
	if failed != nil {
		end.Error = failed.Error()
	}
	run.Emit(record.Event{Kind: record.KindFinished, Finished: end})
}
