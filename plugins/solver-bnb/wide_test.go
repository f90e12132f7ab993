package main

import (
	"math/big"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// One individual among up to 10²⁷ is found, wherever it is in a wide domain, and counted.
func TestOneAmongVeryMany(t *testing.T) {
	for _, c := range []struct {
		at, last []float64
		goals    []problem.Goal
	}{
		{[]float64{65_536}, []float64{65_536}, problem.Goals},
		{[]float64{4_999_998}, []float64{5e6}, problem.Goals},
		{[]float64{777_777_777}, []float64{1e9}, problem.Goals},
		{[]float64{999_999_937, 3}, []float64{1e9, 7}, []problem.Goal{problem.Decide, problem.MaxK, problem.Quantify}},
		{[]float64{777_777_777, 123_456_789, 1e9}, []float64{1e9, 1e9, 1e9}, []problem.Goal{problem.Decide, problem.MaxK, problem.Quantify}},
	} {
		q := needle(c.at, c.last)
		all := big.NewInt(1)
		for _, v := range c.last {
			all.Mul(all, big.NewInt(int64(v)+1))
		}
		for _, q.Goal = range c.goals {
			got := solveWith(t, q, sdk.SolveOptions{Threads: 2})
			switch q.Goal {
			case problem.Minimise, problem.MinK: // all other individuals'
				if got.Status != sdk.Optimal || got.Objective > 1 {
					t.Errorf("%v of %v, %s: %s (%s), %v", c.at, c.last, q.Goal, got.Status, got.Reason, got.Objective)
				}
			case problem.Quantify:
				one := new(big.Rat).SetFrac(big.NewInt(1), all)
				if s := got.Shares; got.Status != sdk.Optimal || s.Individuals.Cmp(all) != 0 || s.Unfair.Cmp(one) != 0 || one.Add(one, s.Fair).Cmp(big.NewRat(1, 1)) != 0 {
					t.Errorf("%v of %v, %s: %s (%s), shares %v and %v of %v", c.at, c.last, q.Goal, got.Status, got.Reason, s.Fair, s.Unfair, s.Individuals)
				}
			default:
				if got.Witness == nil || !slices.Equal(got.Witness.Copy1[:len(c.at)], c.at) || got.Reason != sdk.NoReason {
					t.Errorf("%v of %v, %s: %s (%s), witness %v", c.at, c.last, q.Goal, got.Status, got.Reason, got.Witness)
				}
			}
		}
	}
}

// needle returns a query about features from 0 to last in which only the individual with
// the values at is treated unfairly: one of its copies has the logit 2.1, and all other
// individuals' copies have 0.1.
func needle(at, last []float64) *problem.Query {
	s := &space.Space{Inputs: len(at) + 1}
	first := relu.Layer{In: len(at) + 1, ReLU: true}
	apart := func(input int, from float64) {
		for _, sign := range []float64{1, -1} {
			row := make([]float64, first.In)
			row[input] = sign
			first.Weights, first.Bias = append(first.Weights, row...), append(first.Bias, -sign*from)
			first.Out++
		}
	}
	for i, v := range at {
		s.Features = append(s.Features, space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Hi: last[i], Inputs: []space.Input{{Index: i, Scale: 1}}})
		apart(i, v)
	}
	s.Features = append(s.Features, space.Feature{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: len(at), Scale: 1}}})
	apart(len(at), 1)
	minus := make([]float64, first.Out)
	for i := range minus {
		minus[i] = -1
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		first, {In: first.Out, Out: 1, ReLU: true, Weights: minus, Bias: []float64{1}}, {In: 1, Out: 1, Weights: []float64{2}, Bias: []float64{0.1}},
	}}
	return &problem.Query{Model: n, Space: s, Notion: fairness.Score, Epsilon: big.NewRat(1, 20)}
}
