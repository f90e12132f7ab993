package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// extremes are the extreme values over all individuals of the query, by definition; a goal
// is absent if no individual has such a value.
func extremes(q *problem.Query) map[problem.Goal]float64 {
	of, truth, out := *q, known.Enumerate(q), map[problem.Goal]float64{}
	for _, of.Goal = range []problem.Goal{problem.MaxK, problem.MinK, problem.Maximise, problem.Minimise} {
		if right := truth.Answer(&of); right.Best {
			out[of.Goal] = right.Optimum
		}
	}
	return out
}

// part cuts a tiny query by two random predicates over its two features that are
// not protected, which people must fulfil, must not, or both.
func part(r *rand.Rand, q *problem.Query) {
	predicate := func() (p space.Predicate) {
		if r.IntN(3) > 0 {
			p = append(p, space.Condition{Feature: 0, Interval: space.Interval{Lo: float64(r.IntN(3) - 1), Hi: math.Inf(1)}})
		}
		if r.IntN(3) > 0 {
			p = append(p, space.Condition{Feature: 1, Set: [][]int{{0}, {0, 2}, {1, 2}}[r.IntN(3)]})
		}
		return p
	}
	for range r.IntN(3) {
		q.Require = append(q.Require, predicate())
	}
	for range r.IntN(3) {
		q.Forbid = append(q.Forbid, predicate())
	}
}

// TestExtremesAgainstTheReferee: largest and smallest k and gap, inside and outside
// predicates, equal those of enumeration; Nobody holds iff enumeration finds no individual.
func TestExtremesAgainstTheReferee(t *testing.T) {
	tier.NeedUsual(t)
	panel, seen := directPanel(t), map[string]int{}
	for i := range tier.Count(12, 48) {
		r := rand.New(rand.NewPCG(uint64(i), 19))
		q := tiny(r, 0, i%3 == 0)
		q.Notion, q.Epsilon = fairness.Score, []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 5), big.NewRat(3, 10)}[i%3]
		part(r, q)
		want := extremes(q)
		for _, s := range panel {
			for _, goal := range []problem.Goal{problem.MaxK, problem.MinK, problem.Maximise, problem.Minimise} {
				q.Goal = goal
				e, err := engine.Enclose(t.Context(), q, engine.Options{Solver: s.solver, Description: s.description, Seed: int64(i), Enumerate: -1}, nil)
				if err != nil {
					t.Fatalf("%d, %s, %s: %v", i, s.name, goal, err)
				}
				v, somebody := want[goal]
				switch {
				case !e.Settled() || e.Reason != "" || len(e.Faults) > 0 || e.Nobody == somebody:
					t.Errorf("%d, %s, %s: %+v; want %v, %v", i, s.name, goal, e, v, somebody)
				case somebody && (math.Abs(e.Bound-v) > 1e-7 || math.Abs(e.Found-v) > 1e-7):
					t.Errorf("%d, %s, %s: bound %v, found %v; want %v", i, s.name, goal, e.Bound, e.Found, v)
				}
				seen[fmt.Sprintf("%s %v", goal, somebody)]++
			}
		}
	}
	for _, kind := range []string{"max-k", "min-k", "maximise", "minimise"} {
		if least := tier.Count(1, 4); seen[kind+" true"] < 5*least || seen[kind+" false"] < least {
			t.Errorf("too few of a kind: %v", seen)
		}
	}
}

// TestGapsOfTwo: those who have one counterfactual have a k and no gap. A solver
// that gives them the gap 0 is right, too, and its floor holds.
func TestGapsOfTwo(t *testing.T) {
	for _, s := range directPanel(t) {
		q := tenure(fairness.Score, 10)
		q.Require = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 4, Hi: 10}}}}
		// Group a has no individual with up to 6 years.
		q.Space.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 6}}, {Feature: 1, Set: []int{0}}}}
		want := extremes(q)
		for _, goal := range []problem.Goal{problem.MinK, problem.Minimise} {
			q.Goal = goal
			e, err := engine.Enclose(t.Context(), q, engine.Options{Solver: s.solver, Description: s.description, Enumerate: -1}, [][]float64{{4, 1}, {10, 1}})
			if err != nil {
				t.Fatal(err)
			}
			if e.Bound > want[goal]+1e-7 || e.X == nil || len(e.Faults) > 0 || goal == problem.MinK && !e.Settled() {
				t.Errorf("%s, %s: %+v; want %v", s.name, goal, e, want[goal])
			}
		}
	}
}

