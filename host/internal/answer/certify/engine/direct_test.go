package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// directPanel is the solvers that take networks.
func directPanel(t *testing.T) []panelist {
	t.Helper()
	bnb, d := plugintest.Solver(t, "bnb")
	e := reference.Enumerator{}
	return []panelist{{name: "bnb", solver: bnb, description: d}, {name: "enumerate", solver: e, description: described(t, e)}}
}

// TestDirectAgainstTheReferee puts tiny networks to the solvers that take them
// as they are, in every notion, with constraints, relaxations and real features,
// and compares verdict, largest margin and bound with the referee's.
func TestDirectAgainstTheReferee(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	panel := directPanel(t)
	verdicts, declined := map[string]map[engine.Verdict]int{}, map[string]int{}
	for i := tier.Count(5, 0); i < tier.Count(10, 60); i++ {
		kind := tinyKind{constrained: i%3 == 0, relaxed: i%5 == 1}
		if i%10 >= 8 {
			kind.reals = 1
		}
		r := rand.New(rand.NewPCG(uint64(i), 46))
		q := tiny(r, kind.reals, kind.constrained)
		if kind.relaxed && kind.reals == 0 {
			relax(r, q)
		}
		for _, notion := range fairness.Notions {
			if kind.reals > 0 && (notion == fairness.Score || notion == fairness.DecisionStrict) {
				continue // no exact maximum at a vertex
			}
			q.Notion = notion
			referee := known.Pairs
			if kind.reals > 0 {
				referee = patterns
			}
			best, some := referee(q)
			q.Epsilon = epsilonNear(r, notion, best, some)
			for _, s := range panel {
				if s.name == "enumerate" && kind.reals > 0 {
					continue
				}
				t.Run(fmt.Sprintf("%d/%s/%+v/%s", i, notion, kind, s.name), func(t *testing.T) {
					rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s.solver, Description: s.description, Maximise: true, Enumerate: -1, Seed: int64(i)})
					if errors.Is(err, sdk.ErrUnsupported) {
						declined[s.name]++
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if verdicts[s.name] == nil {
						verdicts[s.name] = map[engine.Verdict]int{}
					}
					verdicts[s.name][rep.Verdict]++
					if rep.Verdict == engine.Fair && rep.Grade > sdk.GradeRigorous {
						t.Errorf("fair by the grade %s", rep.Grade)
					}
					if kind.reals > 0 && !rep.Closed {
						// Where a tie or a constraint runs through a real feature, branch and
						// bound comes close and does not end.
						closeTo(t, rep, best, some)
						return
					}
					compare(t, q, rep, best, some)
				})
			}
		}
	}
	t.Logf("verdicts %v, declined %v", verdicts, declined)
	for _, s := range panel {
		if v, least := verdicts[s.name], tier.Count(2, 30); v[engine.Fair] < least || v[engine.Unfair] < least {
			t.Errorf("%s: verdicts %v: the sample does not exercise both answers", s.name, v)
		}
	}
}

// closeTo checks what must hold of a maximum that was not closed.
func closeTo(t *testing.T, rep *engine.Report, best *big.Rat, some bool) {
	t.Helper()
	if len(rep.Faults) > 0 || rep.Verdict != engine.Undecided && (!rep.HasBound || rep.Reason == "") {
		t.Errorf("%s, %s, faults %q", rep.Verdict, rep.Reason, rep.Faults)
	}
	if !some {
		return
	}
	if top, _ := best.Float64(); rep.HasBound && rep.Bound < top-1e-9 || rep.Witness != nil && rep.Witness.Margin > top+1e-9 {
		t.Errorf("between %+v and %v; the referee's largest margin is %v", rep.Witness, rep.Bound, top)
	}
}

// TestMaxKAgainstTheReferee: the interval holds the largest k, and closes.
func TestMaxKAgainstTheReferee(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	panel := directPanel(t)
	s, d := highs(t)
	panel = append(panel, panelist{name: "highs", solver: s, description: d})
	certified := map[string]int{}
	for i := range 24 {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		q := tiny(r, 0, i%3 == 0)
		q.Notion = fairness.Score
		q.Epsilon = []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 5), big.NewRat(3, 10)}[i%3]
		most := float64(known.Enumerate(q).K)
		for _, s := range panel {
			if s.name == "highs" && (i >= 6 || i%3 == 0 && !tier.Long()) {
				continue
			}
			t.Run(fmt.Sprintf("%d/%s", i, s.name), func(t *testing.T) {
				// Without a climb, so that the solver has something to say.
				o := engine.Options{Solver: s.solver, Description: s.description, Seed: int64(i), Climb: i%2 == 0, Enumerate: -1}
				q.Goal = problem.MaxK
				m, err := engine.Enclose(t.Context(), q, o, nil)
				if err != nil {
					t.Fatal(err)
				}
				if m.Found > most || m.Bound < most || len(m.Faults) > 0 {
					t.Errorf("from %v to %v, faults %v; the most is %v", m.Found, m.Bound, m.Faults, most)
				}
				if m.Witness == nil || float64(m.Witness.K) != m.Found {
					t.Errorf("the witness of %v bins is %+v", m.Found, m.Witness)
				}
				if m.Settled() {
					certified[s.name]++
				} else if s.name != "highs" || most > 2 {
					t.Errorf("not certified: %+v", m)
				}
			})
		}
	}
	t.Logf("certified: %v", certified)
}

