package main

import (
	"context"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy is RW of the paper's Algorithm 1: it proposes a random neighbour of
// the current individual and always accepts it.
type strategy struct{}

func (strategy) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:      "rw",
		Version:   "1.0.0",
		Summary:   "random walk: a random neighbour each round, always accepted (the paper's RW)",
		NeedsRows: true,
		Lag:       1,
		Presets:   []sdk.Preset{{Name: "rw", Summary: "random walk, as in the paper"}},
	}, nil
}

func (strategy) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	domain := chain.NewDomain(s, o)
	if o.Chains > 1 {
		return chain.NewParallel(domain, walk{domain}, o.Chains, 0, o.Seed), nil
	}
	return chain.New(domain, walk{domain}, o.Seed), nil
}

// walk implements chain.Rules and chain.FastRules.
type walk struct{ domain *chain.Domain }

func (w walk) Propose(rng *rand.Rand, current []float64) []float64 {
	return w.domain.Neighbour(rng, current)
}

func (walk) Accept(*rand.Rand, int, int, int64) bool { return true }

func (walk) AcceptTrial(*rand.Rand, *sdk.Trial, *sdk.Trial, int64) bool { return true }
