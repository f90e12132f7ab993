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
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// wideSpace returns a space with n features from 0 to 99, and the protected p with three
// values.
func wideSpace(n int) *space.Space {
	s := &space.Space{Inputs: n + 1}
	for i := range n {
		s.Features = append(s.Features, space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Hi: 99, Inputs: []space.Input{{Index: i, Scale: 1}}})
	}
	s.Features = append(s.Features, space.Feature{Name: "p", Kind: space.Integer, Hi: 2, Protected: []float64{0, 1, 2}, Inputs: []space.Input{{Index: n, Scale: 1}}})
	return s
}

// Copies with equal logits have one decision: if the only neuron that sees p is inactive,
// boxes are settled although their decisions are open, and the largest margin is bounded
// by what the neuron adds elsewhere.
func TestDecisionsWhereHardlyAnyNeuronSees(t *testing.T) {
	const features = 8
	r := rand.New(rand.NewPCG(1, 90))
	row := func(of map[int]float64) []float64 {
		out := make([]float64, features+1)
		for i, w := range of {
			out[i] = w
		}
		return out
	}
	for _, seen := range []bool{false, true} {
		s := wideSpace(features)
		first := relu.Layer{In: features + 1, ReLU: true}
		add := func(weights []float64, bias float64) {
			first.Weights, first.Bias, first.Out = append(first.Weights, weights...), append(first.Bias, bias), first.Out+1
		}
		last := relu.Layer{Out: 1, Bias: []float64{0}}
		for range 10 {
			w := map[int]float64{}
			for i := range features {
				w[i] = r.NormFloat64()
			}
			add(row(w), r.NormFloat64())
			last.Weights = append(last.Weights, r.NormFloat64())
		}
		add(row(map[int]float64{0: 1, features: 0.25}), -98.75) // active for a = 99, and p = 2 at a = 98.5
		last.Weights = append(last.Weights, 0.01)
		if !seen { // every individual for which p matters gets a positive decision
			add(row(map[int]float64{0: 1}), -98)
			last.Weights = append(last.Weights, 1e6)
		}
		last.In = first.Out
		q := &problem.Query{Model: &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{first, last}}, Space: s}
		for _, q.Notion = range []fairness.Notion{fairness.Decision, fairness.DecisionStrict} {
			if !seen {
				for _, q.Goal = range []problem.Goal{problem.Decide, problem.Quantify} {
					got := solveWith(t, q, sdk.SolveOptions{WorkLimit: 1000})
					fair := got.Status == sdk.Infeasible
					if q.Goal == problem.Quantify {
						fair = got.Shares.Fair.Cmp(big.NewRat(1, 1)) == 0
					}
					if !fair {
						t.Errorf("%s, %s: %s (%s) after %d boxes", q.Notion, q.Goal, got.Status, got.Reason, got.Nodes)
					}
				}
				continue
			}
			q.Goal = problem.Maximise
			if got := solveWith(t, q, sdk.SolveOptions{WorkLimit: 1000}); got.Bound > 0.01 {
				t.Errorf("%s: the bound is %v, of logits at most 0.0075 apart", q.Notion, got.Bound)
			}
		}
	}
}

// The largest margin of trees is bounded by the trees that see p, however large the sum
// of the others.
func TestDecisionsWhereFewTreesSee(t *testing.T) {
	for seed := range uint64(tier.Count(1, 20)) {
		r := rand.New(rand.NewPCG(seed, 91))
		q := &problem.Query{Space: wideSpace(10), Goal: problem.Maximise}
		e := &trees.Ensemble{Columns: 11, Output: fairness.LinkSigmoid}
		for k := range 60 {
			of := known.Trees(r, q.Space)
			for _, tree := range of.Trees {
				for i := range tree {
					if n := &tree[i]; n.IsLeaf() {
						n.Value = float64(float32(r.NormFloat64() / 4))
					} else if n.Input == 10 && k%10 > 0 {
						n.Input = int32(r.IntN(10))
					}
				}
				e.Trees = append(e.Trees, tree)
			}
		}
		q.Model = e
		for _, q.Notion = range []fairness.Notion{fairness.Decision, fairness.DecisionStrict} {
			got := solveWith(t, q, sdk.SolveOptions{WorkLimit: 20000})
			if got.Witness == nil || got.Bound > got.Objective+0.01 {
				t.Errorf("seed %d, %s: %s (%s), %v to %v after %d boxes", seed, q.Notion, got.Status, got.Reason, got.Objective, got.Bound, got.Nodes)
			}
		}
	}
}