// lying is an Enumerator whose answers to questions about networks are changed.
type lying struct {
	reference.Enumerator
	lie func(q *problem.Query, r *sdk.Result)
}

func (l lying) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := l.Enumerator.Solve(ctx, p, o)
	if err == nil {
		l.lie(p.Query, r)
	}
	return r, err
}

// TestLiesAboutNetworks: no lie of a solver that is asked about the network
// itself makes a verdict or a bound that is wrong.
func TestLiesAboutNetworks(t *testing.T) {
	on := func(g problem.Goal, lie func(*sdk.Result)) func(*problem.Query, *sdk.Result) {
		return func(q *problem.Query, r *sdk.Result) {
			if q.Goal == g {
				lie(r)
			}
		}
	}
	for _, c := range []struct {
		name  string
		lie   func(*problem.Query, *sdk.Result)
		fault string
	}{
		{"everything is fair", on(problem.Decide, func(r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} }), "claims that nothing exceeds"},
		{"its copies are one", on(problem.Decide, func(r *sdk.Result) { r.Witness.Copy2 = r.Witness.Copy1 }), "has no margin above"},
		{"its copies are two people", on(problem.Decide, func(r *sdk.Result) { r.Witness.Copy2 = []float64{0, 1} }), "outside the question's space"},
		{"its witness is cut short", on(problem.Decide, func(r *sdk.Result) { r.Witness.Copy2 = nil }), "its witness has copies of"},
		{"feasible without a witness", on(problem.Decide, func(r *sdk.Result) { r.Witness = nil }), "holds no point"},
		{"infeasible with a witness", on(problem.Decide, func(r *sdk.Result) { r.Status = sdk.Infeasible }), "infeasible and holds a point"},
		{"a tolerance of an exact solver", on(problem.Decide, func(r *sdk.Result) { r.Tolerance = 1e-6 }), "and to be exact"},
		{"values", on(problem.Decide, func(r *sdk.Result) { r.Values = []problem.Number{{}} }), "values of columns"},
		{"half the bound", on(problem.Maximise, func(r *sdk.Result) { r.Bound /= 2 }), "claims the bound"},
		{"half of everything", on(problem.Maximise, func(r *sdk.Result) { r.Bound, r.Objective, r.Witness = r.Bound/2, r.Objective/2, nil }), "holds no point"},
		{"more than it shows", on(problem.Maximise, func(r *sdk.Result) { r.Bound, r.Objective = 2*r.Bound, 2*r.Objective }), "claims the objective"},
		{"nothing to maximise", on(problem.Maximise, func(r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} }), "claims that nothing exceeds"},
		{"a bound that is no number", on(problem.Maximise, func(r *sdk.Result) { r.Bound = math.NaN() }), "NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := tenure(fairness.Logit, 100)
			s := lying{lie: c.lie}
			rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Maximise: true, Enumerate: -1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			sound(t, q, rep)
			if !strings.Contains(strings.Join(rep.Faults, "\n"), c.fault) {
				t.Errorf("faults %q; want one that says %q", rep.Faults, c.fault)
			}
		})
	}
}

// TestLiesAboutMaxK: neither end of the interval rests on a lie.
func TestLiesAboutMaxK(t *testing.T) {
	for name, lie := range map[string]func(*problem.Query, *sdk.Result){
		"a bound too low": func(_ *problem.Query, r *sdk.Result) {
			r.Bound, r.Objective, r.Witness = 1, 1, nil
			r.Status = sdk.Unknown
		},
		"a k too high":       func(_ *problem.Query, r *sdk.Result) { r.Bound, r.Objective = r.Bound+1, r.Objective+1 },
		"nobody":             func(_ *problem.Query, r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} },
		"somebody elsewhere": func(_ *problem.Query, r *sdk.Result) { r.Witness.Copy1 = []float64{1e6, 0} },
	} {
		t.Run(name, func(t *testing.T) {
			q := tiny(rand.New(rand.NewPCG(4, 7)), 0, false)
			q.Notion, q.Epsilon = fairness.Score, big.NewRat(1, 20)
			if name == "somebody elsewhere" {
				lie = func(_ *problem.Query, r *sdk.Result) { r.Witness.Copy1[0] = 1e6 }
			}
			s, most := lying{lie: lie}, float64(known.Enumerate(q).K)
			q.Goal = problem.MaxK
			m, err := engine.Enclose(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Enumerate: -1, Seed: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Found > most || m.Bound < most || len(m.Faults) == 0 || m.Settled() {
				t.Errorf("%+v; the most is %v", m, most)
			}
		})
	}
}

