package main

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Shares are true whenever a search ends: what counting lattice points proves for open
// boxes never exceeds what enumeration finds.
func TestSharesAreTrueAtAnyTime(t *testing.T) {
	tier.NeedUsual(t)
	counted := 0
	for i := range tier.Count(20, 150) {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		q := tiny(r)
		q.Goal = problem.Quantify
		want := known.Enumerate(q)
		if len(want.People) == 0 {
			continue
		}
		for _, limit := range []int64{1, 3, 8} {
			s := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: limit}).Shares
			if err := want.Within(s); err != nil {
				t.Errorf("question %d, %s, %d boxes: %v", i, q.Notion, limit, err)
			}
			if s.Fair.Sign() > 0 || s.Unfair.Sign() > 0 {
				counted++
			}
		}
	}
	if counted < tier.Count(20, 150) {
		t.Errorf("shares of only %d searches were not 0", counted)
	}
}

// Shares of a space with a real feature are volumes, here known exactly.
func TestSharesOfRealFeatures(t *testing.T) {
	for i := range 40 {
		r := rand.New(rand.NewPCG(uint64(i), 12))
		pick := func(values ...float64) float64 { return values[r.IntN(len(values))] }
		slope, step, shift, offset := pick(-1, 1, 0.5), pick(0.25, -0.125, 1), pick(0.25, -0.5, 0.0625), pick(-0.3701, 0.1307, -0.8803)
		q := linear(slope, step, shift, offset)
		q.Notion = []fairness.Notion{fairness.Decision, fairness.DecisionStrict}[i%2]
		unfair := 0.0
		for b := range 6 {
			// The logits of the copies change sign at x = roots[a].
			rest := step*float64(b) + offset
			roots := [2]float64{-rest / slope, -(rest + shift) / slope}
			lo, hi := min(roots[0], roots[1]), max(roots[0], roots[1])
			unfair += max(0, min(hi, 1)-max(lo, 0)) / 6
		}
		for _, limit := range []int64{1, 50, 3000} {
			s := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: limit}).Shares
			f, _ := s.Fair.Float64()
			u, _ := s.Unfair.Float64()
			if u > unfair+1e-12 || f > 1-unfair+1e-12 {
				t.Errorf("question %d, %d boxes: shares %v and %v, want at most %v and %v", i, limit, f, u, 1-unfair, unfair)
			}
			if limit == 3000 && f+u < 0.999 {
				t.Errorf("question %d: shares %v and %v after %d boxes, of %v and %v", i, f, u, limit, 1-unfair, unfair)
			}
		}
	}
}

// linear returns a query about slope·x + step·b + shift·a + offset, by way of two ReLUs,
// with x from 0 to 1, b from 0 to 5, and the protected a, 0 or 1.
func linear(slope, step, shift, offset float64) *problem.Query {
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "x", Kind: space.Real, Hi: 1, Inputs: in(0)},
		{Name: "b", Kind: space.Integer, Hi: 5, Inputs: in(1)},
		{Name: "a", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(2)},
	}}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 3, Out: 2, ReLU: true, Weights: []float64{slope, step, shift, -slope, -step, -shift}, Bias: []float64{offset, -offset}},
		{In: 2, Out: 1, Weights: []float64{1, -1}, Bias: []float64{0}},
	}}
	return &problem.Query{Model: n, Space: s, Epsilon: big.NewRat(1, 20), Goal: problem.Quantify}
}
