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

// strategy is SA and SA+KNN of the paper's Algorithm 1. With probability p the candidate
// is the current individual itself (candidate=current) or one of its nearest rows
// (candidate=knn), else a random row. Metropolis' rule decides.
//
// Fast mode, with several chains, differs: candidate=current proposes a random neighbour
// instead, so that every round proposes something new; the energy includes the entropy;
// and a chain restarts at the first temperature after patience rounds without progress.
type strategy struct{}

func (strategy) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name:      "sa",
		Version:   "1.0.0",
		Summary:   "simulated annealing over the data set's rows (the paper's SA and SA+KNN)",
		NeedsRows: true,
		Lag:       1,
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
	a := &annealing{settings: set, domain: chain.NewDomain(s, o), near: map[string][][]float64{}}
	if set.knn {
		var rows [][]float64
		for _, row := range a.domain.Rows() {
			if a.domain.Inside(row) {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%w: candidate=knn needs rows: of the data set's %d, none lies in the region and has an allowed counterfactual; use sa instead of sa+knn", sdk.ErrInvalidOption, len(o.Rows))
		}
		a.index = nearest.New(s, rows)
	}
	if o.Chains > 1 {
		return chain.NewParallel(a.domain, (*fast)(a), o.Chains, set.patience, o.Seed), nil
	}
	return chain.New(a.domain, a, o.Seed), nil
}

// annealing implements chain.Rules.
type annealing struct {
	settings
	domain *chain.Domain
	index  *nearest.Index // nil unless knn

	// near caches the neighbours by individual: while a chain stays at an individual, it
	// needs the same ones each round.
	near map[string][][]float64
}

func (a *annealing) Propose(rng *rand.Rand, current []float64) []float64 {
	switch {
	case rng.Float64() >= a.p:
		return a.domain.Row(rng)
	case a.knn:
		return a.neighbour(rng, current)
	}
	return slices.Clone(current)
}

// maxNear bounds the number of individuals in near.
const maxNear = 1 << 14

// neighbour draws one of the rows nearest to x.
func (a *annealing) neighbour(rng *rand.Rand, x []float64) []float64 {
	key := chain.Key(x)
	near, ok := a.near[key]
	if !ok {
		if near = a.index.Find(x, a.k); len(a.near) >= maxNear {
			clear(a.near)
		}
		a.near[key] = near
	}
	if len(near) == 0 { // the data set has no other individual
		return slices.Clone(x)
	}
	return slices.Clone(near[rng.IntN(len(near))])
}

// Accept is Metropolis' rule: exp(−(k_cur − k_cand)/Temp(round)) against a
// uniform draw. One number is drawn every round, whatever the answer.
func (a *annealing) Accept(rng *rand.Rand, current, candidate int, round int64) bool {
	return a.ratio(float64(current), float64(candidate), round) >= rng.Float64()
}
