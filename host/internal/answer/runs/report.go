// Package runs lists, describes, merges and deletes runs of the journal, and reports on
// searches and quantifications. It starts no run.
package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/report"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Header is the part that all reports share.
type Header struct {
	// The journal's file.
	Journal string `json:"journal"`
	// The run's name.
	Run string `json:"run"`
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The run's seed.
	Seed int64 `json:"seed"`
	// The run's --where; absent for the entire space.
	Where string `json:"where,omitempty"`
	// The settings of the run, by flag; null without any.
	Settings map[string]string `json:"settings"`
	// The time of the start.
	Started time.Time `json:"started"`
	// The state, as in runs.
	State string `json:"state"`
	// Wall time of the run, in seconds.
	Seconds float64 `json:"seconds"`
	// The error that ended the run.
	Error string `json:"error,omitempty"`
}

// Result is a *Search, a *Quantification, the *Details of a verdict, or a *report.Result.
type Result interface{ Document() *view.Document }

// Of reports on a run of the journal. For a run that was killed, it reports what had
// been written.
func Of(_ context.Context, s *session.Session, name string) (Result, error) { return past(s, name, of) }

func of(j *journal.Journal, d *journal.Details) (Result, error) {
	s := &d.Started
	run := Header{
		Journal: j.Path(), Run: d.Name, Study: s.Study, Model: s.Model, Seed: s.Task.Seed, Where: s.Task.Region,
		Settings: s.Task.Settings, Started: s.At, State: string(d.State), Seconds: seconds(&d.Info), Error: d.Error,
	}
	switch command := s.Task.Command; command {
	case "search":
		maker, err := made(j, d.Name)
		return &Search{run, s.Task.Arm, *maker.Told()}, err
	case "quantify":
		known, err := lastShares(j, d.Name)
		return &Quantification{run, s.Task.Arm, known}, err
	case "certify":
		return details(j, d)
	case report.Command:
		out := &report.Result{}
		found := false
		err := j.Tasks(d.Name, func(done journal.Done) error {
			if done.Key != report.Task {
				return nil
			}
			found = true
			return json.Unmarshal(done.Result, out)
		})
		if err == nil && !found {
			err = session.Mistake(fmt.Errorf("run %s is an unfinished report: run hyfair report again", d.Name))
		}
		return out, err
	default:
		return nil, session.Mistake(fmt.Errorf("run %s: runs of hyfair %s have no report; see hyfair runs show %s", d.Name, command, d.Name))
	}
}

// made folds the events of a run.
func made(j *journal.Journal, run string) (*Maker, error) {
	maker := NewMaker()
	return maker, j.Events(run, func(e record.Event) error { maker.Add(e); return nil })
}

// lastShares returns the last shares in the events of a quantification, and the faults of
// the solver. Without such an event, nothing is proved.
func lastShares(j *journal.Journal, run string) (quantify.Shares, error) {
	last := &record.Shares{Fair: "0", Unfair: "0"}
	var faults []string
	err := j.Events(run, func(e record.Event) error {
		switch e.Kind {
		case record.KindShares:
			last = e.Shares
		case record.KindFault:
			faults = append(faults, e.Fault.Error)
		}
		return nil
	})
	return quantify.SharesOf(last, faults), err
}

// seconds is how long a run took, or has taken so far, including pauses before it was
// resumed.
func seconds(info *journal.Info) float64 {
	if info.State == journal.Running {
		return max(info.Seconds, time.Since(info.Started.At).Seconds())
	}
	return info.Seconds
}

// title names the run of a strategy or a solver, and some of its settings.
func (r *Header) title(by string, settings ...string) string {
	t := fmt.Sprintf("Run %s: %s on %s (%s), seed %d", r.Run, by, r.Study, r.Model, r.Seed)
	if r.Where != "" {
		t += ", where " + r.Where
	}
	if eps, ok := new(big.Rat).SetString(r.Settings["epsilon"]); ok {
		t += ", ε = " + fairness.FormatRat(eps)
	}
	for _, name := range settings {
		if v := r.Settings[name]; v != "" {
			t += ", " + name + " " + v
		}
	}
	return t
}

// notes describe how the run ended, unless it finished. known states what a lost run has
// written.
func (r *Header) notes(known string) []string {
	switch journal.State(r.State) {
	case journal.BrokenOff:
		return []string{fmt.Sprintf("BROKEN OFF after %s: the process ended before the run did. This is what it had written%s.", view.Seconds(r.Seconds), known)}
	case journal.Interrupted:
		return []string{fmt.Sprintf("Interrupted after %s.", view.Seconds(r.Seconds))}
	case journal.Failed:
		return []string{fmt.Sprintf("Failed after %s: %s", view.Seconds(r.Seconds), r.Error)}
	case journal.Running:
		return []string{fmt.Sprintf("Still running, after %s.", view.Seconds(r.Seconds))}
	}
	return nil
}
