package engine_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func described(t *testing.T, s sdk.Incremental) sdk.Description {
	t.Helper()
	d, err := s.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// half is a violation of tenure in a script's symbols, not the largest.
func half(p *problem.Script, years float64) []problem.Number {
	v := make([]float64, len(p.Symbols))
	for i, y := range p.Symbols {
		switch {
		case strings.Contains(y.Name, "years"):
			v[i] = years
		case strings.Contains(y.Name, "group") && strings.HasSuffix(y.Name, "2"):
			v[i] = 1
		}
	}
	return problem.Floats(v)
}

// TestAnUnansweredQuestionBoundsNothing: if a solver of scripts gives up during the bisection
// between best and bound, the bound does not change.
func TestAnUnansweredQuestionBoundsNothing(t *testing.T) {
	for _, n := range fairness.Notions {
		q, asked := tenure(n, 100), 0
		s := &bent{solve: func(_ context.Context, p *problem.Problem, _ sdk.SolveOptions, _ sdk.Solver) (*sdk.Result, error) {
			switch asked++; asked {
			case 1:
				return &sdk.Result{Status: sdk.Feasible, Values: half(p.SMT, 50)}, nil
			case 2:
				return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete}, nil
			}
			return &sdk.Result{Status: sdk.Unknown, Reason: sdk.TimeLimit}, nil
		}}
		rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Encoding: "smt", Maximise: true, SolverOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != engine.Unfair || rep.Closed || asked < 3 {
			t.Errorf("%s: %s, closed %v, asked %d times", n, rep.Verdict, rep.Closed, asked)
		}
		sound(t, q, rep)
	}
}

// TestPredicatesOfOneCopy: if a predicate selects the first copy's group, either group may have
// the higher logit.
func TestPredicatesOfOneCopy(t *testing.T) {
	for _, n := range fairness.Notions {
		for group := range 2 {
			q := tenure(n, 10)
			q.Require = []space.Predicate{{{Feature: 1, Set: []int{group}}}}
			rep, err := engine.Run(t.Context(), q, engine.Options{Solver: reference.Enumerator{}, Description: described(t, reference.Enumerator{})})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != engine.Unfair {
				t.Errorf("%s, group %d: %s (%s) by %v", n, group, rep.Verdict, rep.Grade, rep.Regions)
			}
		}
	}
	q := tenure(fairness.Score, 10)
	q.K, q.Require = 3, []space.Predicate{{{Feature: 1, Set: []int{0}}}}
	if _, err := engine.Run(t.Context(), q, engine.Options{Solver: reference.Enumerator{}, Description: described(t, reference.Enumerator{})}); !errors.Is(err, sdk.ErrInvalidProblem) {
		t.Errorf("bins of one individual, a predicate about one copy: %v", err)
	}
}

// TestNobodyLivesThere: a region without an individual is no fair one.
func TestNobodyLivesThere(t *testing.T) {
	for _, iv := range []space.Interval{{Lo: 5, Hi: 4}, {Lo: 0.2, Hi: 0.7}, {Lo: 200, Hi: 300}} {
		for _, relax := range [][]problem.RelaxedFeature{nil, {{Feature: 0, Tolerance: 1}}} {
			q := tenure(fairness.Score, 100)
			q.Region.Box[0], q.Relax = iv, relax
			rep, err := engine.Run(t.Context(), q, engine.Options{Solver: reference.Enumerator{}, Description: described(t, reference.Enumerator{}), Climb: true})
			if !errors.Is(err, sdk.ErrInvalidProblem) {
				t.Errorf("%v, relaxed %v: %v, %+v", iv, relax, err, rep)
			}
		}
	}
	q := tenure(fairness.Score, 100)
	q.Region.Box[0] = space.Interval{Lo: -3.5, Hi: 4.7} // 0 to 4
	rep, err := engine.Run(t.Context(), q, engine.Options{Solver: reference.Enumerator{}, Description: described(t, reference.Enumerator{})})
	if err != nil || rep.Verdict != engine.Fair || rep.Grade != sdk.GradeExact {
		t.Errorf("up to 4 hundredths of ten years: %+v, %v", rep, err)
	}
}

