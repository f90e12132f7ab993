package quantify

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	problems "github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// tiny draws a question about some hundred individuals. Weights are multiples of
// ¼, so that ties occur; constraints leave some points without a counterfactual.
func tiny(r *rand.Rand, n fairness.Notion) *problem.Query {
	s := &space.Space{}
	feed := func(in space.Input) []space.Input {
		in.Index = s.Inputs
		s.Inputs++
		return []space.Input{in}
	}
	s.Features = []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: -2, Hi: float64(2 + r.IntN(5)), Inputs: feed(space.Input{Scale: 0.5})},
		{Name: "c", Kind: space.Categorical, Hi: 2, Categories: []string{"x", "y", "z"}, Inputs: feed(space.Input{Table: []float64{0, 1, -1}})},
		{Name: "b", Kind: space.Integer, Hi: float64(3 + r.IntN(4)), Inputs: feed(space.Input{Scale: 0.25, Offset: -0.5})},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: feed(space.Input{Scale: 1})},
		{Name: "age", Kind: space.Integer, Hi: 9, Protected: []float64{1, 4, 5}, Inputs: feed(space.Input{Scale: 0.25, Offset: -0.5})},
	}
	if r.IntN(2) == 0 {
		s.Forbidden = []space.Predicate{
			{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 1}}, {Feature: 3, Set: []int{r.IntN(2)}}},
			{{Feature: 1, Set: []int{0, 2}}, {Feature: 3, Set: []int{1}}},
			{{Feature: 2, Interval: space.Interval{Lo: 2, Hi: 2}}}, // holds for no individual
		}
	}
	head := relu.HeadSigmoid
	if r.IntN(3) == 0 {
		head = relu.HeadSoftmax
	}
	quarters := func(most int) func() float64 { return func() float64 { return float64(r.IntN(2*most+1)-most) / 4 } }
	net := problems.Dense(head, quarters(8), quarters(4), s.Inputs, 4, 3)
	q := &problem.Query{Model: net, Space: s, Region: s.Whole(), Notion: n, Goal: problem.Quantify}
	switch n {
	case fairness.Score:
		q.Epsilon = big.NewRat(int64(1+r.IntN(8)), 20)
		if r.IntN(3) == 0 {
			q.K = 3
		}
	case fairness.Logit:
		q.Epsilon = big.NewRat(int64(r.IntN(8)), 4) // ties with ε
	}
	if r.IntN(2) == 0 {
		q.Region.Box[0].Hi = 1
		q.Region.Values[4] = []float64{1, 5}
	}
	if r.IntN(3) == 0 {
		q.Require = []space.Predicate{{{Feature: 1, Set: []int{0, 2}}}}
	}
	if r.IntN(3) == 0 {
		q.Forbid = []space.Predicate{{{Feature: 2, Interval: space.Interval{Lo: 1, Hi: 1}}, {Feature: 0, Interval: space.Interval{Lo: 1, Hi: 9}}}}
	}
	return q
}

const outside, fair, unfair = individual.Outside, individual.Fair, individual.Unfair

// truth evaluates the definitions in exact arithmetic.
func truth(q *problem.Query, exact model.Exact, x []float64) individual.Verdict {
	switch logits := q.Logits(exact, x); {
	case len(logits) == 0 || !q.Describes(x):
		return outside
	case q.Violates(logits):
		return unfair
	}
	return fair
}

// everybody visits every point of the region's box.
func everybody(q *problem.Query, visit func(x []float64)) {
	for x := range q.Space.Individuals(q.Region.Box) {
		visit(slices.Clone(x))
	}
}

// counted counts all individuals by their true verdict.
func counted(q *problem.Query) (numbers map[individual.Verdict]int64) {
	exact, numbers := q.Model.Exact(), map[individual.Verdict]int64{}
	everybody(q, func(x []float64) { numbers[truth(q, exact, x)]++ })
	return numbers
}

// TestJudge compares the fast decisions with the definitions.
func TestJudge(t *testing.T) {
	for _, n := range fairness.Notions {
		seen := map[individual.Verdict]int{}
		for seed := range uint64(25) {
			q := tiny(rand.New(rand.NewPCG(seed, 7)), n)
			j := individual.NewJudge(q)
			if _, err := j.Evaluator(); err != nil {
				t.Fatal(err)
			}
			exact := q.Model.Exact()
			everybody(q, func(x []float64) {
				want := truth(q, exact, x)
				seen[want]++
				if got := j.Of(x); got != want {
					t.Fatalf("%s, seed %d, k %d: %v is %d, want %d", n, seed, q.K, x, got, want)
				}
			})
		}
		for _, v := range []individual.Verdict{outside, fair, unfair} {
			if seen[v] == 0 {
				t.Errorf("%s: no individual with verdict %d was drawn", n, v)
			}
		}
	}
}

// TestCancellingLogits: if large values cancel, floating point misses the extremes, and
// the exact difference decides.
func TestCancellingLogits(t *testing.T) {
	for _, m := range []float64{1, 1e12, 1e13} {
		q := &problem.Query{
			Model: &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
				{In: 2, Out: 2, ReLU: true, Weights: []float64{2 * m, 4e-5, 2 * m, 0}, Bias: []float64{-m, -m}},
				{In: 2, Out: 1, Weights: []float64{1, -1}, Bias: []float64{3}},
			}},
			Space: &space.Space{Inputs: 2, Features: []space.Feature{
				{Name: "w", Kind: space.Integer, Lo: 1, Hi: 4, Inputs: []space.Input{{Index: 1, Scale: 1}}},
				{Name: "z", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			}},
			Notion: fairness.Logit, Epsilon: big.NewRat(2, 100_000), Goal: problem.Quantify,
		}
		q.Region = q.Space.Whole()
		j := individual.NewJudge(q)
		if _, err := j.Evaluator(); err != nil {
			t.Fatal(err)
		}
		exact := q.Model.Exact()
		for w := range 4 {
			x := []float64{float64(w + 1), 0}
			if got, want := j.Of(x), truth(q, exact, x); got != want {
				t.Errorf("m = %v, w = %d: %d, want %d", m, w+1, got, want)
			}
		}
	}
}
