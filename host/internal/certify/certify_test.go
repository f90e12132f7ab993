package certify_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/certify"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestVerdictsAgainstTheReferee runs 200 tiny networks through the real solver
// and compares verdict, largest margin and bound with exhaustive enumeration,
// and with exact vertices of activation patterns where features are real.
func TestVerdictsAgainstTheReferee(t *testing.T) {
	solver, description := highs(t)
	verdicts := map[certify.Verdict]int{}
	for i := range 200 {
		reals := 0
		if i%10 >= 7 {
			reals = 1 + i%2
		}
		constrained := i%3 == 0
		r := rand.New(rand.NewPCG(uint64(i), 42))
		q := tiny(r, reals, constrained)
		for _, notion := range fairness.Notions {
			if reals > 0 && (notion == fairness.Score || notion == fairness.DecisionStrict) {
				continue // no exact maximum at a vertex
			}
			q.Notion = notion
			referee := enumerate
			if reals > 0 {
				referee = patterns
			}
			best, some := referee(q)
			q.Epsilon = epsilonNear(r, notion, best, some)
			t.Run(fmt.Sprintf("%d/%s/reals=%d/rules=%v", i, notion, reals, constrained), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				rep, err := certify.Run(ctx, q, certify.Options{Solver: solver, Description: description, Maximise: true, Enumerate: -1, Seed: int64(i)})
				if err != nil {
					t.Fatal(err)
				}

				verdicts[rep.Verdict]++
				compare(t, q, rep, best, some)
			})
		}
	}
	t.Logf("verdicts: %v", verdicts)
	if verdicts[certify.Fair] < 50 || verdicts[certify.Unfair] < 50 {
		t.Errorf("verdicts %v: the sample does not exercise both answers", verdicts)
	}
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

func compare(t *testing.T, q *problem.Query, rep *certify.Report, best *big.Rat, some bool) {
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
	case certify.Unfair:
		if !some || top <= eps {
			t.Errorf("unfair at ε = %v, the referee's largest margin is %v", eps, top)
		}
	case certify.Fair:
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
		t.Errorf("the maximum of a tiny network was not closed: %s", rep.Reason)
	}
}
