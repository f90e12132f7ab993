package explain

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// Neighbours lie in the region, have values of the right kinds and an allowed
// counterfactual.
func TestNeighboursAreIndividuals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		_, allowed := lattice(s)
		if len(allowed) == 0 {
			t.Skip("the constraints leave no individual")
		}
		c := &Cloud{Space: s, Region: s.Whole(), Around: [][]float64{rapid.SampledFrom(allowed).Draw(t, "around")},
			Spread: rapid.Float64Range(0.01, 3).Draw(t, "spread")}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		points, err := c.Sample(rng, 20, 20, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range points {
			if !s.ContainsIndividual(x) || len(s.Counterfactuals(s.Whole(), x)) == 0 {
				t.Fatalf("%v is no individual", x)
			}
		}
	})
}

// Values come with the probabilities that docs/user/explain.md states.
func TestDistributionOfNeighbours(t *testing.T) {
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: 0, Hi: 6, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "c", Kind: space.Categorical, Lo: 0, Hi: 3, Categories: []string{"a", "b", "c", "d"}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		{Name: "z", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 2, Scale: 1}}},
	}}
	c := &Cloud{Space: s, Region: s.Whole(), Around: [][]float64{{1, 2, 0}}, Spread: 0.25}
	const n = 40_000
	points, err := c.Sample(rand.New(rand.NewPCG(1, 1)), n, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		want := marginal(&s.Features[i], c.Around[0][i], c.Spread)
		got := make([]float64, len(want))
		for _, x := range points {
			got[int(x[i])] += 1. / n
		}
		for v := range want {
			if sd := math.Sqrt(want[v] * (1 - want[v]) / n); math.Abs(got[v]-want[v]) > 5*sd+1e-12 {
				t.Errorf("feature %s: value %d has share %.4f, want %.4f", s.Features[i].Name, v, got[v], want[v])
			}
		}
	}
}

func TestHopelessClouds(t *testing.T) {
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: 0, Hi: 6, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "z", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
	}}
	c := &Cloud{Space: s, Region: s.Whole(), Spread: 0.25}
	if c.check() == nil {
		t.Error("nobody to look around, and no error")
	}
	for _, x := range [][]float64{{1}, {7, 0}, {1.5, 0}} {
		if c.Around = [][]float64{x}; c.check() == nil {
			t.Errorf("%v is no individual, and no error", x)
		}
	}
	c.Around = [][]float64{{1, 0}}
	s.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 6}}}}
	if c.check() == nil {
		t.Error("constraints forbid everybody, and no error")
	}
	if _, err := c.Draw(rand.New(rand.NewPCG(1, 1))); !errors.Is(err, errBarren) {
		t.Errorf("drawing ends with %v", err)
	}
}
