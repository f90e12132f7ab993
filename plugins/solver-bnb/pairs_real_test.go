package main

import (
	"math"
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

// strip returns a query about a network of one real feature, which may differ between the
// copies, and one protected feature: two functions of the real one, each piecewise linear
// with a few breakpoints.
func strip(r *rand.Rand) *problem.Query {
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "x", Kind: space.Real, Hi: 1, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "a", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
	}}
	draw := func(n int, scale float64) (out []float64) {
		for range n {
			out = append(out, math.Round(r.NormFloat64()*scale*64)/64)
		}
		return out
	}
	q := &problem.Query{
		Space: s, Region: s.Whole(), Epsilon: big.NewRat(1, 20),
		Model: &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
			{In: 2, Out: 4, ReLU: true, Weights: draw(8, 3), Bias: draw(4, 1)},
			{In: 4, Out: 1, Weights: draw(4, 1), Bias: draw(1, 0.5)},
		}},
		Relax: []problem.RelaxedFeature{{Feature: 0, Tolerance: []float64{0.1, 0.3, 2}[r.IntN(3)]}},
	}
	if r.IntN(2) == 0 {
		q.Region.Box[0] = space.Interval{Lo: 0.25, Hi: 0.625}
	}
	return q
}

// corners finds the largest logit difference, or margin of a decision, of a strip.
// Breakpoints, ends, the tolerance and (if one logit must not be positive) the logits'
// zeros divide the pairs into pieces on which it is linear, so it is largest at a corner
// of one.
func corners(q *problem.Query) float64 {
	l := &q.Model.(*relu.Network).Layers[0]
	logit := func(x float64, a int) float64 { return q.Model.Logit([]float64{x, float64(a)}) }
	var cuts [2][]float64
	for a := range cuts {
		breaks := []float64{0, 1, q.Region.Box[0].Lo, q.Region.Box[0].Hi}
		for j := range l.Out {
			if w := l.Row(j); w[0] != 0 {
				breaks = append(breaks, min(max(-(l.Bias[j]+w[1]*float64(a))/w[0], 0), 1))
			}
		}
		cuts[a] = breaks
		if q.Notion != fairness.Decision {
			continue
		}
		for _, from := range breaks {
			for _, to := range breaks {
				if f, g := logit(from, a), logit(to, a); f > 0 && g <= 0 {
					for range 100 { // a zero between them, from below
						if mid := (from + to) / 2; logit(mid, a) > 0 {
							from = mid
						} else {
							to = mid
						}
					}
					cuts[a] = append(cuts[a], to)
				}
			}
		}
	}
	tolerance, most := q.Relax[0].Tolerance, math.Inf(-1)
	for a := range cuts {
		var xs, ys []float64
		for _, x := range cuts[a] {
			xs, ys = append(xs, x), append(ys, x-tolerance, x+tolerance)
		}
		for _, y := range cuts[1-a] {
			xs, ys = append(xs, y-tolerance, y+tolerance), append(ys, y)
		}
		for _, x := range xs {
			for _, y := range ys {
				if !q.Region.Box[0].Contains(x) || y < 0 || y > 1 || math.Abs(x-y) > tolerance+1e-15 {
					continue
				}
				f, g := logit(x, a), logit(y, 1-a)
				switch {
				case q.Notion == fairness.Logit:
					most = max(most, math.Abs(f-g))
				case min(f, g) <= 0:
					most = max(most, f, g)
				}
			}
		}
	}
	return most
}

// sampled returns the largest value of the pairs on a lattice, and by how much the
// overall maximum may exceed it.
func sampled(q *problem.Query) (most, beyond float64) {
	const n = 128
	tolerance, box := q.Relax[0].Tolerance, q.Region.Box[0]
	most = math.Inf(-1)
	for i := range n + 1 {
		x := box.Lo + (box.Hi-box.Lo)*float64(i)/n
		lo, hi := max(x-tolerance, 0), min(x+tolerance, 1)
		for k := range n + 1 {
			y := lo + (hi-lo)*float64(k)/n
			for a := range 2 {
				f, g := q.Model.Logit([]float64{x, float64(a)}), q.Model.Logit([]float64{y, float64(1 - a)})
				if q.Notion == fairness.DecisionStrict {
					most = max(most, min(max(f, g), -min(f, g)))
				} else {
					most = max(most, math.Abs(fairness.Sigmoid(f)-fairness.Sigmoid(g)))
				}
			}
		}
	}
	slope := 0.0
	for j, w := range q.Model.(*relu.Network).Layers[1].Weights {
		slope += math.Abs(w * q.Model.(*relu.Network).Layers[0].Row(j)[0])
	}
	return most, slope * 2 / n
}

// If the feature that may differ is real, the solver's interval is narrow and contains
// the largest value that another method finds. Decisions slightly below and above it are
// right.
func TestPairsOfRealFeatures(t *testing.T) {
	tier.NeedUsual(t)
	seen := map[sdk.Status]int{}
	for i := range tier.Count(20, 60) {
		r := rand.New(rand.NewPCG(uint64(i), 34))
		q := strip(r)
		q.Notion = fairness.Notions[i%len(fairness.Notions)]
		low, high := 0.0, 0.0
		if q.Notion == fairness.Logit || q.Notion == fairness.Decision {
			low = corners(q)
			high = low
		} else {
			low, high = sampled(q)
			high += low
		}
		q.Goal = problem.Maximise
		got := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: 20_000})
		if math.IsInf(low, -1) {
			if got.Status != sdk.Infeasible {
				t.Errorf("question %d, %s: %s, and no pair has a margin", i, q.Notion, got.Status)
			}
			continue
		}
		if got.Witness == nil || got.Objective > high+1e-9 || got.Bound < low-1e-9 || got.Objective < low-0.02 || got.Bound > max(high, 0)+0.02 { // leaves are sorted by margins above 0
			t.Errorf("question %d, %s: %v to %v, another method says %v to %v", i, q.Notion, got.Objective, got.Bound, low, high)
			continue
		}
		judge(t, i, q, known.Feasible, got, true)
		if !q.Notion.UsesEpsilon() {
			continue
		}
		q.Goal = problem.Decide
		for _, eps := range []float64{low - 0.03, high + 0.03} {
			if eps <= 0 || q.Notion == fairness.Score && eps >= 1 {
				continue
			}
			q.Epsilon = new(big.Rat).SetFloat64(eps)
			got := solve(t, q, 1)
			seen[got.Status]++
			if got.Status != sdk.Feasible && eps < low || got.Status != sdk.Infeasible && eps > high {
				t.Errorf("question %d, %s: %s at %v; another method says %v to %v", i, q.Notion, got.Status, eps, low, high)
			}
			if got.Witness != nil {
				judge(t, i, q, known.Feasible, got, false)
			}
		}
	}
	if least := tier.Count(5, 15); seen[sdk.Feasible] < least || seen[sdk.Infeasible] < least {
		t.Errorf("answers: %v", seen)
	}
}
