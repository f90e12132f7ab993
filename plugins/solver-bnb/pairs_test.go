package main

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// tinyPairs is a tiny question that compares pairs: by features that may differ,
// by conditions on the first copy's protected features, or both.
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

// copyOf is a point of the space and about its logit.
type copyOf struct {
	point []float64
	logit float64
}

// copiesIn are the copies of all individuals in a box.
func copiesIn(q *problem.Query, box space.Box) (out []copyOf) {
	x := make([]float64, len(q.Space.Features))
	region := q.RegionOrWhole()
	var each func(i int)
	each = func(i int) {
		switch {
		case i == len(x):
			for _, c := range q.Space.Counterfactuals(region, x) {
				out = append(out, copyOf{c, q.Model.Logit(q.Space.NetworkInputs(nil, c))})
			}
		case q.Space.Features[i].IsProtected():
			each(i + 1)
		default:
			for x[i] = max(box[i].Lo, q.Space.Features[i].Lo); x[i] <= min(box[i].Hi, q.Space.Features[i].Hi); x[i]++ {
				each(i + 1)
			}
		}
	}
	each(0)
	return out
}

// compared reports that a query compares two points, in this order.
func compared(q *problem.Query, x, y []float64) bool {
	differ := false
	for i := range x {
		apart := math.Abs(x[i] - y[i])
		if q.Space.Features[i].IsProtected() {
			differ = differ || apart > 0
			continue
		}
		allowed := 0.0
		for _, r := range q.Relax {
			if r.Feature == i {
				allowed = r.Tolerance
			}
		}
		if apart > allowed {
			return false
		}
	}
	return differ
}

// describes reports that a query may speak of a first copy.
func describes(q *problem.Query, x []float64) bool {
	for _, p := range q.Require {
		if !p.Holds(x) {
			return false
		}
	}
	for _, p := range q.Forbid {
		if p.Holds(x) {
			return false
		}
	}
	for _, other := range q.Exclude {
		same := true
		for _, i := range q.Space.Free() {
			same = same && other[i] == x[i]
		}
		if same {
			return false
		}
	}
	return true
}

// pairTruth is what looking at every pair says.
type pairTruth struct {
	pairs, violating int
	most             float64
}

func enumeratePairs(q *problem.Query) pairTruth {
	exact := q.Model.Exact()
	out := pairTruth{most: math.Inf(-1)}
	region := q.RegionOrWhole()
	reach := append(space.Box(nil), region.Box...)
	for _, r := range q.Relax {
		f := &q.Space.Features[r.Feature]
		reach[r.Feature] = space.Interval{Lo: f.Lo, Hi: f.Hi}
	}
	ones, twos := copiesIn(q, region.Box), copiesIn(q, reach)
	eps, _ := q.Epsilon.Float64()
	for _, one := range ones {
		if !describes(q, one.point) {
			continue
		}
		for _, two := range twos {
			if !compared(q, one.point, two.point) {
				continue
			}
			out.pairs++
			value, limit := math.Abs(one.logit-two.logit), eps
			switch high, low := max(one.logit, two.logit), min(one.logit, two.logit); {
			case q.Notion == fairness.Score:
				value = fairness.Sigmoid(high) - fairness.Sigmoid(low)
			case q.Notion == fairness.DecisionStrict:
				value, limit = min(high, -low), 0
			case q.Notion == fairness.Decision && low > 0:
				continue
			case q.Notion == fairness.Decision:
				value, limit = high, 0
			}
			out.most = max(out.most, value)
			violates := value > limit
			if math.Abs(value-limit) < 1e-9 {
				violates = q.Notion.Violates(exactly(q, exact, one.point, two.point), q.Epsilon)
			}
			if violates {
				out.violating++
			}
		}
	}
	return out
}

func exactly(q *problem.Query, n model.Exact, points ...[]float64) (logits []*big.Rat) {
	for _, x := range points {
		logits = append(logits, n.Logit(q.Space.ExactInputs(x)))
	}
	return logits
}

