package main

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// A search that ends before it has begun makes only true claims.
func TestNoTimeProvesNothing(t *testing.T) {
	tier.NeedUsual(t)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for i := range tier.Count(6, 60) {
		r := rand.New(rand.NewPCG(uint64(i), 13))
		q := tiny(r)
		want := known.Enumerate(q)
		for _, goal := range problem.Goals {
			q.Goal = goal
			if goal == problem.Minimise && !q.Notion.UsesEpsilon() {
				continue
			}
			late := solveWith(t, q, sdk.SolveOptions{Threads: 1, TimeLimit: 1})
			soon := solveWith(t, q, sdk.SolveOptions{Threads: 1, TimeLimit: time.Duration(1 + r.IntN(300_000))})
			never, err := solver{}.Solve(gone, &problem.Problem{Query: q}, sdk.SolveOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []*sdk.Result{late, soon, never} {
				claimsAreTrue(t, i, q, want, got, true)
			}
		}
	}
}

// A feature that feeds no input is counted, and split only if necessary.
func TestIdleFeature(t *testing.T) {
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Hi: 99, Inputs: in(0)},
		{Name: "idle", Kind: space.Integer, Hi: 999},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(1)},
	}}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 2, Out: 2, ReLU: true, Weights: []float64{1, 10, -1, -10}, Bias: []float64{-40.5, 40.5}},
		{In: 2, Out: 1, Weights: []float64{1, -1}, Bias: []float64{0}},
	}}
	q := &problem.Query{Model: n, Space: s, Notion: fairness.Decision, Goal: problem.Quantify}
	got := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: 200})
	// n + 10p > 40.5: the copies differ for n from 31 to 40.
	if want := big.NewRat(1, 10); got.Status != sdk.Optimal || got.Shares.Unfair.Cmp(want) != 0 {
		t.Errorf("%s, unfair %v, want %v", got.Status, got.Shares.Unfair, want)
	}
}

// The bound of a relaxed query about a part of the space is never below the value of
// second copies outside that part.
func TestBoundsBeyondTheRegion(t *testing.T) {
	for _, k := range []int{3, 10, 20} {
		values := make([]float64, k)
		for i := range values {
			values[i] = float64(i)
		}
		s := &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "n", Kind: space.Integer, Hi: 1e6, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "p", Kind: space.Integer, Hi: float64(k - 1), Protected: values, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		}}
		// 0.01·p, and a peak of 50 at n = 333350, which the second copy reaches.
		net := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
			{In: 2, Out: 4, ReLU: true, Weights: []float64{1, 0, 1, 0, 1, 0, 0, 1}, Bias: []float64{-333300, -333350, -333400, 0}},
			{In: 4, Out: 1, Weights: []float64{1, -2, 1, 0.01}, Bias: []float64{0}},
		}}
		region := s.Whole()
		region.Box[0] = space.Interval{Lo: 0, Hi: 1000}
		q := &problem.Query{
			Model: net, Space: s, Region: region, Notion: fairness.Logit, Epsilon: big.NewRat(1, 20), Goal: problem.Maximise,
			Relax: []problem.RelaxedFeature{{Feature: 0, Tolerance: 500000}},
		}
		for _, limit := range []int64{1, 10, 100, 1000} {
			got := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: limit})
			if want := 50 + 0.01*float64(k-1); got.HasBound && got.Bound < want-1e-9 {
				t.Errorf("%d combinations, %d boxes: bound %v, but %v is reached", k, limit, got.Bound, want)
			}
		}
	}
}
