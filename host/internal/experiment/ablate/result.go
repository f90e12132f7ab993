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

// Result is what one task came to: all that tables and plots need, so that they
// can be made again from the journal alone.
type Result struct {
	Measures search.Measures `json:"measures"`
	// Steps tell when the largest k rose, and to what.
	Steps []Step `json:"steps,omitempty"`
	// Counts are the distinct individuals with gap > ε by their k.
	Counts map[int]int64 `json:"counts,omitempty"`
	// Shannon and MinEntropy are means over the individuals, in bits, and Spread is
	// how far they are apart, as hyfair report has them; nil where that is N/A.
	Shannon    *float64 `json:"shannon"`
	MinEntropy *float64 `json:"min_entropy"`
	Spread     *float64 `json:"spread"`
	experiment.Cost
	// Retried says what went wrong the first time; empty: nothing.
	Retried string `json:"retried,omitempty"`
	// Uncounted: the strategy holds the model and reported fewer evaluations of its own than one in two rounds.
	Uncounted bool `json:"uncounted,omitempty"`
	// Refuted are claims of the solver that evaluated individuals refute, the first few.
	Refuted []string `json:"refuted,omitempty"`
	// Error: the task failed, twice, and the rest says nothing.
	Error string `json:"error,omitempty"`
}

// Step is a moment at which the largest k rose.
type Step struct {
	Seconds float64 `json:"t"`
	K       int     `json:"k"`
	// Evals and Iter are how many evaluations and rounds there had been; 0 in results
	// of an earlier version.
	Evals int64 `json:"evals,omitempty"`
	Iter  int64 `json:"iter,omitempty"`
}

// reached is when the largest k was at least k; nil where it never was.
func (r *Result) reached(k int) *Step {
	for i := range r.Steps {
		if r.Steps[i].K >= k {
			return &r.Steps[i]
		}
	}
	return nil
}

// maxK is the largest k; 0 where nothing was found.
func (r *Result) maxK() int {
	if len(r.Steps) == 0 {
		return 0
	}
	return r.Steps[len(r.Steps)-1].K
}

// fold makes a result of a task's events as they come in, and keeps those that
// the journal gets: all, but of a paper run's individuals the first 10,000 and,
// thinned out as those of a fast run are, some of the others, which are summed up
// instead. So a long run's memory stays bounded, and its journal small.
type fold struct {
	// fast: the run thins out its individuals itself.
	fast   bool
	events []record.Event
	// found counts the individuals, best is the best of them.
	found uint64
	best  *record.Found
	kept  search.Summed

	result   Result
	finished bool
}

// errInterrupted: the worker was interrupted before its budget.
var errInterrupted = errors.New("the worker was interrupted")

// add takes in one event.
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

// keeps decides whether an individual just found keeps its event: a new best
// does, so do the first ones, and number n after them with probability
// DefaultKeep/n. A fast run has thinned them out already.
func (f *fold) keeps(x *record.Found) bool {
	f.found++
	better := f.best == nil || x.K > f.best.K || x.K == f.best.K && x.Gap > f.best.Gap
	if better {
		f.best = x
	}
	if better || f.found <= search.DefaultKeep || f.fast {
		return true
	}
	// The finaliser of splitmix64: the same run keeps the same ones.
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

// end is the result of a task that came to its end by itself; what it has to
// say against that is an error.
func (f *fold) end() (*Result, error) {
	for i := range f.events {
		// A search continues without a lost solver, which makes it another arm; a lost
		// strategy ends it with an error.
		switch e := &f.events[i]; {
		case e.Kind != record.KindFault:
		case e.Fault.Refuted != nil: // it found nothing
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
		return nil, errors.New("the worker wrote more after its result")
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
