package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy starts sessions; the package comment describes the algorithm.
type strategy struct{}

// maxWalks bounds the number of parallel walks, whatever number of chains the host wants.
const maxWalks = 4096

var description = sdk.Description{
	Name:       "grad",
	Version:    "1.0.0",
	Summary:    "follows the gradient of the gap from clustered rows, in the spirit of ADF and EIDIG",
	NeedsRows:  true,
	NeedsModel: true,
	Families:   []string{relu.Family, trees.Family}, // trees are refused later, as they have no gradient
	Options:    options,
	Presets: []sdk.Preset{
		{Name: "grad", Summary: "the global phase: follows the gradient from each seed", Options: map[string]string{"local": "0"}},
		{Name: "grad+local", Summary: "the global phase, then perturbations of the best individual", Options: map[string]string{"local": "100"}},
	},
}

func (strategy) Describe(context.Context) (sdk.Description, error) { return description, nil }

func (strategy) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	set, err := parse(o.Options)
	if err != nil {
		return nil, err
	}
	if o.Model == nil {
		return nil, errors.New("the model is missing; this strategy follows its gradient")
	}
	e, err := evaluate.NewBanded(o.Model, s, o.Region, o.Epsilon, o.Bands)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	t := &terrain{settings: set, domain: chain.NewDomain(s, o), eval: e, refused: map[string]bool{}}
	t.seeds = cluster(s, t.domain.Rows(), set.clusters, o.Seed)
	session := &chain.Walks[*walk]{Refused: t.refused}
	for i := range min(max(o.Chains, 1), maxWalks) {
		gradient, err := e.Gradient()
		if err != nil {
			return nil, err
		}
		session.All = append(session.All, &walk{
			terrain: t, gradient: gradient, seeded: i, rng: chain.Random(o.Seed, i), slopes: make([]float64, s.Inputs),
		})
	}
	return session, nil
}