// TestTheLastWordDoesNotUndoAWitness: a solver reports a violation as progress, and ends with
// an invalid point and a claim of infeasibility.
func TestTheLastWordDoesNotUndoAWitness(t *testing.T) {
	const steps = 1 << 40
	q := tenure(fairness.Score, steps)
	// Only tenures above 9.999 of ten years are violations: too few for an audit.
	q.Epsilon = new(big.Rat).SetFloat64(fairness.Sigmoid(4) - fairness.Sigmoid(-5.999))
	point := func(m *problem.MILP, at float64) []problem.Number {
		years := at * 10 / steps
		values := map[string]float64{"years": at, "group#2": 1, "n1.1#2": years, "n1.1#2 active": 1, "logit#1": 4, "logit#2": 4 - years}
		v := make([]float64, len(m.Columns))
		for i, c := range m.Columns {
			v[i] = values[c.Name]
		}
		return problem.Floats(v)
	}
	s := &bent{solve: func(_ context.Context, p *problem.Problem, o sdk.SolveOptions, _ sdk.Solver) (*sdk.Result, error) {
		o.Progress(sdk.Progress{Values: point(p.MILP, steps)})
		return &sdk.Result{Status: sdk.Optimal, Values: point(p.MILP, math.Floor(0.9999*steps)-10), Bound: -1e-7, HasBound: true}, nil
	}}
	rep, err := ask(t, q, s, false)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict != engine.Unfair || len(rep.Faults) == 0 {
		t.Errorf("%s (%s), %s, faults %q, in spite of a replayed witness", rep.Verdict, rep.Grade, rep.Reason, rep.Faults)
	}
}

// TestWhatBoundsNothing: heuristic pruning and questions for bins leave no bound
// on the gap.
func TestWhatBoundsNothing(t *testing.T) {
	s := reference.Enumerator{}
	d := described(t, s)
	q := tenure(fairness.Score, 10)
	q.K = 2
	if _, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: d, Heuristic: true, Maximise: true}); !errors.Is(err, sdk.ErrInvalidOption) {
		t.Errorf("a pruned network was asked for the largest gap: %v", err)
	}
	rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: d, Encoding: "bigm", Heuristic: true})
	if err != nil || rep.HasBound {
		t.Errorf("a pruned network bounds the gap by %v, %v", rep.Bound, err)
	}
	// Two copies reach no three bins, and are a gap of 0.98 apart.
	q.K = 3
	if rep, err = engine.Run(t.Context(), q, engine.Options{Solver: s, Description: d}); err != nil || rep.Verdict != engine.Fair || rep.HasBound {
		t.Errorf("%s, no gap exceeds %v, %v", rep.Verdict, rep.Bound, err)
	}
}

// TestSeedsNeedRowsAndColumns: a solver of scripts cannot be asked for
// individuals by a random objective.
func TestSeedsNeedRowsAndColumns(t *testing.T) {
	s := engine.Seeder{Query: tenure(fairness.Score, 10), Options: engine.Options{Solver: reference.Enumerator{}, Description: described(t, reference.Enumerator{}), Encoding: "smt"}}
	if _, _, err := s.Seed(t.Context(), []float64{0, 0}, 1); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("asked with scripts: %v", err)
	}
}

// TestBoundsOfALiarAreTried: bounds that the solver tightened are held against
// individuals before they prove anything.
func TestBoundsOfALiarAreTried(t *testing.T) {
	q := tenure(fairness.Score, 1<<40)
	layers := append(q.Model.(*relu.Network).Layers[:1:1], q.Model.(*relu.Network).Layers...) // a layer more, so that there is one to tighten
	layers[1].In, layers[1].Weights, layers[1].Bias, layers[1].ReLU = 1, []float64{1}, []float64{0}, true
	q.Model.(*relu.Network).Layers = layers
	s := &bent{solve: func(_ context.Context, p *problem.Problem, _ sdk.SolveOptions, _ sdk.Solver) (*sdk.Result, error) {
		return &sdk.Result{Status: sdk.Optimal, Objective: 4, Bound: 4, HasBound: true}, nil
	}}
	rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Encoding: "bigm", Bounds: "lp", Enumerate: -1})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict != engine.Unfair || len(rep.Faults) == 0 {
		t.Errorf("%s (%s), faults %q", rep.Verdict, rep.Grade, rep.Faults)
	}
}

