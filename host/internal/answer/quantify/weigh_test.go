package quantify

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/population"
	problems "github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestSharesOfPopulations compares proved shares of people with their sum over all individuals: regions, constraints,
// one class and several, tables of weights and networks.
func TestSharesOfPopulations(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	some := 0
	for seed := range uint64(tier.Count(40, 800)) {
		r := rand.New(rand.NewPCG(seed, 17))
		q := tiny(r, fairness.Notions[seed%uint64(len(fairness.Notions))])
		rows := make([][]float64, 60)
		for i := range rows {
			rows[i] = q.Space.Draw(q.Space.Whole().Box, r)
			if r.IntN(2) == 0 {
				rows[i] = rows[0]
			}
		}
		source := population.Source{Classes: 1 + r.IntN(3)}
		if r.IntN(2) == 0 {
			name, err := problems.Population(r, q.Space, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if source, err = population.Parse(name); err != nil {
				t.Fatal(err)
			}
		}
		if source.File != "" && r.IntN(2) == 0 {
			rows = nil
		}
		people, err := source.Of(t.Context(), q.Space, rows, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		if people.Within(q.Region.Box) == nil {
			continue
		}
		var all, bad float64
		box := append(space.Box(nil), q.Region.Box...)
		exact := q.Model.Exact()
		everybody(q, func(x []float64) {
			for _, i := range q.Space.Free() {
				box[i] = space.Interval{Lo: x[i], Hi: x[i]}
			}
			mass, _ := people.Mass(box)
			switch truth(q, exact, x) {
			case unfair:
				bad += mass
				all += mass
			case fair:
				all += mass
			}
		})
		rep, err := Run(t.Context(), q, Options{Solver: solver, Description: description, Samples: 300, Seed: 3, Population: people})
		if err != nil || len(rep.Faults) > 0 {
			t.Fatalf("seed %d: %v, %v", seed, err, rep.Faults)
		}
		if all == 0 {
			if !rep.Nobody() && (source.File == "" || rep.Fair.Sign()+rep.Unfair.Sign() > 0) {
				t.Errorf("seed %d: nobody is asked about, and %+v", seed, rep)
			}
			continue
		}
		lo, _ := rep.Unfair.Float64()
		left, _ := rep.Fair.Float64()
		if want := bad / all; !(lo <= want+1e-12 && want-1e-12 <= 1-left) || math.Abs(want-lo) > 1e-9 || math.Abs(1-left-want) > 1e-9 {
			t.Errorf("seed %d: proved %v to %v, and %v are unfair", seed, lo, 1-left, want)
		}
		if s := rep.Sampled; s.N > 100 && bad > 0 && bad < all {
			if some++; math.Abs(s.Share()-bad/all) > 0.2 {
				t.Errorf("seed %d: %v of a sample are unfair, and %v of all", seed, s.Share(), bad/all)
			}
		}
	}
	if some < 10 {
		t.Errorf("only %d questions about some people", some)
	}
}

// incomes asks whose decision depends on sex, where the logit is income + kids + 2 sex − 6: of people with an income
// between 4 and 6 less their kids.
func incomes() *problem.Query {
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "income", Kind: space.Real, Hi: 10, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "kids", Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 2, Scale: 1}}},
	}}
	net := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{{In: 3, Out: 1, Weights: []float64{1, 1, 2}, Bias: []float64{-6}}}}
	return &problem.Query{Model: net, Space: s, Region: s.Whole(), Notion: fairness.Decision, Goal: problem.Quantify}
}

