package main

import (
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/model"
)

// session is all walks, which share nothing that a step changes.
type session = chain.Walks[*walk]

func newSession(t *terrain, m model.Differentiable, seed int64, walks int) *session {
	s := &session{Refused: t.refused}
	for i := range walks {
		s.All = append(s.All, &walk{
			terrain: t, gradient: m.Gradient(), seeded: i, rng: chain.Random(seed, i),
			inputs: make([]float64, m.Inputs()), slopes: make([]float64, m.Inputs()),
		})
	}
	return s
}
