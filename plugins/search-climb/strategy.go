package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy makes sessions; see the package's description for the algorithm.
type strategy struct{}

// nextWork bounds what one call of Next computes, in multiplications: a few
// hundredths of a second. It is a count, not a time, so that the moves do not
// depend on the machine.
const nextWork = 1 << 30

func (strategy) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:         "climb",
		Version:      "1.0.0",
		Summary:      "steepest ascent over single features with kicks, recombination and restarts; evaluates by itself",
		NeedsRows:    true,
		NeedsNetwork: true,
		Options:      options,
		Presets:      []sdk.Preset{{Name: "climb", Summary: "ascent with kicks and restarts"}},
	}, nil
}

func (strategy) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	set, err := parse(o.Options)
	if err != nil {
		return nil, err
	}
	if o.Network == nil {
		return nil, errors.New("the network is missing; this strategy evaluates by itself")
	}
	e, err := evaluate.New(o.Network, s, o.Region, o.Epsilon)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	t := newTerrain(set, s, o, e)
	t.share = max(1, nextWork/(set.climbs*o.Network.Parameters()*max(1, e.Combinations())))
	return newSession(t, o.Seed), nil
}