// fitted is a population of incomes.
func fitted(t *testing.T, s *space.Space) *population.Population {
	r := rand.New(rand.NewPCG(4, 4))
	var rows [][]float64
	for range 300 {
		kids := r.IntN(4)
		rows = append(rows, []float64{min(10, r.ExpFloat64()*float64(1+kids)), float64(kids), 0})
	}
	people, err := population.Of(t.Context(), 3, s, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	return people
}

// TestSharesOfRealFeatures: with a real feature, and constraints that some boxes meet and others do not.
func TestSharesOfRealFeatures(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	for name, c := range map[string]struct {
		forbidden []space.Predicate
		from, to  float64 // the incomes of the region
	}{
		"no constraint": {nil, 0, 10},
		"no three kids": {[]space.Predicate{{{Feature: 1, Interval: space.Interval{Lo: 3, Hi: 3}}}}, 0, 10},
		"no rich women": {[]space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 8, Hi: 10}}, {Feature: 2, Set: []int{0}}}}, 0, 10},
		"a region":      {nil, 2.5, 10},
		"one income":    {nil, 3.25, 3.25},
	} {
		q := incomes()
		q.Space.Forbidden = c.forbidden
		q.Region.Box[0] = space.Interval{Lo: c.from, Hi: c.to}
		people := fitted(t, q.Space)
		mass := func(lo, hi, kids float64) float64 {
			if lo, hi = max(lo, c.from), min(hi, c.to); hi < lo {
				return 0
			}
			m, _ := people.Within(q.Region.Box).Mass(space.Box{{Lo: lo, Hi: hi}, {Lo: kids, Hi: kids}, {}})
			return m
		}
		bad, all := 0.0, 0.0
		for kids := 0.0; kids <= 3; kids++ {
			if name == "no three kids" && kids == 3 {
				continue
			}
			bad, all = bad+mass(4-kids, 6-kids, kids), all+mass(0, 10, kids)
		}
		rep, err := Run(t.Context(), q, Options{Solver: solver, Description: description, Samples: 2000, Seed: 3, Population: people})
		if err != nil || len(rep.Faults) > 0 {
			t.Fatalf("%s: %v, %v", name, err, rep.Faults)
		}
		lo, _ := rep.Unfair.Float64()
		left, _ := rep.Fair.Float64()
		if want := bad / all; !(lo <= want+1e-12 && want-1e-12 <= 1-left) || 1-left-lo > 0.1 || math.Abs(rep.Sampled.Share()-want) > 0.06 {
			t.Errorf("%s: proved %v to %v, sampled %v, and %v are unfair", name, lo, 1-left, rep.Sampled.Share(), want)
		}
		if sum := new(big.Rat).Add(rep.Fair, rep.Unfair); sum.Add(sum, rep.Undecided).Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%s: shares add up to %v", name, sum)
		}
		if open, _ := rep.Undecided.Float64(); rep.Complete && (rep.Reason == "") != (open < settledTo) {
			t.Errorf("%s: %v are undecided, for the reason %q", name, open, rep.Reason)
		}
	}
}

// TestNobodyThere: a region without people of the population is refused.
func TestNobodyThere(t *testing.T) {
	q := incomes()
	file := filepath.Join(t.TempDir(), "cells.csv")
	if err := os.WriteFile(file, []byte("kids,weight\n0..1,1\n2,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	people, err := population.Source{Kind: "weights", File: file}.Of(t.Context(), q.Space, nil, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	q.Region.Box[1].Lo = 2
	if _, err := Run(t.Context(), q, Options{Population: people}); !errors.Is(err, sdk.ErrInvalidProblem) {
		t.Errorf("error %v", err)
	}
}

// TestWeighed: pieces handed over twice prove nothing; those of a solver that is lost count.
func TestWeighed(t *testing.T) {
	q := incomes()
	people := fitted(t, q.Space)
	poor := append(space.Box(nil), q.Region.Box...)
	poor[0].Hi = 0.5
	for name, c := range map[string]struct {
		fake  fake
		fault bool
		fair  bool
	}{
		"twice": {fake{status: sdk.Optimal, shares: shares(1, 1, 2), pieces: slices.Repeat([]sdk.Piece{{Box: poor, Claim: sdk.PieceFair}}, 30)}, true, false},
		"lost":  {fake{err: sdk.ErrPluginExited, pieces: []sdk.Piece{{Box: poor, Claim: sdk.PieceFair}}}, false, true},
	} {
		rep, err := Run(t.Context(), q, Options{Solver: &c.fake, Description: description(), Population: people})
		if rep == nil || (err != nil) != (c.fake.err != nil) {
			t.Fatalf("%s: %v", name, err)
		}
		if (len(rep.Faults) > 0) != c.fault || (rep.Fair.Sign() > 0) != c.fair || rep.Unfair.Sign() != 0 {
			t.Errorf("%s: %v fair, %v unfair, faults %v", name, rep.Fair, rep.Unfair, rep.Faults)
		}
	}
}
