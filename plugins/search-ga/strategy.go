package main

import (
	"context"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy starts sessions; the package comment describes the algorithm.
type strategy struct{}

const (
	defaultPopulation = 100 // if the host wants a single chain
	minPopulation     = 4
	maxPopulation     = 100_000
)

func (strategy) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:      "ga",
		Version:   "1.0.0",
		Summary:   "genetic algorithm on two islands, in the spirit of ExpGA",
		NeedsRows: true,
		Lag:       1,
		Options:   options,
		Presets:   []sdk.Preset{{Name: "ga", Summary: "genetic algorithm with tournaments and uniform crossover"}},
	}, nil
}

func (strategy) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	set, err := parse(o.Options)
	if err != nil {
		return nil, err
	}
	if set.population == 0 {
		set.population = defaultPopulation
		if o.Chains > 1 {
			set.population = min(max(o.Chains, minPopulation), maxPopulation)
		}
	}
	return newSession(set, chain.NewDomain(s, o), o.Seed), nil
}
