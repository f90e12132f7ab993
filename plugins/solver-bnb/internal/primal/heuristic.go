package primal

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
)

// Heuristic looks for individuals that are better than the incumbent, between the rounds of a search.
type Heuristic interface {
	// Due reports whether the search has done enough work to pay for more of the
	// heuristic.
	Due(w *Work) bool
	// Improve looks for individuals and passes the best to the store, until it is no longer due or has done a
	// step.
	Improve(w *Work)
}

// Work is what a search has done so far; it pays for heuristics.
type Work struct {
	Nodes  int64
	Leaves int64 // leaves that dives walked through
	LP     int64 // coefficients of tableaus computed in linear programs
	Open   bool  // something is left to search
	Branch int64 // LP beyond the value at which the search escalates; negative before
}

// Escalated reports whether the search for a largest gap has branched on ReLUs for so long that further methods
// are tried.
func (w *Work) Escalated(s *goal.Store) bool {
	return w.Branch >= 0 && s.ReLU && s.Values && !s.Binned && s.Best != nil
}

// Affords reports whether a share of the work since the search escalated is at least the given
// work.
func (w *Work) Affords(share float64, work int64) bool {
	return float64(work) <= share*float64(w.Branch)
}

const (
	// leavesOfNode is the number of leaves that a dive walks through in the time in which
	// the individuals for a node are evaluated.
	leavesOfNode = 1 << 8
	// WorkOfOctet is about the number of coefficients of tableaus computed in the time in which a node of up to eight
	// lanes is bounded.
	WorkOfOctet = 1 << 14
)

// Env is the common part of heuristics. They run on one thread, between rounds.
type Env struct {
	*Points
	Random *rand.Rand
	Stop   *atomic.Bool
	best   *goal.Incumbent // the best found by the current call of Improve
}

// stopped reports whether the search is to stop, or the best individual answers the
// query.
func (e *Env) stopped() bool { return e.Stop.Load() || e.Enough(e.best) }

// hand passes the best individual that an idea found to the store.
func (e *Env) hand(by params.Idea) { e.Take(e.best, by.String()) }

// anywhere sets x to a random individual.
func (e *Env) anywhere(x []float64) {
	for d := range x {
		x[d] = e.Grid.Dims[d].Random(e.Random)
	}
}
