package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// tiny returns a random query small enough to enumerate.
func tiny(r *rand.Rand) *problem.Query {
	s := &space.Space{}
	input := func(in space.Input) []space.Input {
		in.Index = s.Inputs
		s.Inputs++
		return []space.Input{in}
	}
	affine := func() space.Input {
		return space.Input{Scale: []float64{1, 1, 0.3, -2}[r.IntN(4)], Offset: []float64{0, 0, 0.7}[r.IntN(3)]}
	}
	for i := range 2 + r.IntN(2) {
		hi := float64(2 + r.IntN(12))
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Hi: hi}
		if r.IntN(3) == 0 {
			f.Kind, f.Categories = space.Categorical, make([]string, int(hi)+1)
			table := make([]float64, len(f.Categories))
			for c := range f.Categories {
				f.Categories[c] = string(rune('A' + c))
				table[c] = math.Round(r.NormFloat64() * 4)
			}
			f.Inputs = input(space.Input{Table: table})
		} else {
			f.Inputs = input(affine())
		}
		s.Features = append(s.Features, f)
	}
	for i := range 1 + r.IntN(2) {
		f := space.Feature{Name: string(rune('p' + i)), Kind: space.Integer, Hi: 5, Protected: []float64{0, 1, 4}[:2+r.IntN(2)], Inputs: input(affine())}
		s.Features = append(s.Features, f)
	}
	if r.IntN(2) == 0 {
		p := s.Protected()[0]
		s.Forbidden = append(s.Forbidden, space.Predicate{
			{Feature: 0, Interval: space.Interval{Lo: 1, Hi: float64(1 + r.IntN(4))}}, {Feature: p, Interval: space.Interval{Lo: 1, Hi: 1}},
		})
	}
	if r.IntN(4) == 0 {
		s.Forbidden = append(s.Forbidden, space.Predicate{{Feature: 1, Interval: space.Interval{Lo: 2, Hi: 3}}}) // holds for no individual
	}
	widths := []int{s.Inputs}
	for range r.IntN(4) {
		widths = append(widths, 1+r.IntN(5))
	}
	number := func() float64 { return math.Round(r.NormFloat64()*64) / 64 }
	n := known.Dense([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}[r.IntN(2)], number, number, widths...)
	q := &problem.Query{
		Model: n, Space: s, Epsilon: big.NewRat(1, []int64{20, 5, 2}[r.IntN(3)]), Goal: problem.Decide,
		Notion: []fairness.Notion{fairness.Score, fairness.Logit, fairness.Decision, fairness.DecisionStrict}[r.IntN(4)],
	}
	if r.IntN(4) == 0 {
		q.Require = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 1, Hi: 9}}}}
	}
	if r.IntN(4) == 0 {
		q.Forbid = []space.Predicate{{{Feature: 1, Interval: space.Interval{Lo: 0, Hi: 1}}, {Feature: 0, Interval: space.Interval{Lo: 2, Hi: 2}}}}
	}
	return q
}

// Enumeration and the solver agree on every goal of many tiny questions, and
// answers do not depend on the number of threads.
func TestReferee(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(1, 6))
	seen := map[string]int{}
	for i := range tier.Count(20, 150) {
		q := tiny(r)
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
		if q.Notion.UsesEpsilon() && r.IntN(5) == 0 {
			q.K = 3
		}
		want := known.Enumerate(q)
		for _, goal := range problem.Goals {
			if goal == problem.Minimise && !q.Notion.UsesEpsilon() {
				continue
			}
			q.Goal = goal
			got := solve(t, q, 1+i%2)
			check(t, i, q, want, got)
			seen[goal.String()+" "+got.Status.String()]++
		}
	}
	for _, answer := range []string{"decide feasible", "decide infeasible", "maximise optimal", "minimise optimal", "max-k optimal", "min-k optimal", "quantify optimal"} {
		if seen[answer] < tier.Count(1, 10) {
			t.Errorf("%q was answered %d times", answer, seen[answer])
		}
	}
}

// solve branches on ReLUs at every node with one thread, and after a restart with two.
func solve(t *testing.T, q *problem.Query, threads int) *sdk.Result {
	t.Helper()
	cases := map[int]string{1: "0", 2: "3"}[threads]
	return solveWith(t, q, sdk.SolveOptions{Threads: threads, Options: map[string]string{"cases": cases}})
}

