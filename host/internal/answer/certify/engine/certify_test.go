package engine_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestVerdictsAgainstTheReferee asks the three real solvers about tiny networks, each with
// encodings and bounds in turn, and compares verdict, largest margin and bound with exhaustive
// enumeration, and for real features with exact vertices of activation patterns. Answers that
// agree with the referee agree with each other.
func TestVerdictsAgainstTheReferee(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	questions := refereed()
	for _, s := range solvers(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel() // the work is that of the solvers, each in a process of its own
			verdicts := map[engine.Verdict]int{}
			for _, c := range questions {
				encoding, bounds := s.encodings[(c.i+int(c.q.Notion))%len(s.encodings)], s.bounds[(c.i/2+int(c.q.Notion))%len(s.bounds)]
				t.Run(fmt.Sprintf("%d/%s/%+v/%s/%s", c.i, c.q.Notion, c.kind, encoding, bounds), func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					rep, err := engine.Run(ctx, c.q, engine.Options{Solver: s.solver, Description: s.description, Encoding: encoding, Bounds: bounds,
						Maximise: true, Enumerate: -1, Seed: int64(c.i)})
					if err != nil {
						t.Fatal(err)
					}
					verdicts[rep.Verdict]++
					compare(t, c.q, rep, c.best, c.some)
				})
			}
			t.Logf("verdicts: %v", verdicts)
			if least := tier.Count(2, 50); verdicts[engine.Fair] < least || verdicts[engine.Unfair] < least {
				t.Errorf("verdicts %v: the sample does not exercise both answers", verdicts)
			}
		})
	}
}

// refereedQuestion is a tiny question, and the largest margin that the referee has
// found: some says whether there is one.
type refereedQuestion struct {
	i    int
	kind tinyKind
	q    *problem.Query
	best *big.Rat
	some bool
}

// refereed asks the referee about tiny networks, with every notion that it can
// tell the largest margin of.
var refereed = sync.OnceValue(func() []refereedQuestion {
	var out []refereedQuestion
	for i := tier.Count(5, 0); i < tier.Count(8, 200); i++ {
		kind := tinyKind{reals: 0, constrained: i%3 == 0, relaxed: i%5 == 1}
		if i%10 >= 7 {
			kind.reals = 1 + i%2
		}
		r := rand.New(rand.NewPCG(uint64(i), 42))
		q := tiny(r, kind.reals, kind.constrained)
		if kind.relaxed && kind.reals == 0 {
			relax(r, q)
		}
		referee := known.Pairs
		if kind.reals > 0 {
			referee = patterns
		}
		for _, notion := range fairness.Notions {
			if kind.reals > 0 && (notion == fairness.Score || notion == fairness.DecisionStrict) {
				continue // no exact maximum at a vertex
			}
			one := *q
			one.Notion = notion
			best, some := referee(&one)
			one.Epsilon = epsilonNear(r, notion, best, some)
			out = append(out, refereedQuestion{i, kind, &one, best, some})
		}
	}
	return out
})

// tinyKind says what a tiny question has in addition to integers.
type tinyKind struct {
	reals                int
	constrained, relaxed bool
}

// relax lets the integer feature differ between the copies, and cuts it for
// the first copy, so that the copies' regions differ.
func relax(r *rand.Rand, q *problem.Query) {
	q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: float64(r.IntN(3))}}
	q.Region.Box[0].Hi -= float64(r.IntN(2))
}

// epsilonNear draws an ε that is below, above or far from the largest margin.
func epsilonNear(r *rand.Rand, n fairness.Notion, best *big.Rat, some bool) *big.Rat {
	if !n.UsesEpsilon() {
		return nil
	}
	m := 0.3
	if some {
		m, _ = best.Float64()
	}
	eps := m * []float64{0.5, 0.99, 1.01, 2}[r.IntN(4)]
	if n == fairness.Score {
		eps = math.Min(0.95, math.Max(1e-3, eps))
	}
	return new(big.Rat).SetFloat64(math.Max(0, eps))
}

func compare(t *testing.T, q *problem.Query, rep *engine.Report, best *big.Rat, some bool) {
	t.Helper()
	eps := 0.0
	if q.Notion.UsesEpsilon() {
		eps, _ = q.Epsilon.Float64()
	}
	top := math.Inf(-1)
	if some {
		top, _ = best.Float64()
	}
	for _, f := range rep.Faults {
		t.Errorf("fault: %s", f)
	}
	tolerance := math.Max(rep.Tolerance, rep.BoundTolerance) + 2e-6
	switch rep.Verdict {
	case engine.Unfair:
		if !some || top <= eps {
			t.Errorf("unfair at ε = %v, the referee's largest margin is %v", eps, top)
		}
	case engine.Fair:
		if rep.Grade != sdk.GradeNumerical && some && best.Cmp(new(big.Rat).SetFloat64(eps)) > 0 {
			t.Errorf("fair (%s) at ε = %v, the referee's largest margin is %v", rep.Grade, eps, top)
		}
		if top > eps+tolerance {
			t.Errorf("fair (%s, tolerance %v) at ε = %v, the referee's largest margin is %v", rep.Grade, rep.Tolerance, eps, top)
		}
	default:
		if math.Abs(top-eps) > tolerance {
			t.Errorf("undecided (%s) at ε = %v, the referee's largest margin is %v", rep.Reason, eps, top)
		}
		return
	}
	if w := rep.Witness; w != nil {
		if w.Margin > top+1e-12*math.Abs(top) {
			t.Errorf("witness with margin %v, the referee's largest is %v", w.Margin, top)
		}
		if rep.Closed && w.Margin < top-tolerance {
			t.Errorf("closed at %v, the referee's largest margin is %v", w.Margin, top)
		}
	} else if rep.Closed && some && top > 1e-5 {
		t.Errorf("closed without a witness, the referee's largest margin is %v", top)
	}
	if rep.HasBound && some && rep.Bound+tolerance < top {
		t.Errorf("bound %v (tolerance %v), the referee's largest margin is %v", rep.Bound, rep.BoundTolerance, top)
	}
	if !rep.Closed {
		t.Errorf("the maximum of a tiny network was not closed: %s, bound %v + %v", rep.Reason, rep.Bound, rep.BoundTolerance)
	}
}