// TestExtremesAgainstLies: no bound rests on a claim that a known or a random individual
// refutes.
func TestExtremesAgainstLies(t *testing.T) {
	q := tenure(fairness.Score, 10)
	truth := extremes(q)
	for name, lie := range map[string]func(q *problem.Query, r *sdk.Result){
		"a bound too far": func(q *problem.Query, r *sdk.Result) {
			if r.Bound, r.Objective, r.Witness, r.Status = r.Bound/2, 0, nil, sdk.Unknown; q.Goal == problem.MinK || q.Goal == problem.Minimise {
				r.Bound = 2 * (r.Bound + 1)
			}
		},
		"another value":      func(_ *problem.Query, r *sdk.Result) { r.Objective += 0.25; r.Bound += 0.25 },
		"nobody":             func(_ *problem.Query, r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} },
		"somebody elsewhere": func(_ *problem.Query, r *sdk.Result) { r.Witness.Copy1[0] = 1e6 },
		"no number":          func(_ *problem.Query, r *sdk.Result) { r.Bound = math.NaN() },
	} {
		for _, goal := range []problem.Goal{problem.MaxK, problem.MinK, problem.Maximise, problem.Minimise} {
			q.Goal = goal
			s := lying{lie: lie}
			e, err := engine.Enclose(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Seed: 1, Enumerate: -1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			wrong := e.Bound < truth[goal]-1e-9
			if goal == problem.MinK || goal == problem.Minimise {
				wrong = e.Bound > truth[goal]+1e-9
			}
			if wrong || e.Nobody {
				t.Errorf("%s, %s: %+v; the truth is %v", name, goal, e, truth[goal])
			}
			if len(e.Faults) != 1 {
				t.Errorf("%s, %s: faults %q", name, goal, e.Faults)
			}
		}
	}
}

// TestKnownIndividuals: known individuals count if they are the query's, and settle a question
// without the solver if they reach its trivial bound.
func TestKnownIndividuals(t *testing.T) {
	q := tenure(fairness.Score, 10)
	q.Goal = problem.MinK
	asked := 0
	s := lying{lie: func(_ *problem.Query, r *sdk.Result) {
		asked++
		*r = sdk.Result{Status: sdk.Unknown, Reason: sdk.TimeLimit}
	}}
	enclose := func(known ...[]float64) *engine.Extreme {
		t.Helper()
		e, err := engine.Enclose(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Enumerate: -1}, known)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := enclose([]float64{10, 1}, []float64{11, 0}, []float64{3}); e.Settled() || e.Found != 2 || e.X[0] != 10 || e.Bound != 1 || e.Reason != "time limit" || asked != 1 {
		t.Errorf("%+v, asked %d times", e, asked)
	}
	if e := enclose([]float64{10, 1}, []float64{0, 0}); !e.Settled() || e.Found != 1 || e.Bound != 1 || e.Grade != sdk.GradeExact || asked != 1 {
		t.Errorf("%+v, asked %d times", e, asked)
	}
	q.Forbid = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 5}}}}
	if e := enclose([]float64{0, 0}); e.X != nil || e.Found != 0 || asked != 2 {
		t.Errorf("somebody who is excluded counts: %+v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e, err := engine.Enclose(ctx, q, engine.Options{Solver: s, Description: described(t, s), Enumerate: -1}, nil); err != nil || e.Reason != "interrupted" || asked != 2 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestExtremesOfWhat: questions that have no extreme are refused.
func TestExtremesOfWhat(t *testing.T) {
	s := reference.Enumerator{}
	for name, c := range map[string]struct {
		change func(*problem.Query, *engine.Options)
		want   error
	}{
		"a verdict": {func(q *problem.Query, _ *engine.Options) { q.Goal = problem.Decide }, sdk.ErrInvalidProblem},
		"logits":    {func(q *problem.Query, _ *engine.Options) { q.Notion = fairness.Logit }, sdk.ErrInvalidProblem},
		"k":         {func(q *problem.Query, _ *engine.Options) { q.K = 3 }, sdk.ErrInvalidProblem},
		"relaxed": {func(q *problem.Query, _ *engine.Options) {
			q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
		}, sdk.ErrInvalidProblem},
		"one copy": {func(q *problem.Query, _ *engine.Options) {
			q.Forbid = []space.Predicate{{{Feature: 1, Set: []int{0}}}}
		}, sdk.ErrInvalidProblem},
		"pruned": {func(_ *problem.Query, o *engine.Options) { o.Heuristic = true }, sdk.ErrInvalidOption},
		"rows only": {func(q *problem.Query, o *engine.Options) {
			q.Goal, o.Description.Serves = problem.MinK, o.Description.Serves[:2]
		}, sdk.ErrUnsupported},
	} {
		q, o := tenure(fairness.Score, 10), engine.Options{Solver: s, Description: described(t, s), Enumerate: -1}
		q.Goal = problem.MaxK
		c.change(q, &o)
		if e, err := engine.Enclose(t.Context(), q, o, nil); e != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v", name, e, err)
		} else if strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
