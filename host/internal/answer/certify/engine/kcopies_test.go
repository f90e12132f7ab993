package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestManyBinsAgainstTheReferee asks the three solvers for the number of bins that
// enumeration found, and for one more.
func TestManyBinsAgainstTheReferee(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	panel := solvers(t)
	asked, reached, grades := 0, 0, map[sdk.Grade]int{}
	for i := tier.Count(7, 0); i < tier.Count(12, 24); i++ {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		q := tiny(r, 0, i%3 == 0)
		q.Notion = fairness.Score
		q.Epsilon = []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 5), big.NewRat(3, 10)}[i%3]
		most := known.Enumerate(q).K
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
					rep, err := engine.Run(ctx, q, engine.Options{Solver: s.solver, Description: s.description, Encoding: encoding, Bounds: "linear", SolverOnly: true, Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range rep.Faults {
						t.Errorf("fault: %s", f)
					}
					switch {
					case k <= most && rep.Verdict != engine.Unfair:
						t.Errorf("%s (%s); somebody reaches %d bins", rep.Verdict, rep.Reason, most)
					case k > most && rep.Verdict != engine.Fair:
						t.Errorf("%s (%s); no individual reaches more than %d bins", rep.Verdict, rep.Reason, most)
					case rep.Verdict == engine.Unfair:
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
	if least := tier.Count(1, 3); reached < 4*least || grades[sdk.GradeExact] < least || grades[sdk.GradeNumerical] < least {
		t.Errorf("%d reached, proofs %v: the sample does not exercise the solvers", reached, grades)
	}
}

// TestARealCrash: lp_solve 5.5.2.5 aborts on some of the referee's questions with sets. They
// stay undecided, and the solver stays usable.
func TestARealCrash(t *testing.T) {
	tier.NeedUsual(t)
	solver, d := plugintest.Solver(t, "lpsolve")
	r := rand.New(rand.NewPCG(20, 7))
	q := tiny(r, 0, false)
	q.Notion, q.Epsilon, q.K = fairness.Score, big.NewRat(3, 10), 3
	o := engine.Options{Solver: solver, Description: d, Encoding: "sos1", Bounds: "linear", SolverOnly: true, Seed: 1}
	rep, err := engine.Run(t.Context(), q, o)
	if err == nil {
		t.Skip("SKIPPED: this lp_solve does not crash")
	}
	if rep.Verdict != engine.Undecided || engine.Unanswered(err) != nil || !errors.Is(err, sdk.ErrPluginExited) || !strings.HasPrefix(rep.Reason, "the solver failed: solver lpsolve exited") {
		t.Errorf("%v, %+v", err, rep)
	}
	o.Encoding = "bigm"
	if rep, err = engine.Run(t.Context(), q, o); err != nil || rep.Verdict != engine.Unfair {
		t.Errorf("the next question: %v, %+v", err, rep)
	}
}

// A question for more bins than exist, or than an individual has copies, needs no solver.
func TestBinsBeyondReach(t *testing.T) {
	solver, description := highs(t)
	q := tiny(rand.New(rand.NewPCG(1, 7)), 0, false)
	q.Notion = fairness.Score
	for _, c := range []struct {
		k   int
		eps *big.Rat
	}{{7, big.NewRat(1, 20)}, {5, big.NewRat(1, 4)}} {
		q.K, q.Epsilon = c.k, c.eps
		rep, err := engine.Run(t.Context(), q, engine.Options{Solver: solver, Description: description})
		if err != nil || rep.Verdict != engine.Fair || rep.Solves != 0 {
			t.Errorf("k = %d at ε = %s: %v, asked %d times, %v", c.k, c.eps, rep.Verdict, rep.Solves, err)
		}
	}
	q.Notion = fairness.Logit
	if _, err := engine.Run(t.Context(), q, engine.Options{Solver: solver, Description: description}); err == nil {
		t.Error("bins of logits were asked for")
	}
}

// TestBinsOfASmallEpsilon: if ε makes more bins than any table holds, k is still counted, and
// no false proof is given.
func TestBinsOfASmallEpsilon(t *testing.T) {
	tier.NeedUsual(t)
	bnb, bd := plugintest.Solver(t, "bnb")
	z3, zd := plugintest.Solver(t, "z3")
	for _, c := range []struct {
		eps         string
		individuals float64
	}{{"0.000023", 10}, {"0.000001", 10}, {"0.00002", 10}, {"0.000000001", 10}, {"0.000023", 100}, {"1e-18", 30}} {
		s := &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "a", Kind: space.Integer, Hi: c.individuals - 1, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "p", Kind: space.Integer, Hi: 4, Protected: []float64{0, 1, 2, 3, 4}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		}}
		n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
			{In: 2, Out: 1, ReLU: true, Weights: []float64{1 / c.individuals, 1}, Bias: []float64{-2}},
			{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{0}},
		}}
		eps, _ := new(big.Rat).SetString(c.eps)
		q := &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: fairness.Score, Epsilon: eps, Goal: problem.Decide}
		most := known.Enumerate(q).K
		for _, p := range []panelist{{name: "bnb", solver: bnb, description: bd}, {name: "z3", solver: z3, description: zd}} {
			for _, enumerate := range []int{-1, 16} {
				all := *q
				all.Goal = problem.MaxK
				m, err := engine.Enclose(t.Context(), &all, engine.Options{Solver: p.solver, Description: p.description, Seed: 1, Enumerate: enumerate, Climb: c.individuals > 30}, nil)
				if m == nil || err != nil && !errors.Is(err, sdk.ErrUnsupported) || m.Found > float64(most) || m.Bound < float64(most) || c.individuals <= float64(enumerate) && !m.Settled() {
					t.Errorf("ε = %s, %v individuals, %s: %+v, %v; the most is %d", c.eps, c.individuals, p.name, m, err, most)
				}
				one := *q
				one.K = most
				if rep, err := engine.Run(t.Context(), &one, engine.Options{Solver: p.solver, Description: p.description, Seed: 1, Enumerate: enumerate}); rep != nil && rep.Verdict == engine.Fair {
					t.Errorf("ε = %s, %v individuals, %s: no individual reaches %d bins, %s, %v; somebody does", c.eps, c.individuals, p.name, most, rep.Grade, err)
				}
			}
		}
		one := *q
		one.Goal, one.Epsilon = problem.MaxK, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 70))
		if _, err := engine.Enclose(t.Context(), &one, engine.Options{Solver: bnb, Description: bd}, nil); !errors.Is(err, sdk.ErrInvalidProblem) {
			t.Errorf("an ε below 2⁻⁶²: %v", err)
		}
	}
}

