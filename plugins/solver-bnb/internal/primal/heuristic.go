package primal

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
)

// Heuristic looks for individuals that are better than the incumbent, between the rounds of a search.
type Heuristic interface {
	// Due reports whether what the search has done pays for more of it.
	Due(w *Work) bool
	// Improve looks for individuals and hands the best to the store, until it is due no more or has done a step.
	Improve(w *Work)
}

// Work is what a search has done so far, by which heuristics are paid.
type Work struct {
	Nodes  int64
	Leaves int64 // that dives walked through
	LP     int64 // coefficients of tableaus worked out in linear programs
	Open   bool  // something is left to search
	Branch int64 // the part of LP beyond that at which the search escalated; negative before
}

// Escalated reports that the search for a largest gap has been branching on ReLUs for so long that more is tried.
func (w *Work) Escalated(s *goal.Store) bool {
	return w.Branch >= 0 && s.ReLU && s.Values && !s.Binned && s.Best != nil
}

// Affords reports that a share of the work since the search escalated is no less than this work.
func (w *Work) Affords(share float64, work int64) bool {
	return float64(work) <= share*float64(w.Branch)
}

const (
	// leavesOfNode are walked through by a dive while individuals are evaluated for a node.
	leavesOfNode = 1 << 8
	// WorkOfOctet is about how many coefficients of tableaus are worked out while a node of up to eight lanes is bounded.
	WorkOfOctet = 1 << 14
)

// Env is what heuristics have in common. They run on one thread, between rounds.
type Env struct {
	*Points
	Random *rand.Rand
	Stop   *atomic.Bool
	best   *goal.Incumbent // found since the last hand-over
}

// stopped reports that nothing more is to be found.
func (e *Env) stopped() bool { return e.Stop.Load() || e.Enough(e.best) }

// hand hands over the best individual that an idea found.
func (e *Env) hand(by params.Idea) { e.Take(e.best, by.String()) }

// anywhere makes x a random individual.
func (e *Env) anywhere(x []float64) {
	for d := range x {
		x[d] = e.Grid.Dims[d].Random(e.Random)
	}
}
