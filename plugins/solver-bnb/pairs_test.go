package main

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// tinyPairs returns a tiny query that compares pairs: with features that may differ, with
// conditions on the first copy's protected features, or both.
func tinyPairs(r *rand.Rand) *problem.Query {
	q := tiny(r)
	for q.Space.Whole().Count() > 9 || individuals(q) > 700 {
		q = tiny(r)
	}
	kind := r.IntN(4)
	if kind > 0 {
		for _, i := range q.Space.Free() {
			if r.IntN(2) == 0 || len(q.Relax) == 0 {
				q.Relax = append(q.Relax, problem.RelaxedFeature{Feature: i, Tolerance: []float64{1, 1, 2.5, 3, math.Inf(1), 0}[r.IntN(6)]})
			}
		}
	}
	if kind%2 == 0 {
		p := q.Space.Protected()[0]
		some := space.Predicate{{Feature: p, Interval: space.Interval{Lo: 0, Hi: float64(r.IntN(2))}}}
		if r.IntN(2) == 0 {
			some = append(some, space.Condition{Feature: 0, Interval: space.Interval{Lo: float64(r.IntN(3)), Hi: 9}})
		}
		if r.IntN(2) == 0 {
			q.Require = append(q.Require, some)
		} else {
			q.Forbid = append(q.Forbid, some)
		}
	}
	if r.IntN(2) == 0 {
		q.Region = q.Space.Whole()
		for _, i := range q.Space.Free() {
			if r.IntN(2) == 0 {
				q.Region.Box[i] = space.Interval{Lo: float64(r.IntN(2)), Hi: float64(1 + r.IntN(3))}
			}
		}
	}
	if r.IntN(4) == 0 {
		x := make([]float64, len(q.Space.Features))
		x[0] = 1
		q.Exclude = [][]float64{x}
	}
	return q
}

func individuals(q *problem.Query) (n float64) {
	n = 1
	for _, i := range q.Space.Free() {
		n *= q.Space.Features[i].Hi + 1
	}
	return n
}

// The solver decides, and finds the largest value, as an enumeration of all pairs does,
// whatever is relaxed, required and forbidden; witnesses are pairs.
func TestRefereeOfPairs(t *testing.T) {
	tier.NeedUsual(t)
	seen := map[string]int{}
	for i := range tier.Count(24, 150) {
		r := rand.New(rand.NewPCG(uint64(i), 32))
		q := tinyPairs(r)
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
		most := known.NearPairs(q)
		unfair := most > limitOf(q)
		if math.Abs(most-limitOf(q)) < 1e-9 {
			exact, some := known.Pairs(q)
			unfair = some && exact.Cmp(q.Notion.Threshold(q.Epsilon)) > 0
		}
		for _, goal := range []problem.Goal{problem.Decide, problem.Maximise} {
			q.Goal = goal
			right := known.Answer{Feasible: unfair}
			if goal == problem.Maximise && !math.IsInf(most, -1) {
				right = known.Optimum(most)
			}
			got := solve(t, q, 1+i%2)
			seen[goal.String()+" "+got.Status.String()]++
			judge(t, i, q, right, got, false)
			if right.Best {
				// Intermediate results are true, too.
				half := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: 1 + got.Nodes/2})
				judge(t, i, q, right, half, true)
				if !half.HasBound || math.Abs(got.Bound-most) > 1e-8*max(1, math.Abs(most)) {
					t.Errorf("question %d, %s: bound %v, half way %v; want %v", i, q.Notion, got.Bound, half.HasBound, most)
				}
			}
		}
	}
	for _, answer := range []string{"decide feasible", "decide infeasible", "maximise optimal"} {
		if seen[answer] < tier.Count(3, 25) {
			t.Errorf("%q was answered %d times", answer, seen[answer])
		}
	}
}

// limitOf returns about the value that a pair must exceed to violate.
func limitOf(q *problem.Query) float64 {
	limit, _ := q.Notion.Threshold(q.Epsilon).Float64()
	return limit
}

// Queries that pairs do not support are refused, and not answered for individuals.
func TestPairsAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 33))
	relaxed, conditioned := tiny(r), tiny(r)
	relaxed.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
	conditioned.Forbid = []space.Predicate{{{Feature: conditioned.Space.Protected()[0], Interval: space.Interval{Lo: 1, Hi: 1}}}}
	for _, q := range []*problem.Query{relaxed, conditioned} {
		q.Notion = fairness.Score
		for _, goal := range append(problem.Goals, 0) {
			o := sdk.SolveOptions{}
			switch q.Goal, q.K = goal, 0; goal {
			case problem.Maximise:
				o.Proofs, o.Pieces = true, func([]sdk.Piece) {}
			case problem.Decide:
				q.K = 3
			case 0:
				q.Goal = problem.Decide
			}
			_, err := solver{}.Solve(t.Context(), &problem.Problem{Query: q}, o)
			if refused := errors.Is(err, sdk.ErrUnsupported); refused != (goal != 0) || refused && !strings.Contains(err.Error(), "cop") && !strings.Contains(err.Error(), "pairs") {
				t.Errorf("%s, k = %d: %v", q.Goal, q.K, err)
			}
		}
	}
}
