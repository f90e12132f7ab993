package explain

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// clinic is a small space, with categories and a constraint, a random network, and the
// query over all its individuals.
func clinic(seed uint64) problem.Query {
	s := &space.Space{
		Features: []space.Feature{
			{Name: "dose", Kind: space.Integer, Hi: 6, Inputs: []space.Input{{Index: 0, Scale: 0.5}}},
			{Name: "ward", Kind: space.Categorical, Hi: 3, Categories: []string{"a", "b", "c", "d"}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			{Name: "age", Kind: space.Integer, Hi: 90, Protected: []float64{20, 40, 60, 80}, Inputs: []space.Input{{Index: 2, Scale: 0.03125}}},
			{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 3, Scale: 1}}},
		},
		Inputs: 4,
		// Ward d has no women.
		Forbidden: []space.Predicate{{{Feature: 1, Set: []int{3}}, {Feature: 3, Set: []int{0}}}},
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	in := s.Inputs
	for _, out := range []int{4, 1} {
		l := relu.Layer{In: in, Out: out, ReLU: out > 1}
		for range in * out {
			l.Weights = append(l.Weights, float64(rng.IntN(33)-16)/8)
		}
		for range out {
			l.Bias = append(l.Bias, float64(rng.IntN(9)-4)/4)
		}
		n.Layers, in = append(n.Layers, l), out
	}
	return problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: fairness.Score, Epsilon: big.NewRat(1, 20)}
}

// enumerator is a solver that tries every point.
func enumerator(ctx context.Context, q problem.Query, goal problem.Goal, _ time.Duration, known [][]float64) (*engine.Extreme, error) {
	d, err := reference.Enumerator{}.Describe(ctx)
	if err != nil {
		return nil, err
	}
	q.Goal = goal
	return engine.Enclose(ctx, &q, engine.Options{Solver: reference.Enumerator{}, Description: d}, known)
}

// twoPredicates returns a predicate that cuts out a box, and one whose wards are not adjacent.
func twoPredicates() []Predicate {
	inf := math.Inf(1)
	return []Predicate{
		{Holds: space.Predicate{{Feature: 0, Interval: space.Interval{Lo: 3, Hi: inf}}, {Feature: 1, Set: []int{1, 2}}}},
		{Holds: space.Predicate{{Feature: 0, Interval: space.Interval{Lo: -inf, Hi: 4}}, {Feature: 1, Set: []int{0, 3}}}},
	}
}

// Floors and ceiling equal the extremes of an enumeration inside each predicate and outside
// both.
func TestFloorsAndCeiling(t *testing.T) {
	fair := 0
	for seed := range uint64(12) {
		q := clinic(seed)
		e, err := evaluate.New(q.Model, q.Space, q.Region, q.Epsilon)
		if err != nil {
			t.Fatal(err)
		}
		// by predicate, then outside: least or most k, least or most gap
		want := [3][2]float64{{math.Inf(1), math.Inf(1)}, {math.Inf(1), math.Inf(1)}, {0, 0}}
		predicates := twoPredicates()
		for dose := range 7 {
			for ward := range 4 {
				x := []float64{float64(dose), float64(ward), 0, 0}
				out, outside := e.Evaluate(x), true
				for i := range predicates {
					if predicates[i].Holds.Holds(x) {
						outside = false
						want[i][0] = min(want[i][0], float64(out.K))
						if out.N > 1 {
							want[i][1] = min(want[i][1], out.Gap)
						}
					}
				}
				if outside {
					want[2][0], want[2][1] = max(want[2][0], float64(out.K)), max(want[2][1], out.Gap)
				}
			}
		}
		p := Proving{Query: q, Time: time.Hour, Ask: enumerator}
		ceiling, err := p.Run(t.Context(), predicates)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range []*Proved{predicates[0].Floor, predicates[1].Floor, ceiling} {
			for at, l := range []*Limit{got.K, got.Gap} {
				if at == 1 && i < 2 && want[i][0] == 1 {
					if fair++; l != nil {
						t.Errorf("seed %d, %d: a floor of the gap where somebody is in one bin: %+v", seed, i, l)
					}
					continue
				}
				if l == nil || !l.Certified || math.Abs(l.Proved-want[i][at]) > 1e-7 || math.Abs(*l.Found-want[i][at]) > 1e-7 || l.Reason != "" {
					t.Errorf("seed %d, %d, %d: %+v; want %v", seed, i, at, l, want[i][at])
				}
			}
		}
	}
	if fair < 3 || fair > 20 {
		t.Errorf("somebody is in one bin inside %d of 24 predicates", fair)
	}
}

