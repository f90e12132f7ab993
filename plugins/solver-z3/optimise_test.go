package main

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestOptima(t *testing.T) {
	for _, c := range []struct {
		name, text string
		minimise   bool
		status     sdk.Status
		reason     sdk.Reason
		best       string
	}{
		{"integer", "(declare-const v Int)(declare-const x Int)(assert (and (<= 0 x 9) (= v (- (* 2 x) (* x 3)))))", false, sdk.Optimal, sdk.NoReason, "0"},
		{"minimise", "(declare-const v Int)(assert (< (/ 7 2) v))", true, sdk.Optimal, sdk.NoReason, "4"},
		{"rational", "(declare-const v Real)(declare-const x Int)(assert (and (<= (* 3 v) x) (<= (* 2 x) 5)))", false, sdk.Optimal, sdk.NoReason, "2/3"},
		{"by cases", "(declare-const v Real)(declare-const x Real)(assert (and (<= 0 x 4) (= v (ite (< x 2) (* 3 x) (- 8 x)))))", false, sdk.Optimal, sdk.NoReason, "6"},
		{"infeasible", "(declare-const v Real)(assert (< v v))", false, sdk.Infeasible, sdk.NoReason, ""},
		{"no bound", "(declare-const v Real)(assert (< 1 v))", false, sdk.Feasible, sdk.Incomplete, ""},
		{"a bound that no point attains", "(declare-const v Real)(assert (< 0 v 1))", false, sdk.Feasible, sdk.Incomplete, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := known.Script(c.text)
			s.Objective, s.Maximise = "v", !c.minimise
			r := solve(t, s, sdk.SolveOptions{})
			if r.Status != c.status || r.Reason != c.reason {
				t.Fatalf("%v, %v (%s, %s); want %v, %v", r.Status, r.Reason, r.Native, r.Detail, c.status, c.reason)
			}
			if r.HasBound != (c.status == sdk.Optimal) || (r.Detail != "") != (c.reason != sdk.NoReason) {
				t.Errorf("bound %v, detail %q", r.HasBound, r.Detail)
			}
			if c.status != sdk.Optimal {
				return
			}
			want, _ := new(big.Rat).SetString(c.best)
			if got := valuesOf(s, r)["v"]; got.Cmp(want) != 0 {
				t.Errorf("optimum %s, want %s", got, want)
			}
			nearest, exact := want.Float64()
			bound := new(big.Rat).SetFloat64(r.Bound)
			if r.Objective != nearest || exact && bound.Cmp(want) != 0 || !c.minimise && bound.Cmp(want) < 0 || c.minimise && bound.Cmp(want) > 0 {
				t.Errorf("objective %v, bound %v; want them around %s, the bound outward", r.Objective, r.Bound, want)
			}
		})
	}
}

func TestTarget(t *testing.T) {
	s := known.Script("(declare-const v Int)(assert (<= 0 v 100))")
	s.Objective, s.Maximise = "v", true
	for target, want := range map[float64]sdk.Status{40.5: sdk.Feasible, 100: sdk.Feasible, 100.5: sdk.Optimal} {
		r := solve(t, s, sdk.SolveOptions{Target: &target})
		if r.Status != want || r.Reason != sdk.NoReason || want == sdk.Feasible && r.Objective < target || want == sdk.Optimal && r.Objective != 100 {
			t.Errorf("target %v: %v, %v, objective %v; want %v", target, r.Status, r.Reason, r.Objective, want)
		}
	}
}

func TestObjectiveMustBeASymbol(t *testing.T) {
	for _, objective := range []string{"y", "p"} {
		s := known.Script("(declare-const x Int)(declare-const p Bool)")
		s.Objective = objective
		if _, err := rig.Need(t, solver).Solve(context.Background(), &problem.Problem{SMT: s}, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrInvalidProblem) {
			t.Errorf("objective %q: error %v, want ErrInvalidProblem", objective, err)
		}
	}
}

func TestProgressTellsIncumbents(t *testing.T) {
	s := known.Script("(declare-const v Int)(declare-const x Int)(assert (and (<= 0 x 50) (<= v (* 3 x)) (<= (+ v x) 60)))")
	s.Objective, s.Maximise = "v", true
	parsed, err := script.Parse(s.Text)
	if err != nil {
		t.Fatal(err)
	}
	var last *sdk.Progress
	r := solve(t, s, sdk.SolveOptions{Progress: func(p sdk.Progress) {
		if ok, err := parsed.Holds(valuesOf(s, &sdk.Result{Values: p.Values})); err != nil || !ok {
			t.Errorf("incumbent %v does not satisfy the script (%v)", p.Values, err)
		}
		if last != nil && p.Objective < last.Objective {
			t.Errorf("incumbent %v after %v", p.Objective, last.Objective)
		}
		last = &p
	}})
	if last == nil || last.Objective != r.Objective || r.Objective != 45 {
		t.Errorf("last incumbent %+v, result %v; want 45", last, r.Objective)
	}
}

// The optimum of random scripts is that of the enumeration.
func TestOptimumEqualsEnumeration(t *testing.T) {
	s := rig.Need(t, solver)
	tier.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		v := drawSum(t)
		text := declarations + drawAssertions(t, 3) + "(declare-const v Real)(assert (= (* 7 v) " + v.text() + "))"
		p := known.Script(text)
		p.Objective, p.Maximise = "v", rapid.Bool().Draw(t, "maximise")
		r, err := s.Solve(context.Background(), &problem.Problem{SMT: p}, sdk.SolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, text, p, r)
		var best *big.Rat
		enumerate(t, text, func(values map[string]*big.Rat) {
			values["v"] = new(big.Rat).Mul(v.at(values), big.NewRat(1, 7))
		}, func(values map[string]*big.Rat) {
			here := values["v"]
			if best == nil || p.Maximise && here.Cmp(best) > 0 || !p.Maximise && here.Cmp(best) < 0 {
				best = here
			}
		})
		switch {
		case best == nil && r.Status != sdk.Infeasible, best != nil && r.Status != sdk.Optimal:
			t.Fatalf("%v (%v, %s); enumeration's best is %v", r.Status, r.Reason, r.Detail, best)
		case best != nil && valuesOf(p, r)["v"].Cmp(best) != 0:
			t.Fatalf("optimum %s, enumeration finds %s", valuesOf(p, r)["v"], best)
		}
	})
}
