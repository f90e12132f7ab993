package engine_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// tenure is a model of up to ten years, in the given number of steps, that treats group b
// worse: the logit is 4 for group a, 4 − years for b. Only the shortest tenures keep
// ε = 0.05; the largest logit gap is that of all years.
func tenure(n fairness.Notion, steps float64) *problem.Query {
	s := &space.Space{
		Features: []space.Feature{
			{Name: "years", Kind: space.Integer, Hi: steps, Inputs: []space.Input{{Index: 0, Scale: 10 / steps}}},
			{Name: "group", Kind: space.Categorical, Hi: 1, Categories: []string{"a", "b"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		},
		Inputs: 2,
	}
	net := &relu.Network{
		Layers: []relu.Layer{
			{Name: "hidden", In: 2, Out: 1, Weights: []float64{1, 20}, Bias: []float64{-20}, ReLU: true},
			{Name: "output", In: 1, Out: 1, Weights: []float64{-1}, Bias: []float64{4}},
		},
		Head: relu.HeadSigmoid, Precision: 64,
	}
	q := &problem.Query{Model: net, Space: s, Region: s.Whole(), Notion: n, Goal: problem.Decide}
	if n.UsesEpsilon() {
		q.Epsilon = big.NewRat(1, 20)
	}
	return q
}

// largest is the true answer for tenure.
func largest(n fairness.Notion) float64 {
	switch n {
	case fairness.Score:
		return fairness.Sigmoid(4) - fairness.Sigmoid(-6)
	case fairness.Logit:
		return 10
	}
	return 4
}

// bent is a right solver until the question number from, counted from 1;
// solve then takes the place of it.
type bent struct {
	reference.Enumerator
	from, asked int
	solve       func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error)
}

func (b *bent) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	return &bentLoaded{b, problem.NewStack(p)}, nil
}

type bentLoaded struct {
	*bent
	stack *problem.Stack
}

func (l *bentLoaded) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	p, err := l.stack.Apply(d)
	if err != nil {
		return nil, err
	}
	if l.asked++; l.asked < l.from {
		return l.Enumerator.Solve(ctx, p, o)
	}
	return l.solve(ctx, p, o, l.Enumerator)
}

func (l *bentLoaded) Close() error { return nil }

// told applies a lie to a right answer with a point. If there are too many individuals to find
// one, it applies it to a corner point, which is wrong already.
func told(lie func(r *sdk.Result)) func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error) {
	return func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
		o.Progress = nil
		corner, many := make([]float64, len(p.MILP.Columns)), false
		for i, c := range p.MILP.Columns {
			corner[i] = c.Lo
			many = many || c.Integer && c.Hi-c.Lo > 1000
		}
		if many {
			r := &sdk.Result{Status: sdk.Feasible, Values: problem.Floats(corner)}
			lie(r)
			return r, nil
		}
		r, err := right.Solve(ctx, p, o)
		if err == nil && r.HasPoint() {
			lie(r)
		}
		return r, err
	}
}

var errLicence = errors.New("no licence")

// lies are answers that are wrong in one way each, the fault that the report
// must show, and whether the question has no answer.
var lies = []struct {
	name  string
	solve func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error)
	fault string
	lost  bool
	// notions in which the lie is possible; nil: all.
	only []fairness.Notion
}{
	{name: "infeasible", solve: told(func(r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} }), fault: "a replayed witness has"},
	{name: "infeasible with a point", solve: told(func(r *sdk.Result) { r.Status = sdk.Infeasible }), fault: "infeasible and holds a point"},
	{name: "its point contradicts its optimum", solve: told(func(r *sdk.Result) { r.Objective++ }), fault: "it claims the objective", only: []fairness.Notion{fairness.Score}},
	{name: "its point contradicts its bound", solve: told(func(r *sdk.Result) { r.Bound, r.HasBound = r.Objective-2, true }), fault: "it claims the bound", only: []fairness.Notion{fairness.Score}},
	{name: "NaN bound", solve: told(func(r *sdk.Result) { r.Bound, r.HasBound = math.NaN(), true }), fault: "NaN"},
	{name: "NaN objective", solve: told(func(r *sdk.Result) { r.Objective = math.NaN() }), fault: "NaN"},
	{name: "NaN point", solve: told(func(r *sdk.Result) { r.Values[0] = problem.Number{Float: math.NaN()} }), fault: "NaN"},
	{name: "infinite point", solve: told(func(r *sdk.Result) {
		for i := range r.Values {
			r.Values[i] = problem.Number{Float: math.Inf(1)}
		}
	}), fault: "breaks its own rows"},
	{name: "point outside the space", solve: told(func(r *sdk.Result) {
		for i := range r.Values {
			r.Values[i] = problem.Number{Float: r.Values[i].Float64() + 1000}
		}
	}), fault: "breaks its own rows"},
	{name: "short point", solve: told(func(r *sdk.Result) { r.Values = r.Values[:1] }), fault: "1 values for"},
	{name: "no point", solve: told(func(r *sdk.Result) { r.Status, r.Values = sdk.Feasible, nil }), fault: "holds no point"},
	{name: "infinite tolerance", solve: told(func(r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible, Tolerance: math.Inf(1)} }), fault: "tolerance"},
	{name: "NaN tolerance", solve: told(func(r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible, Tolerance: math.NaN()} }), fault: "tolerance"},
	{name: "excusing tolerance", solve: told(func(r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible, Tolerance: 1e6} }), fault: "tolerance"},
	{name: "no status", solve: told(func(r *sdk.Result) { *r = sdk.Result{} })},
	{name: "never anything", solve: told(func(r *sdk.Result) { *r = sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete} })},
	{name: "odd progress", solve: func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
		nan := make([]problem.Number, len(p.MILP.Columns))
		for i := range nan {
			nan[i] = problem.Number{Float: math.NaN()}
		}
		far := problem.Floats(make([]float64, len(nan)))
		far[0] = problem.Number{Float: 1e300}
		for _, values := range [][]problem.Number{{}, nan[:1], nan, far, nil} {
			o.Progress(sdk.Progress{Values: values, Bound: math.NaN(), HasBound: true})
		}
		return right.Solve(ctx, p, o)
	}},
	{name: "error", solve: func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error) {
		return nil, errLicence
	}, fault: "no licence", lost: true},
	{name: "nothing", solve: func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error) {
		return nil, nil
	}, fault: "neither a result nor an error", lost: true},
}

