package bnb

import (
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk/problem"
)

// eager are parameters by which everything is tried from the start.
func eager() params.Params {
	p := params.Default()
	p.ShortSearch, p.EscalateAfter, p.Count.TableMass, p.Anneal.Steps = 0, 0, 0, 64
	return p
}

// newSearch prepares a search that tries everything from the start.
func newSearch(q *problem.Query, seed int64, threads int) (*Search, error) {
	return New(q, seed, threads, eager())
}

// bounded bounds what was placed.
func (w *worker) bounded() {
	w.bounder.Bound()
	if w.counter != nil {
		w.counter.Bounded()
	}
}
