package engine_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// discriminant reports whether x has two counterfactuals more than ε apart,
// exactly.
func discriminant(q *problem.Query, x []float64) bool {
	exact := q.Model.Exact()
	points := q.Space.Counterfactuals(q.RegionOrWhole(), x)
	for _, a := range points {
		for _, b := range points {
			if fairness.GapExceeds(exact.Logit(q.Space.ExactInputs(a)), exact.Logit(q.Space.ExactInputs(b)), q.Epsilon) {
				return true
			}
		}
	}
	return false
}

// The seeder finds a violation in a random network if and only if there is one.
func TestSeedsAgainstTheReferee(t *testing.T) {
	tier.NeedUsual(t)
	solver, description := highs(t)
	found, fair := 0, 0
	for i := range tier.Count(10, 40) {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		q := tiny(r, 0, i%3 == 0)
		q.Notion = fairness.Score
		best, some := known.Pairs(q)
		q.Epsilon = epsilonNear(r, fairness.Score, best, some)
		s := &engine.Seeder{Query: q, Options: engine.Options{Solver: solver, Description: description}}
		from := make([]float64, len(q.Space.Features))
		from[0] = q.Space.Features[0].Hi
		x, ok, err := s.Seed(t.Context(), from, int64(i))
		if err != nil || len(s.Faults) > 0 {
			t.Fatalf("network %d: error %v, faults %q", i, err, s.Faults)
		}
		if want := some && best.Cmp(q.Epsilon) > 0; ok != want {
			t.Errorf("network %d: found %v, the referee says %v", i, ok, want)
		}
		if ok && (!discriminant(q, x) || !slices.Equal(x, q.Space.Canonical(x))) {
			t.Errorf("network %d: %v is no violation in canonical form", i, x)
		}
		if ok {
			found++
		} else {
			fair++
		}
	}
	if least := tier.Count(1, 5); found < 2*least || fair < least {
		t.Errorf("%d found, %d fair: the sample does not exercise both", found, fair)
	}
}

// ladder is a line of a thousand steps on which nearly all individuals are treated unfairly,
// and a second feature without effect.
func ladder() *problem.Query {
	q := tenure(fairness.Score, 1000)
	q.Space.Features = append(q.Space.Features, space.Feature{Name: "shoe size", Kind: space.Integer, Lo: 20, Hi: 60, Inputs: []space.Input{{Index: 2, Scale: 1}}})
	q.Space.Inputs = 3
	l := &q.Model.(*relu.Network).Layers[0]
	l.In, l.Weights = 3, append(slices.Clone(l.Weights), 0)
	q.Region = q.Space.Whole()
	return q
}

func TestSeedsStayNearAndDiffer(t *testing.T) {
	solver, description := highs(t)
	q := ladder()
	from := []float64{500, 0, 40}
	draw := func() (out [][]float64) {
		s := &engine.Seeder{Query: q, Options: engine.Options{Solver: solver, Description: description}, WorkLimit: 500}
		for seed := range int64(8) {
			x, ok, err := s.Seed(t.Context(), from, seed)
			if err != nil || !ok || !discriminant(q, x) {
				t.Fatalf("seed %d: %v, %v, %v", seed, x, ok, err)
			}
			if math.Abs(x[0]-from[0]) > 100 || math.Abs(x[2]-from[2]) > 4 || x[1] != 0 {
				t.Errorf("seed %d: %v is not within a tenth of the domain of %v", seed, x, from)
			}
			out = append(out, x)
		}
		if s.Solves < 8 {
			t.Errorf("%d solves", s.Solves)
		}
		return out
	}
	first := draw()
	if d := cmp.Diff(first, draw()); d != "" {
		t.Errorf("the same seeds gave others:\n%s", d)
	}
	distinct := slices.CompactFunc(slices.SortedFunc(slices.Values(first), slices.Compare), slices.Equal)
	if len(distinct) < 3 {
		t.Errorf("8 seeds gave only %v", distinct)
	}
}

// The box grows until it contains an unfair individual, at most to the query's region.
func TestSeedsFromAFairPlace(t *testing.T) {
	solver, description := highs(t)
	q := ladder()
	s := &engine.Seeder{Query: q, Options: engine.Options{Solver: solver, Description: description}}
	if x, ok, err := s.Seed(t.Context(), []float64{0, 0, 40}, 1); err != nil || !ok || x[0] < 100 || !discriminant(q, x) {
		t.Errorf("from the fair end: %v, %v, %v", x, ok, err)
	}
	q.Region.Box[0] = space.Interval{Lo: 0, Hi: 100}
	if x, ok, err := s.Seed(t.Context(), []float64{50, 0, 40}, 1); err != nil || ok {
		t.Errorf("from a fair region: %v, %v, %v", x, ok, err)
	}
	if x, ok, err := s.Seed(t.Context(), []float64{999, 0, 40}, 1); err != nil || ok {
		t.Errorf("from outside a fair region: %v, %v, %v", x, ok, err)
	}
	q = ladder()
	q.Epsilon = big.NewRat(99, 100)
	s.Query = q
	if x, ok, err := s.Seed(t.Context(), []float64{999, 0, 40}, 1); err != nil || ok {
		t.Errorf("of a fair network: %v, %v, %v", x, ok, err)
	}
}

func TestSeedsOfMisbehavingSolvers(t *testing.T) {
	tier.NeedUsual(t)
	from := []float64{5, 0}
	for _, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			q := tenure(fairness.Score, 10)
			b := &bent{solve: lie.solve}
			d, err := b.Describe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s := &engine.Seeder{Query: q, Options: engine.Options{Solver: b, Description: d, Encoding: "bigm"}}
			x, ok, err := s.Seed(t.Context(), from, 3)
			if (err != nil) != lie.lost {
				t.Errorf("error %v", err)
			}
			if ok && !discriminant(q, x) {
				t.Errorf("%v is no violation", x)
			}
			if !lie.lost && lie.fault != "" && lie.name != "infeasible" && len(s.Faults) == 0 {
				t.Error("no fault is counted")
			}
		})
	}
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b := &bent{solve: func(ctx context.Context, _ *problem.Problem, _ sdk.SolveOptions, _ sdk.Solver) (*sdk.Result, error) {
			return nil, ctx.Err()
		}}
		s := &engine.Seeder{Query: tenure(fairness.Score, 10), Options: engine.Options{Solver: b}}
		if _, ok, err := s.Seed(ctx, from, 3); ok || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("found %v, error %v", ok, err)
		}
	})
}