// notions are those that a lie is tested with: only, if set, otherwise all in the long tier,
// and one in turn below it.
func notions(lie int, only []fairness.Notion) []fairness.Notion {
	if only != nil {
		return only
	}
	all := fairness.Notions
	if tier.Long() {
		return all
	}
	return all[lie%len(all):][:1]
}

func ask(t *testing.T, q *problem.Query, s sdk.Incremental, maximise bool) (*engine.Report, error) {
	t.Helper()
	d, err := s.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: d, Encoding: "bigm", Maximise: maximise, Enumerate: -1, Seed: 1})
	if rep == nil {
		t.Fatal("no report:", err)
	}
	return rep, err
}

// sound checks what must hold of every report about tenure: it is unfair, no
// bound is below the truth, and a witness is one.
func sound(t *testing.T, q *problem.Query, rep *engine.Report) {
	t.Helper()
	if rep.Verdict == engine.Fair {
		t.Errorf("verdict fair (%s, tolerance %v)", rep.Grade, rep.Tolerance)
	}
	if (rep.Verdict == engine.Unfair) != (rep.Witness != nil) {
		t.Errorf("verdict %s with the witness %+v", rep.Verdict, rep.Witness)
	}
	if rep.Verdict == engine.Undecided && rep.Reason == "" {
		t.Error("undecided for no reason")
	}
	top := largest(q.Notion)
	if rep.HasBound && !(rep.Bound+rep.BoundTolerance >= top-1e-9) {
		t.Errorf("bound %v (tolerance %v), the largest margin is %v", rep.Bound, rep.BoundTolerance, top)
	}
	if rep.HasBound && rep.BoundGrade == 0 {
		t.Error("the bound has no grade")
	}
	if w := rep.Witness; w != nil {
		if years := w.Copy1[0] * q.Space.Features[0].Inputs[0].Scale; w.Copy1[0] != w.Copy2[0] || w.Logit1 != 4 || math.Abs(w.Logit2-(4-years)) > 1e-9 || w.Margin > top+1e-9 {
			t.Errorf("witness %+v", w)
		}
		if q.Notion == fairness.Score && w.K < 2 {
			t.Errorf("k = %d", w.K)
		}
	}
	if rep.Closed && (rep.Witness == nil || math.Abs(rep.Witness.Margin-top) > 1e-5) {
		t.Errorf("closed with %+v, the largest margin is %v", rep.Witness, top)
	}
}

func holdsFault(rep *engine.Report, text string) bool {
	return slices.ContainsFunc(rep.Faults, func(f string) bool { return strings.Contains(f, text) })
}

