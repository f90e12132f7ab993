package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy starts sessions; the package comment describes the algorithm.
type strategy struct{}

// nextWork bounds the multiplications of one call of Next: a few hundredths of a second.
// It is a count, not a time, so that the moves do not depend on the machine.
const nextWork = 1 << 30

var description = sdk.Description{
	Name:       "climb",
	Version:    "1.0.0",
	Summary:    "iterated local search over single features, with recombination and restarts; evaluates by itself",
	NeedsRows:  true,
	NeedsModel: true,
	Families:   []string{relu.Family, trees.Family},
	Options:    options,
	Presets:    []sdk.Preset{{Name: "climb", Summary: "local search with perturbations and restarts"}},
}

func (strategy) Describe(context.Context) (sdk.Description, error) { return description, nil }

func (strategy) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	set, err := parse(o.Options)
	if err != nil {
		return nil, err
	}
	if o.Model == nil {
		return nil, errors.New("the model is missing; this strategy evaluates by itself")
	}
	if err := description.Refuses(o.Model); err != nil {
		return nil, err
	}
	e, err := evaluate.NewBanded(o.Model, s, o.Region, o.Epsilon, o.Bands)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	t := newTerrain(set, s, o, e)
	t.share = max(1, nextWork/(set.climbs*o.Model.Parameters()*max(1, e.Combinations())))
	return newSession(t, o.Seed), nil
}
