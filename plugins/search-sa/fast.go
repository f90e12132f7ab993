package main

import (
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
)

// fast implements chain.FastRules: annealing in many chains.
type fast annealing

// Propose returns a random neighbour if the paper's SA would propose the current
// individual itself.
func (f *fast) Propose(rng *rand.Rand, current []float64) []float64 {
	if f.knn {
		return (*annealing)(f).Propose(rng, current)
	}
	if rng.Float64() >= f.p {
		return f.domain.Row(rng)
	}
	return f.domain.Neighbour(rng, current)
}

// AcceptTrial is Metropolis' rule for chain.Value. The temperature depends on the rounds
// since the chain's last start.
func (f *fast) AcceptTrial(rng *rand.Rand, current, candidate *sdk.Trial, age int64) bool {
	return f.ratio(chain.Value(current), chain.Value(candidate), age) >= rng.Float64()
}