// TestLies asks solvers that are wrong at every question, over ten
// individuals (where splitting ends in exact enumeration) and over a million.
func TestLies(t *testing.T) {
	tier.NeedUsual(t)
	for i, lie := range lies {
		for _, n := range notions(i, lie.only) {
			for _, steps := range []float64{10, 1 << 20} {
				if steps > 10 && lie.fault == "" {
					continue // splitting continues until a time limit
				}
				t.Run(lie.name+"/"+n.String(), func(t *testing.T) {
					q := tenure(n, steps)
					rep, err := ask(t, q, &bent{solve: lie.solve}, false)
					sound(t, q, rep)
					if (err != nil) != lie.lost {
						t.Errorf("error %v", err)
					}
					if lie.lost && (rep.Verdict != engine.Undecided || !strings.Contains(err.Error(), lie.fault)) {
						t.Errorf("verdict %s, error %v", rep.Verdict, err)
					}
					if lie.fault == "" {
						if len(rep.Faults) > 0 || rep.Verdict != engine.Unfair {
							t.Errorf("verdict %s, faults %q", rep.Verdict, rep.Faults)
						}
					} else if !holdsFault(rep, lie.fault) && steps == 10 || len(rep.Faults) == 0 {
						t.Errorf("faults %q do not say %q", rep.Faults, lie.fault)
					}
				})
			}
		}
	}
}

// Where only the solver's points count, one that the host came across is no
// witness, and refutes the claim all the same.
func TestLiesWhereOnlyTheSolverCounts(t *testing.T) {
	for _, lie := range lies {
		for _, n := range fairness.Notions {
			if lie.fault == "" || lie.only != nil && lie.only[0] != n {
				continue
			}
			t.Run(lie.name+"/"+n.String(), func(t *testing.T) {
				q, s := tenure(n, 1<<20), &bent{solve: lie.solve}
				for _, maximise := range []bool{false, true} {
					rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Encoding: "bigm", Maximise: maximise, SolverOnly: true, Seed: 1})
					if rep == nil {
						t.Fatal(err)
					}
					sound(t, q, rep)
				}
			})
		}
	}
}

// TestLiesWhileMaximising asks solvers that go wrong once the verdict is in:
// verdict and witness stay, and no bound is believed that is wrong.
func TestLiesWhileMaximising(t *testing.T) {
	tier.NeedUsual(t)
	for i, lie := range lies {
		for _, n := range notions(i, nil) {
			t.Run(lie.name+"/"+n.String(), func(t *testing.T) {
				q := tenure(n, 5)
				rep, err := ask(t, q, &bent{from: 2, solve: lie.solve}, true)
				sound(t, q, rep)
				if rep.Verdict != engine.Unfair {
					t.Errorf("verdict %s", rep.Verdict)
				}
				if lie.lost && (err == nil || rep.Closed || rep.Reason == "" || !rep.HasBound) || !lie.lost && err != nil {
					t.Errorf("error %v, report %+v", err, rep)
				}
			})
		}
	}
}

// The bound beside a verdict covers all individuals, including those that were not examined
// once a witness was found.
func TestBoundBesideAnEarlyWitness(t *testing.T) {
	for _, n := range fairness.Notions {
		q := tenure(n, 10)
		e := reference.Enumerator{}
		d, err := e.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rep, err := engine.Run(t.Context(), q, engine.Options{Solver: e, Description: d, Encoding: "bigm"}) // eleven individuals: enumerated
		if err != nil || rep.Verdict != engine.Unfair || rep.Regions[engine.ByEnumeration] != 1 || rep.BoundGrade != sdk.GradeRigorous {
			t.Errorf("%s: error %v, report %+v", n, err, rep)
		}
		sound(t, q, rep)
	}
}

// A solver that fails with a point in hand has answered a question that wants
// any; while maximising, the point is kept.
func TestIncumbentOutlivesTheSolver(t *testing.T) {
	tier.NeedUsual(t)
	failing := map[string]func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error){
		"reported": func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			quiet := o
			quiet.Progress = nil
			r, err := right.Solve(ctx, p, quiet)
			if err == nil && r.Values != nil {
				o.Progress(sdk.Progress{Values: r.Values, Objective: r.Objective})
				o.Progress(sdk.Progress{Nodes: 9})
			}
			return nil, errLicence
		},
		"handed over": func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			o.Progress = nil
			r, err := right.Solve(ctx, p, o)
			if err != nil {
				return nil, err
			}
			return r, errLicence
		},
	}
	for name, solve := range failing {
		for _, n := range fairness.Notions {
			t.Run(name+"/"+n.String(), func(t *testing.T) {
				q := tenure(n, 10)
				rep, err := ask(t, q, &bent{solve: solve}, false)
				sound(t, q, rep)
				if err != nil || rep.Verdict != engine.Unfair || !holdsFault(rep, "no licence") {
					t.Errorf("error %v, verdict %s, faults %q", err, rep.Verdict, rep.Faults)
				}

				rep, err = ask(t, q, &bent{from: 2, solve: solve}, true)
				sound(t, q, rep)
				if !errors.Is(err, errLicence) || rep.Verdict != engine.Unfair || rep.Closed || !holdsFault(rep, "no licence") {
					t.Errorf("maximising: error %v, report %+v", err, rep)
				}
				if n == fairness.Logit && rep.Witness.Margin != 10 {
					t.Errorf("margin %v; the point reported before the end has 10", rep.Witness.Margin)
				}
			})
		}
	}
}