func solveWith(t *testing.T, q *problem.Query, o sdk.SolveOptions) *sdk.Result {
	t.Helper()
	got, err := solver{}.Solve(context.Background(), &problem.Problem{Query: q}, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// check compares an answer, which must be complete, with the truth. A bound may exceed the
// best value by 3·10⁻⁸ of it (docs/developer/solver-bnb.md, Rounding and certificates).
func check(t *testing.T, i int, q *problem.Query, want *known.Truth, got *sdk.Result) {
	t.Helper()
	claimsAreTrue(t, i, q, want, got, false)
	right := want.Answer(q)
	if off := math.Abs(got.Bound - right.Optimum); right.Best && q.Goal != problem.Quantify && !(got.HasBound && off <= 4e-8*max(1, math.Abs(right.Optimum))) {
		t.Errorf("question %d, %s %s: the bound is %v, of %v", i, q.Goal, q.Notion, got.Bound, right.Optimum)
	}
}

// claimsAreTrue compares a result's claims with the truth. With limited, its search may have
// been interrupted.
func claimsAreTrue(t *testing.T, i int, q *problem.Query, want *known.Truth, got *sdk.Result, limited bool) {
	t.Helper()
	if q.Goal != problem.Quantify {
		judge(t, i, q, want.Answer(q), got, limited)
		return
	}
	err := referee.Claim(&problem.Problem{Query: q}, got)
	switch {
	case err != nil:
	case !limited:
		err = want.Shares(got)
	case got.Shares != nil && len(want.People) > 0:
		err = want.Within(got.Shares)
	}
	if err != nil {
		t.Errorf("question %d, %s %s: %v", i, q.Goal, q.Notion, err)
	}
}

var referee = known.Referee{Grade: sdk.GradeRigorous}

// judge checks an answer of any goal except Quantify for consistency, and compares it
// with the right one.
func judge(t *testing.T, i int, q *problem.Query, right known.Answer, got *sdk.Result, limited bool) {
	t.Helper()
	p := &problem.Problem{Query: q}
	if err := errors.Join(referee.Claim(p, got), referee.Answer(p, got, right, limited)); err != nil {
		t.Errorf("question %d, %s %s: %v", i, q.Goal, q.Notion, err)
	}
}

// Verdicts do not depend on vector instructions: every variant of the loops gives
// the same result, to the last box.
func TestKernelsAgree(t *testing.T) {
	for i := range 40 {
		var want *sdk.Result
		for _, kernel := range simd.Kernels() {
			t.Setenv(simd.Variable, kernel)
			r := rand.New(rand.NewPCG(uint64(i), 7))
			q := tiny(r)
			q.Goal = problem.Goals[i%len(problem.Goals)]
			if q.Goal == problem.Minimise && !q.Notion.UsesEpsilon() {
				q.Goal = problem.Maximise
			}
			if i >= 30 {
				q = tinyPairs(r)
				q.Goal = problem.Maximise
			}
			got := solve(t, q, 2)
			got.Elapsed = 0
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }), cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
				t.Errorf("question %d, %s: %s", i, kernel, diff)
			}
		}
	}
}

// Boxes are split along the right feature if there are hundreds: here only the last one
// matters.
func TestManyFeatures(t *testing.T) {
	const n = 300
	s := &space.Space{Inputs: n + 1}
	for i := range n {
		s.Features = append(s.Features, space.Feature{Name: fmt.Sprint("f", i), Kind: space.Integer, Hi: 1, Inputs: []space.Input{{Index: i, Scale: 1}}})
	}
	s.Features[n-1].Hi = 1000
	s.Features = append(s.Features, space.Feature{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: n, Scale: 1}}})
	// The logit is 10 or less for p = 1, and 0 for p = 0, less bias.
	hidden := relu.Layer{In: n + 1, Out: 2, ReLU: true, Weights: make([]float64, 2*(n+1)), Bias: []float64{-500, -500}}
	hidden.Weights[n-1], hidden.Weights[n], hidden.Weights[2*n] = 1, 10, 1
	for _, c := range []struct {
		bias float64
		want sdk.Status
	}{{-10.5, sdk.Infeasible}, {-9.5, sdk.Feasible}} {
		q := &problem.Query{Space: s, Notion: fairness.Decision, Goal: problem.Decide, Model: &relu.Network{
			Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{hidden, {In: 2, Out: 1, Weights: []float64{1, -1}, Bias: []float64{c.bias}}},
		}}
		got := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: 5000})
		if got.Status != c.want || c.want == sdk.Infeasible && got.Nodes < 3 {
			t.Errorf("bias %v: %s after %d boxes, want %s", c.bias, got.Status, got.Nodes, c.want)
		}
	}
}