// An empty predicate has no bounds. Without an individual with two counterfactuals there is
// a k and no gap.
func TestFloorsOfFew(t *testing.T) {
	q := clinic(1)
	predicates := []Predicate{
		{Holds: space.Predicate{{Feature: 1, Set: []int{3}}}},
		{Holds: space.Predicate{{Feature: 0, Interval: space.Interval{Lo: 7, Hi: math.Inf(1)}}}},
		{Holds: space.Predicate{{Feature: 1, Set: []int{0, 1, 2}}}},
	}
	p := Proving{Query: q, Time: time.Hour, Ask: func(ctx context.Context, q problem.Query, goal problem.Goal, limit time.Duration, known [][]float64) (*engine.Extreme, error) {
		if goal == problem.Minimise && slices.Equal(q.Region.Box[1:2], []space.Interval{{Lo: 3, Hi: 3}}) {
			return &engine.Extreme{Nobody: true}, nil // with two counterfactuals
		}
		return enumerator(ctx, q, goal, limit, known)
	}}
	ceiling, err := p.Run(t.Context(), predicates)
	if err != nil {
		t.Fatal(err)
	}
	if f := predicates[0].Floor; f.Nobody || f.K == nil || !f.K.Certified || f.Gap != nil {
		t.Errorf("no pairs: %+v", f)
	}
	if f := predicates[1].Floor; !f.Nobody || f.K != nil || f.Gap != nil {
		t.Errorf("beyond the domain: %+v", f)
	}
	if !ceiling.Nobody || ceiling.K != nil || ceiling.Gap != nil {
		t.Errorf("outside everything: %+v", ceiling)
	}
	if ceiling, err := p.Run(t.Context(), nil); ceiling != nil || err != nil {
		t.Errorf("without a predicate: %+v, %v", ceiling, err)
	}
}

// Questions share the remaining time evenly, k before gaps, and pass on the individuals
// found. A lost solver or the end of the context keeps the bounds so far.
func TestProvingSharesTimeAndStops(t *testing.T) {
	var goals []problem.Goal
	var shares []time.Duration
	knew := 0
	stop := -1
	ctx, cancel := context.WithCancel(t.Context())
	lost := errors.New("lost")
	p := Proving{Query: clinic(1), Time: time.Hour, Known: [][]float64{{0, 0, 0, 0}}}
	p.Ask = func(_ context.Context, _ problem.Query, goal problem.Goal, limit time.Duration, known [][]float64) (*engine.Extreme, error) {
		goals, shares, knew = append(goals, goal), append(shares, limit), len(known)
		e := &engine.Extreme{Bound: 2, Found: 3, X: []float64{1, 0, 0, 0}, Reason: "time limit"}
		switch len(goals) {
		case stop:
			return e, lost
		case 100 + stop:
			cancel()
		}
		return e, nil
	}
	predicates := twoPredicates()
	var told []string
	p.Progress = func(text string) { told = append(told, text) }
	if _, err := p.Run(ctx, predicates); err != nil {
		t.Fatal(err)
	}
	want := []problem.Goal{problem.MinK, problem.MinK, problem.MaxK, problem.Minimise, problem.Minimise, problem.Maximise}
	if !slices.Equal(goals, want) || knew != 6 || len(told) != 6 || told[1] != "proving the least k of predicate 2 of 2" {
		t.Errorf("asked %v, knowing %d; told %q", goals, knew, told)
	}
	for i, share := range shares {
		if even := time.Hour / time.Duration(6-i); share > even || share < even-time.Minute {
			t.Errorf("question %d of 6 had %v of an hour of which nothing was used", i+1, share)
		}
	}
	if l := predicates[0].Floor.K; l == nil || l.Certified || l.Proved != 2 || *l.Found != 3 || l.Reason != "time limit" {
		t.Errorf("%+v", l)
	}

	goals, stop, predicates = nil, 2, twoPredicates()
	ceiling, err := p.Run(ctx, predicates)
	if !errors.Is(err, lost) || !strings.Contains(err.Error(), "the least k of predicate 2") || len(goals) != 2 || predicates[1].Floor.K == nil || ceiling == nil || ceiling.K != nil {
		t.Errorf("a lost solver: %v after %v, %+v", err, goals, ceiling)
	}
	goals, stop, predicates = nil, -97, twoPredicates() // the third question ends the context
	ceiling, err = p.Run(ctx, predicates)
	if err != nil || len(goals) != 3 || ceiling.K == nil || predicates[0].Floor.K == nil || predicates[0].Floor.Gap != nil {
		t.Errorf("interrupted: %v after %v, %+v", err, goals, ceiling)
	}
}
