package main

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/space"
)

// The referee: questions about tiny networks, encoded for Z3, and answered by an
// enumeration of every pair of points in exact arithmetic.

// tinyQuery returns a tiny query; half of them have constraints, and every third is
// relaxed.
func tinyQuery(seed uint64) *problem.Query {
	q := known.Small(rand.New(rand.NewPCG(seed, 7)))
	s := q.Space
	q.Region, q.Goal, q.Epsilon, s.Forbidden = s.Whole(), problem.Decide, big.NewRat(1, 4), nil
	if seed%2 == 0 {
		s.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 1, Hi: 9}}, {Feature: 3, Set: []int{1}}}}
		q.Region.Box[2] = space.Interval{Lo: 1, Hi: 2}
		q.Require = []space.Predicate{{{Feature: 1, Interval: space.Interval{Lo: 0, Hi: 5}}}}
		q.Exclude = [][]float64{{0, 0, 1, 0, 0}}
	}
	if seed%3 == 0 {
		q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
	}
	return q
}

// lowered is an encoded query that is loaded into Z3.
func lowered(t *testing.T, q *problem.Query, lower func(*problem.Query, *bound.Bounds) (*encode.LoweredSMT, error)) (*encode.LoweredSMT, *bound.Bounds, sdk.Loaded) {
	t.Helper()
	b := bound.Intervals(q.Model, bound.Inputs(q.Space, encode.RelaxedRegion(q)))
	low, err := lower(q, b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := rig.Need(t, solver).Load(context.Background(), low.Problem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return low, b, l
}

func ask(t *testing.T, l sdk.Loaded, d problem.Delta) *sdk.Result {
	t.Helper()
	r, err := l.Solve(context.Background(), d, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// truth returns the enumeration's answer.
func truth(t *testing.T, q *problem.Query) sdk.Status {
	t.Helper()
	if err := q.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := reference.Enumerator{}.Solve(context.Background(), &problem.Problem{Query: q}, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Status
}

// replay decodes a point and returns the copies' exact logits; both copies must be in the
// space.
func replay(t *testing.T, q *problem.Query, low *encode.LoweredSMT, r *sdk.Result) []*big.Rat {
	t.Helper()
	w, err := low.Witness(r.Values)
	if err != nil {
		t.Fatal(err)
	}
	exact := q.Model.Exact()
	var logits []*big.Rat
	for _, p := range [][]float64{w.Copy1, w.Copy2} {
		if !q.Space.Contains(p) {
			t.Errorf("%v is not in the space", p)
		}
		logits = append(logits, exact.Logit(q.Space.ExactInputs(p)))
	}
	return logits
}

func TestZ3AgreesWithEnumeration(t *testing.T) {
	tier.NeedUsual(t)
	verdicts := map[sdk.Status]int{}
	for seed := range uint64(tier.Count(4, 60)) {
		q := tinyQuery(seed)
		low, _, l := lowered(t, q, []func(*problem.Query, *bound.Bounds) (*encode.LoweredSMT, error){encode.SMT, encode.SMTIte}[seed%2])
		for k, notion := range []fairness.Notion{fairness.Logit, fairness.Decision, fairness.DecisionStrict} {
			q.Notion = notion
			text, err := low.Violating(notion, q.Epsilon)
			if err != nil {
				t.Fatal(err)
			}
			r := ask(t, l, problem.Delta{Pop: min(k, 1), Push: 1, Assert: text})
			if want := truth(t, q); r.Status != want {
				t.Errorf("network %d, %s: Z3 says %v (%s), enumeration %v", seed, notion, r.Status, r.Native, want)
			}
			verdicts[r.Status]++
			if r.Status == sdk.Feasible && !notion.Violates(replay(t, q, low, r), q.Epsilon) {
				t.Errorf("network %d, %s: the point does not survive its replay", seed, notion)
			}
		}
	}
	t.Logf("verdicts: %v", verdicts)
	if least := tier.Count(1, 20); verdicts[sdk.Feasible] < least || verdicts[sdk.Infeasible] < least {
		t.Errorf("verdicts %v: the test shows little", verdicts)
	}
}

// The score notion by tangents: infeasible at slack 0 means fair; a point that its replay
// refutes adds the next tangent.
func TestScoreByTangentsAgreesWithEnumeration(t *testing.T) {
	tier.NeedUsual(t)
	verdicts := map[sdk.Status]int{}
	for seed := range uint64(tier.Count(5, 40)) {
		q := tinyQuery(seed)
		q.Notion = fairness.Score
		low, b, l := lowered(t, q, encode.SMT)
		got := sdk.Infeasible
		if curve, ok := encode.NewCurve(q.Epsilon, b.Logit.Lo, b.Logit.Hi); ok {
			for _, o := range low.Orders() {
				if got != sdk.Feasible {
					got = byTangents(t, q, low, l, curve, o)
				}
			}
		}
		if want := truth(t, q); got != want {
			t.Errorf("network %d: tangents say %v, enumeration %v", seed, got, want)
		}
		verdicts[got]++
	}
	t.Logf("verdicts: %v", verdicts)
	if least := tier.Count(1, 5); verdicts[sdk.Feasible] < least || verdicts[sdk.Infeasible] < least {
		t.Errorf("verdicts %v: the test shows little", verdicts)
	}
}

func byTangents(t *testing.T, q *problem.Query, low *encode.LoweredSMT, l sdk.Loaded, curve encode.Curve, o encode.Order) sdk.Status {
	t.Helper()
	defer ask(t, l, problem.Delta{Pop: 1})
	text := low.Border(curve, o) + low.SlackAtLeast(new(big.Rat))
	for _, at := range curve.Start(4) {
		text += low.Tangent(curve, o, at)
	}
	d := problem.Delta{Push: 1, Assert: text}
	for range 100 { // there are finitely many points, and each tangent excludes its own
		r := ask(t, l, d)
		if r.Status != sdk.Feasible {
			return r.Status
		}
		logits := replay(t, q, low, r)
		if q.Notion.Violates(logits, q.Epsilon) {
			return sdk.Feasible
		}
		at, _ := logits[o.High].Float64()
		d = problem.Delta{Assert: low.Tangent(curve, o, at)}
	}
	return sdk.Unknown
}