// TestSteepNetworks: over values that floating point does not carry, what a solver's
// points show is believed, and its bounds are not. Each seed is one at which
// lp_solve's bound was off by more than its tolerance.
func TestSteepNetworks(t *testing.T) {
	tier.NeedUsual(t)
	solver, d := plugintest.Solver(t, "lpsolve")
	told := 0
	for _, seed := range []uint64{48, 56, 76, 131, 133, 143} {
		r := rand.New(rand.NewPCG(seed, 99))
		q := tiny(r, 0, false)
		for k := range q.Model.(*relu.Network).Layers {
			l, by := &q.Model.(*relu.Network).Layers[k], math.Pow(10, float64(r.IntN(9)))
			for _, weights := range [][]float64{l.Weights, l.Bias} {
				for i := range weights {
					weights[i] *= by * (1 + r.Float64())
				}
			}
		}
		q.Notion = []fairness.Notion{fairness.Logit, fairness.Logit, fairness.Decision, fairness.DecisionStrict}[r.IntN(4)]
		q.Epsilon = big.NewRat(1, 2)
		q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
		truth, _ := known.Pairs(q)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		rep, err := engine.Run(ctx, q, engine.Options{Solver: solver, Description: d, Encoding: "bigm", Maximise: true, Seed: 1})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if top, _ := truth.Float64(); rep.Verdict != engine.Unfair || rep.Bound+rep.BoundTolerance < top {
			t.Errorf("seed %d: %s, bound %v (%s, tolerance %v), the largest margin is %v", seed, rep.Verdict, rep.Bound, rep.BoundGrade, rep.BoundTolerance, top)
		}
		if strings.Contains(rep.Reason, "beyond 2³⁰ (10⁹) floating point proves nothing: use bnb, which takes the model itself") {
			told++
		}
	}
	if told == 0 {
		t.Error("no report says why")
	}
}

// TestBlindModelsNeedNoSolver: copies with equal logits are treated alike in every notion, even
// if relaxed features differ that the model does not see.
func TestBlindModelsNeedNoSolver(t *testing.T) {
	s := &bent{solve: func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error) {
		t.Error("the solver was asked")
		return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Other}, nil
	}}
	for i := range 24 {
		r := rand.New(rand.NewPCG(uint64(i), 47))
		q := tiny(r, 0, i%3 == 0)
		q.Notion, q.Epsilon = fairness.Notions[i%4], big.NewRat(1, 1<<40)
		if i%2 == 0 {
			q.Model = known.Trees(r, q.Space)
		}
		blind := q.Space.Protected()
		if q.Space.Features[0].Kind == space.Integer && i%3 == 1 {
			q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
			blind = append(blind, 0)
		}
		inputs := make([]bool, q.Space.Inputs)
		for _, f := range blind {
			for _, in := range q.Space.Features[f].Inputs {
				inputs[in.Index] = true
			}
		}
		switch m := q.Model.(type) {
		case *relu.Network:
			for j := range m.Layers[0].Out {
				for in := range m.Layers[0].Row(j) {
					if inputs[in] {
						m.Layers[0].Row(j)[in] = 0
					}
				}
			}
		case *trees.Ensemble:
			for _, tree := range m.Trees {
				for k := range tree {
					if n := &tree[k]; !n.IsLeaf() && inputs[n.Input] {
						n.Input = int32(slices.Index(inputs, false))
					}
				}
			}
		}
		o := engine.Options{Solver: s, Description: described(t, s), Encoding: "bigm", Enumerate: -1, Maximise: true}
		rep, err := engine.Run(t.Context(), q, o)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != engine.Fair || rep.Grade != sdk.GradeRigorous && rep.Grade != sdk.GradeExact || !rep.Closed {
			t.Errorf("question %d, %s: %s, %s, %+v", i, q.Notion, rep.Verdict, rep.Grade, rep)
		}
		if q.Notion.Binned() && len(q.Relax) == 0 {
			q.K, o.Maximise = 3, false
			if rep, err := engine.Run(t.Context(), q, o); err != nil || rep.Verdict != engine.Fair {
				t.Errorf("question %d, k = 3: %+v, %v", i, rep, err)
			}
			q.K, q.Goal = 0, problem.MaxK
			if e, err := engine.Enclose(t.Context(), q, o, nil); err != nil || e.Bound > 1 || !e.Settled() {
				t.Errorf("question %d, Max.K: %+v, %v", i, e, err)
			}
		}
	}
}
