package relu_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// draw draws a point with its protected values.
func draw(s *space.Space, r *rand.Rand) []float64 {
	x := s.Draw(s.Whole().Box, r)
	for _, i := range s.Protected() {
		x[i] = s.Features[i].Protected[r.IntN(len(s.Features[i].Protected))]
	}
	return x
}

// TestJoin: a joined model has both exact logits, of networks of every shape and of trees. A switched one has the logit,
// or one that is not positive.
func TestJoin(t *testing.T) {
	joined := 0
	for seed := range tier.Count(200, 4000) {
		r := rand.New(rand.NewPCG(uint64(seed), 40))
		s, s2 := known.Space(r), known.Space(r)
		var a, b model.Model = known.Network(r, s.Inputs), known.Network(r, s2.Inputs)
		if seed%2 == 1 {
			a, b = known.Trees(r, s), known.Trees(r, s2)
		}
		most := 0.0
		for _, logit := range []space.Interval{bound.Intervals(a, bound.Inputs(s, s.Whole())).Logit, bound.Intervals(b, bound.Inputs(s2, s2.Whole())).Logit} {
			most = max(most, -logit.Lo, logit.Hi)
		}
		m, err := a.(model.Joining).Join(b, most)
		if err != nil {
			if most < 1e300 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue // too large for float64
		}
		joined++
		switched, err := a.(model.Joining).Switched(most)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for range 20 {
			x, y := s.ExactInputs(draw(s, r)), s2.ExactInputs(draw(s2, r))
			want := a.Exact().Logit(x)
			off := switched.Exact().Logit(append(slices.Clone(x), new(big.Rat)))
			if on := switched.Exact().Logit(append(slices.Clone(x), big.NewRat(1, 1))); on.Cmp(want) != 0 || off.Sign() > 0 {
				t.Fatalf("seed %d: the logit %v is %v with the switch at 1, and %v at 0", seed, want, on, off)
			}
			for flip, want := range []*big.Rat{a.Exact().Logit(x), b.Exact().Logit(y)} {
				inputs := append(append(append([]*big.Rat{}, x...), y...), big.NewRat(int64(flip), 1))
				if got := m.Exact().Logit(inputs); got.Cmp(want) != 0 {
					t.Fatalf("seed %d: the logit with the switch at %d is %v, want %v", seed, flip, got, want)
				}
			}
		}
	}
	if joined < tier.Count(120, 2400) {
		t.Errorf("only %d models were joined", joined)
	}
	if _, err := known.Network(rand.New(rand.NewPCG(1, 1)), 2).Join(&trees.Ensemble{}, 1); err == nil {
		t.Error("a network was joined with trees")
	}
}