// Looking at every pair and the solver agree on what is decided and what is
// largest, whatever is relaxed, required and forbidden; witnesses are pairs.
func TestRefereeOfPairs(t *testing.T) {
	tier.NeedUsual(t)
	seen := map[string]int{}
	for i := range tier.Count(24, 300) {
		r := rand.New(rand.NewPCG(uint64(i), 32))
		q := tinyPairs(r)
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
		want := enumeratePairs(q)
		for _, goal := range []problem.Goal{problem.Decide, problem.Maximise} {
			q.Goal = goal
			got := solve(t, q, 1+i%2)
			if got.Status == sdk.Unknown || got.Reason != sdk.NoReason {
				t.Fatalf("question %d, %s %s: %s, %s", i, goal, q.Notion, got.Status, got.Reason)
			}
			seen[goal.String()+" "+got.Status.String()]++
			some := want.violating > 0
			if goal == problem.Maximise {
				some = !math.IsInf(want.most, -1)
			}
			if (got.Status != sdk.Infeasible) != some {
				t.Errorf("question %d, %s %s: %s, but of %d pairs %d violate; the largest value is %v", i, goal, q.Notion, got.Status, want.pairs, want.violating, want.most)
				continue
			}
			if !some {
				continue
			}
			if goal == problem.Maximise {
				// What is known on the way is true, too.
				half := solveWith(t, q, sdk.SolveOptions{Threads: 1, WorkLimit: 1 + got.Nodes/2})
				if !half.HasBound || half.Bound < want.most-1e-12 || half.Witness != nil && half.Objective > want.most+1e-12 {
					t.Errorf("question %d, %s, half way: objective %v, bound %v; want %v", i, q.Notion, half.Objective, half.Bound, want.most)
				}
			}
			if goal == problem.Maximise && (got.Status != sdk.Optimal || !near(got.Objective, want.most) || !near(got.Bound, want.most)) {
				t.Errorf("question %d, %s: %s, objective %v, bound %v; want %v", i, q.Notion, got.Status, got.Objective, got.Bound, want.most)
			}
			checkPair(t, i, q, got)
		}
	}
	for _, answer := range []string{"decide feasible", "decide infeasible", "maximise optimal"} {
		if seen[answer] < tier.Count(3, 50) {
			t.Errorf("%q was answered %d times", answer, seen[answer])
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8*max(1, math.Abs(b)) }

// checkPair checks that a witness is a pair of the question, violates where that
// is the question, and has the objective.
func checkPair(t *testing.T, i int, q *problem.Query, got *sdk.Result) {
	t.Helper()
	x, y := got.Witness.Copy1, got.Witness.Copy2
	if !q.Space.Contains(x) || !q.Space.Contains(y) || !q.Space.RegionContains(q.RegionOrWhole(), x) || !describes(q, x) || !compared(q, x, y) {
		t.Errorf("question %d, %s: %v and %v are no pair of it", i, q.Notion, x, y)
	}
	logits := exactly(q, q.Model.Exact(), x, y)
	if value, _ := q.Notion.Gap(logits); q.Goal == problem.Maximise && !near(got.Objective, value) {
		t.Errorf("question %d, %s: objective %v, but the witness has %v", i, q.Notion, got.Objective, value)
	}
	if q.Goal == problem.Decide && !q.Notion.Violates(logits, q.Epsilon) {
		t.Errorf("question %d, %s: %v and %v do not violate", i, q.Notion, x, y)
	}
}

// What cannot be said of pairs is refused, and not answered for individuals.
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
			if refused := errors.Is(err, sdk.ErrUnsupported); refused != (goal != 0) || refused && !strings.Contains(err.Error(), "cop") {
				t.Errorf("%s, k = %d: %v", q.Goal, q.K, err)
			}
		}
	}
}
