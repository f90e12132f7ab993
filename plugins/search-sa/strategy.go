package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/chain/nearest"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy is SA and SA+KNN of the paper's Algorithm 1. With probability p the
// candidate is the current individual itself (candidate=current) or one of its
// nearest rows (candidate=knn), else it is a random row; Metropolis accepts.
type strategy struct{}

func (strategy) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:      "sa",
		Version:   "1.0.0",
		Summary:   "simulated annealing over the data set's rows (the paper's SA and SA+KNN)",
		NeedsRows: true,
		Options:   options,
		Presets: []sdk.Preset{
			{Name: "sa", Summary: "simulated annealing, as in the paper", Options: map[string]string{"candidate": "current"}},
			{Name: "sa+knn", Summary: "simulated annealing with nearest neighbours, as in the paper", Options: map[string]string{"candidate": "knn"}},
		},
	}, nil
}

func (strategy) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	set, err := parse(o.Options)
	if err != nil {
		return nil, err
	}
	a := &annealing{settings: set, ground: chain.NewGround(s, o)}
	if set.knn {
		var rows [][]float64
		for _, row := range a.ground.Rows() {
			if a.ground.Inside(row) {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%w: candidate=knn needs rows, and none of the data set's %d lies in the region; use sa instead of sa+knn", sdk.ErrInvalidOption, len(o.Rows))
		}
		a.index = nearest.New(s, rows)
	}
	return chain.New(a.ground, a, o.Seed), nil
}

// annealing is chain.Rules.
type annealing struct {
	settings
	ground *chain.Ground
	index  *nearest.Index // nil unless knn

	// The neighbours of one individual are asked for again and again while the
	// chain stays there.
	around     []float64
	neighbours [][]float64
}

func (a *annealing) Propose(rng *rand.Rand, current []float64) []float64 {
	if rng.Float64() >= a.p {
		return a.ground.Row(rng)
	}
	if !a.knn {
		return slices.Clone(current)
	}
	if !slices.Equal(a.around, current) {
		a.around, a.neighbours = slices.Clone(current), a.index.Find(current, a.k)
	}
	if len(a.neighbours) == 0 { // the data set holds no other individual
		return slices.Clone(current)
	}
	return slices.Clone(a.neighbours[rng.IntN(len(a.neighbours))])
}

// Accept is Metropolis' rule: exp(−(k_cur − k_cand)/Temp(round)) against a
// uniform draw. One number is drawn every round, whatever the answer.
func (a *annealing) Accept(rng *rand.Rand, current, candidate int, round int64) bool {
	return a.ratio(current, candidate, round) >= rng.Float64()
}
