package ablate

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/record"
)

// Result is the result of one task: all that tables and plots need, so that they can be made
// from the journal alone.
type Result struct {
	Measures search.Measures `json:"measures"`
	// Steps are the moments at which the largest k rose.
	Steps []Step `json:"steps,omitempty"`
	// Counts are the numbers of distinct individuals with gap > ε, by their k.
	Counts map[int]int64 `json:"counts,omitempty"`
	// Shannon and MinEntropy are means over the individuals, in bits, and Spread is their mean
	// distance, as in hyfair report; nil if not defined.
	Shannon    *float64 `json:"shannon"`
	MinEntropy *float64 `json:"min_entropy"`
	Spread     *float64 `json:"spread"`
	experiment.Cost
	// Retried is the error of the first attempt; empty: it succeeded.
	Retried string `json:"retried,omitempty"`
	// Uncounted: the strategy holds the model and reported less than one evaluation per two rounds.
	Uncounted bool `json:"uncounted,omitempty"`
	// Refuted are the first few claims of the solver that evaluated individuals refute.
	Refuted []string `json:"refuted,omitempty"`
	// Error is the error of the last attempt if the task failed twice; of the other fields, only
	// Cost, Retried and Reason are then valid.
	Error string `json:"error,omitempty"`
	// Reason classifies Error as experiment.Reason does; empty in journals of earlier versions.
	Reason string `json:"reason,omitempty"`
}

// Step is a moment at which the largest k rose.
type Step struct {
	Seconds float64 `json:"t"`
	K       int     `json:"k"`
	// Evals and Iter are the numbers of evaluations and rounds so far; 0 in results of an
	// earlier version.
	Evals int64 `json:"evals,omitempty"`
	Iter  int64 `json:"iter,omitempty"`
}

// reached returns the step at which the largest k reached k; nil if it did not.
func (r *Result) reached(k int) *Step {
	for i := range r.Steps {
		if r.Steps[i].K >= k {
			return &r.Steps[i]
		}
	}
	return nil
}

// maxK is the largest k; 0 if nothing was found.
func (r *Result) maxK() int {
	if len(r.Steps) == 0 {
		return 0
	}
	return r.Steps[len(r.Steps)-1].K
}

// fold makes a task's result from its stream of events, and keeps the events for the journal. A
// fast run reports a sample of its individuals and totals of the others. fold does the same for a
// paper run: it keeps the first 10,000 individuals and a sample of the others. This bounds the
// memory of a long run and keeps its journal small.
type fold struct {
	// fast: the run thins out its individuals itself.
	fast   bool
	events []record.Event
	// found counts the individuals; best is the best of them.
	found uint64
	best  *record.Found
	kept  search.Summed

	result   Result
	finished bool
}

// errInterrupted is the error of a worker that was interrupted before its budget was used up.
var errInterrupted = errors.New("the worker was interrupted")

// add processes one event.
func (f *fold) add(e record.Event) {
	switch e.Kind {
	case record.KindFound:
		f.count(Step{e.Seconds, e.Found.K, e.Found.Evals, e.Found.Iter}, 1)
	case record.KindTally:
		for k, n := range e.Tally.K {
			f.count(Step{Seconds: e.Seconds, K: k}, n)
		}
	case record.KindFinished:
		f.finished = true
		f.result.Seconds, f.result.Uncounted = e.Seconds, e.Finished.Uncounted
	}
	if f.kept.Next == nil {
		f.kept = search.Summed{Keep: f.keeps, Next: func(e record.Event) { f.events = append(f.events, e) }}
	}
	f.kept.Add(e)
}

// keeps decides whether to keep the event of a newly found individual. It keeps a new best, the
// first DefaultKeep individuals, number n after them with probability DefaultKeep/n, and all
// those of a fast run, which are a sample already.
func (f *fold) keeps(x *record.Found) bool {
	f.found++
	better := f.best == nil || x.K > f.best.K || x.K == f.best.K && x.Gap > f.best.Gap
	if better {
		f.best = x
	}
	if better || f.found <= search.DefaultKeep || f.fast {
		return true
	}
	// The finaliser of splitmix64 makes the choice reproducible.
	z := f.found * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	share, _ := bits.Mul64(z^z>>31, f.found) // uniform over 0 to found−1
	return share < search.DefaultKeep
}

func (f *fold) count(at Step, n int64) {
	if at.K > f.result.maxK() {
		f.result.Steps = append(f.result.Steps, at)
	}
	if f.result.Counts == nil {
		f.result.Counts = map[int]int64{}
	}
	f.result.Counts[at.K] += n
}

// end returns the result of a task, or an error if its events show that it did not end as planned.
func (f *fold) end() (*Result, error) {
	for i := range f.events {
		// A search continues without a lost solver, which makes it another arm; a lost
		// strategy ends it with an error.
		switch e := &f.events[i]; {
		case e.Kind != record.KindFault:
		case e.Fault.Refuted != nil: // the solver stays in the loop
			f.result.Refuted = append(f.result.Refuted, e.Fault.Error)
		default:
			return nil, fmt.Errorf("%s: %s", e.Fault.Plugin, e.Fault.Error)
		}
	}
	if !f.finished {
		return nil, errors.New("the worker ended before it reported a result")
	}
	switch end := f.events[len(f.events)-1].Finished; {
	case end == nil:
		return nil, errors.New("the worker sent further events after its result")
	case end.Error != "":
		return nil, errors.New(end.Error)
	case end.Interrupted:
		return nil, errInterrupted
	}
	f.result.Measures = search.Measure(f.events)
	maker := runs.NewMaker()
	for _, e := range f.events {
		maker.Add(e)
	}
	more := maker.Told()
	f.result.Shannon, f.result.MinEntropy, f.result.Spread = more.Shannon.Mean, more.MinEntropy.Mean, more.Spread
	return &f.result, nil
}