// A solver that takes networks finds individuals for a search: near where it is
// asked to, different ones for different seeds, and the same for the same.
func TestSeedsFromASolverOfNetworks(t *testing.T) {
	tier.NeedUsual(t)
	bnb, d := plugintest.Solver(t, "bnb")
	q := tenure(fairness.Score, 100)
	found := map[float64]bool{}
	for seed := range int64(6) {
		var again []float64
		for range 2 {
			s := &engine.Seeder{Query: q, WorkLimit: 1000, Options: engine.Options{Solver: bnb, Description: d}}
			x, ok, err := s.Seed(t.Context(), []float64{40, 0}, seed)
			if err != nil || !ok || individual.NewJudge(q).Extreme(x, q.Epsilon) == nil {
				t.Fatalf("seed %d: %v, %v, %v", seed, x, ok, err)
			}
			if again != nil && again[0] != x[0] {
				t.Errorf("seed %d: %v, and then %v", seed, again, x)
			}
			again = x
		}
		found[again[0]] = true
	}
	if len(found) < 2 {
		t.Errorf("six seeds found %v", found)
	}
}

// TestBoundsWhereLargeValuesCancel: individuals that were evaluated in floating point
// do not exceed the bound either, to the last digit.
func TestBoundsWhereLargeValuesCancel(t *testing.T) {
	tier.NeedUsual(t)
	bnb, d := plugintest.Solver(t, "bnb")
	for _, n := range fairness.Notions {
		for _, size := range []float64{1e6, 1e8, 1e10} {
			s := &space.Space{Inputs: 2, Features: []space.Feature{
				{Name: "a", Kind: space.Integer, Lo: -20, Hi: 20, Inputs: []space.Input{{Index: 0, Scale: 0.1}}},
				{Name: "p", Kind: space.Integer, Hi: 2, Protected: []float64{0, 1, 2}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			}}
			q := &problem.Query{Space: s, Region: s.Whole(), Notion: n, Epsilon: big.NewRat(1, 20), Goal: problem.Decide, Model: &relu.Network{
				Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
					{In: 2, Out: 2, Weights: []float64{0.7, 0.3, 0.3, -0.9}, Bias: []float64{-size, size}},
					{In: 2, Out: 1, Weights: []float64{1, 1.0 / 3}, Bias: []float64{size - size/3}},
				}}}
			truth := known.Enumerate(q)
			rep, err := engine.Run(t.Context(), q, engine.Options{Solver: bnb, Description: d, Maximise: true, Enumerate: -1, Seed: 1})
			if err != nil || len(rep.Faults) > 0 || truth.Some && rep.HasBound && truth.Margin.Cmp(new(big.Rat).SetFloat64(rep.Bound)) > 0 {
				m, _ := truth.Margin.Float64()
				t.Errorf("%s, %v: %v, %q; the bound is %v, and the largest margin %v", n, size, err, rep.Faults, rep.Bound, m)
			}
		}
	}
}

// asked keeps the gap at which a solver may stop, by goal.
type asked struct {
	reference.Enumerator
	gaps map[problem.Goal]float64
}

func (s asked) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	s.gaps[p.Query.Goal] = o.Gap
	return s.Enumerator.Solve(ctx, p, o)
}

// A solver of networks is not asked for a largest gap of scores closer than it counts as settled, and of logits as close as it can.
func TestGapAskedOfASolverOfNetworks(t *testing.T) {
	for notion, settled := range map[fairness.Notion]bool{fairness.Score: true, fairness.Logit: false} {
		s := asked{gaps: map[problem.Goal]float64{}}
		q := tiny(rand.New(rand.NewPCG(4, 7)), 0, false)
		q.Notion, q.Epsilon = notion, big.NewRat(1, 20)
		rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Maximise: true, Enumerate: -1, Seed: 1})
		if err != nil || !rep.Closed {
			t.Fatalf("%v, %+v", err, rep)
		}
		if gap, ok := s.gaps[problem.Maximise]; !ok || gap > 1e-7 || gap > 0 != settled || s.gaps[problem.Decide] != 0 {
			t.Errorf("%s: %v", notion, s.gaps)
		}
	}
}

// unfinished proves no smaller gap than above the largest one.
type unfinished struct {
	reference.Enumerator
	above float64
}

func (s unfinished) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := s.Enumerator.Solve(ctx, p, o)
	if err == nil && p.Query.Goal == problem.Maximise {
		r.Status, r.Reason, r.Bound, r.HasBound = sdk.Feasible, sdk.Incomplete, r.Objective+s.above, true
	}
	return r, err
}

// TestStuckBound: a maximum is found to 10⁻⁶ by a solver that cannot come closer, and not to more.
func TestStuckBound(t *testing.T) {
	for above, closed := range map[float64]bool{5e-7: true, 5e-6: false} {
		s := unfinished{above: above}
		q := tiny(rand.New(rand.NewPCG(4, 7)), 0, false)
		q.Notion, q.Epsilon = fairness.Score, big.NewRat(1, 20)
		rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Maximise: true, Enumerate: -1, Seed: 1})
		if err != nil || rep.Closed != closed || !(rep.Bound > rep.Witness.Margin) {
			t.Errorf("%v above: %v, %+v", above, err, rep)
		}
	}
}
