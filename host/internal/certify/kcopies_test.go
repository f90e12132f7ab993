package certify_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/certify"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/network"
	"github.com/hyfair/hyfair/sdk/problem"
)

// mostBins is the largest k over every individual, by definition.
func mostBins(q *problem.Query) int {
	exact, most := network.NewExact(q.Network), 0
	eachIndividual(q, func(x []float64) {
		var logits []*big.Rat
		for _, p := range q.Space.Counterfactuals(q.RegionOrWhole(), x) {
			logits = append(logits, exact.Logit(q.Space.ExactInputs(p)))
		}
		most = max(most, fairness.KBins(logits, q.Epsilon))
	})
	return most
}

// TestManyBinsAgainstTheReferee asks the three solvers whether somebody reaches
// as many bins as enumeration found, and one more.
func TestManyBinsAgainstTheReferee(t *testing.T) {
	t.Parallel()
	panel := solvers(t)
	asked, reached, grades := 0, 0, map[sdk.Exactness]int{}
	for i := range 40 {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		q := tiny(r, 0, i%3 == 0)
		q.Notion = fairness.Score
		q.Epsilon = []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 5), big.NewRat(3, 10)}[i%3]
		most := mostBins(q)
		for _, k := range []int{most, most + 1} {
			if k < 3 {
				continue
			}
			q.K = k
			for _, s := range panel {
				if s.name == "lpsolve" && (k > most || k > 4) {
					continue // minutes for an answer that HiGHS has in a second
				}
				encoding := s.encodings[asked%len(s.encodings)]
				if encoding == "sos1" {
					encoding = "bigm" // lp_solve 5.5.2.5 crashes on one of these as sets
				}
				asked++
				t.Run(fmt.Sprintf("%d/k=%d of %d/%s/%s", i, k, most, s.name, encoding), func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					rep, err := certify.Run(ctx, q, certify.Options{Solver: s.solver, Description: s.description, Encoding: encoding, Bounds: "linear", SolverOnly: true, Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range rep.Faults {
						t.Errorf("fault: %s", f)
					}
					switch {
					case k <= most && rep.Verdict != certify.Unfair:
						t.Errorf("%s (%s); somebody reaches %d bins", rep.Verdict, rep.Reason, most)
					case k > most && rep.Verdict != certify.Fair:
						t.Errorf("%s (%s); nobody reaches more than %d bins", rep.Verdict, rep.Reason, most)
					case rep.Verdict == certify.Unfair:
						if reached++; rep.Witness.K < k || rep.Witness.K > most {
							t.Errorf("the witness reaches %d bins", rep.Witness.K)
						}
					default:
						grades[rep.Grade]++
					}
				})
			}
		}
	}
	if reached < 20 || grades[sdk.Exact] < 5 || grades[sdk.NumericalGrade] < 5 {
		t.Errorf("%d reached, proofs %v: the sample does not exercise the solvers", reached, grades)
	}
}

// A question for more bins than there are, or than there are copies, needs no
// solver.
func TestBinsBeyondReach(t *testing.T) {
	solver, description := highs(t)
	q := tiny(rand.New(rand.NewPCG(1, 7)), 0, false)
	q.Notion = fairness.Score
	for _, c := range []struct {
		k   int
		eps *big.Rat
	}{{7, big.NewRat(1, 20)}, {5, big.NewRat(1, 4)}} {
		q.K, q.Epsilon = c.k, c.eps
		rep, err := certify.Run(t.Context(), q, certify.Options{Solver: solver, Description: description})
		if err != nil || rep.Verdict != certify.Fair || rep.Solves != 0 {
			t.Errorf("k = %d at ε = %s: %v, asked %d times, %v", c.k, c.eps, rep.Verdict, rep.Solves, err)
		}
	}
	q.Notion = fairness.Logit
	if _, err := certify.Run(t.Context(), q, certify.Options{Solver: solver, Description: description}); err == nil {
		t.Error("bins of logits were asked for")
	}
}
