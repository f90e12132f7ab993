package cli

import (
	"math/big"
	"strconv"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk"
)

// quantifyEvents is the stream of events of one question.
type quantifyEvents struct {
	runEvents
	job    *quantifyJob
	told   time.Time // of the last shares
	proved bool      // there was a proof in one
}

// events opens the journal of the run and says what is run.
func (j *quantifyJob) events() (*quantifyEvents, error) {
	opened, err := j.app.openJournal()
	if err != nil {
		return nil, err
	}
	settings := j.app.questionSettings(j.study, j.query, j.plugin, j.memory)
	settings["samples"] = strconv.Itoa(j.flags.samples)
	if j.flags.timeout > 0 {
		settings["timeout"] = j.flags.timeout.String()
	}
	started := j.app.solverRun("quantify", j.study, j.query, j.plugin, j.flags.question.Where, settings)
	started.At = j.start.UTC()
	e := &quantifyEvents{runEvents: runEvents{app: j.app, journal: opened}, job: j}
	stream, kept := j.app.record(opened, started)
	e.stream, e.run = stream, nameOf(kept)
	return e, nil
}

// sharesEvery is the least time between two events about a running question: a
// run that is killed loses about as much.
const sharesEvery = time.Second

// progress keeps a glimpse now and then, and the first with a proof.
func (e *quantifyEvents) progress(p quantify.Progress) {
	news := p.Fair != nil && !e.proved
	if time.Since(e.told) < sharesEvery && !news {
		return
	}
	e.told, e.proved = time.Now(), e.proved || news
	s := &record.Shares{Fair: "0", Unfair: "0", Boxes: p.Boxes, Sampled: countedSample(p.Sampled), Rows: countedRows(p.Rows)}
	if p.Fair != nil && p.Unfair != nil {
		s.Fair, s.Unfair = p.Fair.RatString(), p.Unfair.RatString()
		s.Grade = gradeOf(p.Fair, p.Unfair, e.job.plugin.Description().Exactness)
	}
	e.stream.Emit(record.Event{Kind: record.KindShares, Shares: s})
}

// gradeOf is the name of a proof's grade; empty where nothing is proved.
func gradeOf(fair, unfair *big.Rat, grade sdk.Grade) string {
	if fair.Sign() == 0 && unfair.Sign() == 0 || grade == 0 {
		return ""
	}
	return grade.String()
}

// report ends the run.
func (e *quantifyEvents) report(rep *quantify.Report, failed error, interrupted bool) {
	e.faults(e.job.plugin.String(), rep.Faults)
	s := sharesEvent(rep)
	e.stream.Emit(record.Event{Kind: record.KindShares, Shares: s})
	told := quantify.SharesOf(s, nil)
	end := &record.Finished{Interrupted: interrupted, Measures: told.Measures()}
	if failed != nil {
		end.Error = failed.Error()
	}
	e.stream.Emit(record.Event{Kind: record.KindFinished, Finished: end})
}

// sharesEvent is a report as the journal keeps it.
func sharesEvent(rep *quantify.Report) *record.Shares {
	s := &record.Shares{
		Fair: rep.Fair.RatString(), Unfair: rep.Unfair.RatString(), Grade: gradeOf(rep.Fair, rep.Unfair, rep.Grade),
		Boxes: rep.Boxes, Complete: rep.Complete, Reason: rep.Reason, Sampled: countedSample(rep.Sampled), Rows: countedRows(rep.Rows),
	}
	if rep.Individuals != nil {
		s.Individuals = rep.Individuals.String()
	}
	return s
}

func countedSample(s *quantify.Sampled) *record.Counted {
	if s == nil {
		return nil
	}
	return &record.Counted{Unfair: s.Unfair, N: s.N, All: s.All}
}

func countedRows(r *quantify.Rows) *record.Counted {
	if r == nil {
		return nil
	}
	return &record.Counted{Unfair: r.Unfair, N: r.N, Outside: r.Outside}
}
