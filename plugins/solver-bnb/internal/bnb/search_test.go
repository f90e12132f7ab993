package bnb

import (
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
)

// eager are parameters with which every idea is tried from the start.
func eager() params.Params {
	p := params.Default()
	p.ShortSearch, p.EscalateAfter, p.Count.TableMass, p.Count.MomentsAfter, p.Anneal.Steps = 0, 0, 0, 0, 64
	return p
}

// newSearch prepares a search with eager parameters.
func newSearch(q *problem.Query, seed int64, threads int) (*Search, error) {
	return New(q, seed, threads, eager())
}

// layered returns a network with layers of these widths and random weights and biases.
func layered(widths []int, weight, bias func() float64) *relu.Network {
	return known.Dense(relu.HeadSigmoid, weight, bias, widths[:len(widths)-1]...)
}

// boundBox bounds one box, in slot 0.
func (w *worker) boundBox(box grid.Box) {
	w.ws.Place(box, 0)
	w.ws.N = 1
	w.bounded()
}

// bounded bounds the placed boxes.
func (w *worker) bounded() {
	w.bounder.Bound()
	if w.counter != nil {
		w.counter.Bounded()
	}
}