// TestManyCombinationsOfAWideNetwork: above what the evaluator holds tables for,
// bins are counted all the same.
func TestManyCombinationsOfAWideNetwork(t *testing.T) {
	tier.NeedLong(t)
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 1, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "p", Kind: space.Integer, Hi: 1<<12 - 1, Inputs: []space.Input{{Index: 1, Scale: 0x1p-12}}},
	}}
	for v := range 1 << 12 {
		s.Features[1].Protected = append(s.Features[1].Protected, float64(v))
	}
	hidden := relu.Layer{In: 2, Out: 1<<14 + 1, ReLU: true, Bias: make([]float64, 1<<14+1)}
	for j := range hidden.Out {
		hidden.Weights = append(hidden.Weights, 0, float64(j%3-1))
	}
	last := relu.Layer{In: hidden.Out, Out: 1, Weights: make([]float64, hidden.Out), Bias: []float64{-2}}
	last.Weights[2] = 4
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{hidden, last}}
	q := &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: fairness.Score, Epsilon: big.NewRat(1, 20), K: 3, Goal: problem.Decide}
	bnb, d := plugintest.Solver(t, "bnb")
	rep, err := engine.Run(t.Context(), q, engine.Options{Solver: bnb, Description: d, Seed: 1})
	if err != nil || rep.Verdict != engine.Unfair {
		t.Errorf("%+v, %v; scores reach from 0.12 to 0.88", rep, err)
	}
}
