package milptest

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

// answer is a problem with its right answer.
type answer struct {
	name   string
	milp   problem.MILP
	status sdk.Status
	reason sdk.Reason // Other: the objective has no bound
	best   float64
}

// small lists problems with known answers that package conformance does not ask.
var small = []answer{
	{
		name:   "fractional bounds round inwards",
		milp:   problem.MILP{Columns: known.Integers(1, 0.3, 4.7), Objective: known.Max(1)},
		status: sdk.Optimal, best: 4,
	},
	{
		name:   "no columns, rows hold",
		milp:   problem.MILP{Rows: []problem.Row{{Lo: -1, Hi: 0}}, Objective: problem.Objective{Offset: 3}},
		status: sdk.Feasible, best: 3,
	},
	{
		name:   "no columns, a row does not hold",
		milp:   problem.MILP{Rows: []problem.Row{{Lo: 1, Hi: 2}}},
		status: sdk.Infeasible,
	},
	{
		name:   "linear",
		milp:   problem.MILP{Columns: known.Reals(2, 0, inf), Rows: []problem.Row{known.Row(-inf, 4, 1, 2), known.Row(-inf, 5, 3, 1)}, Objective: known.Max(1, 1)},
		status: sdk.Optimal, best: 2.6,
	},
	{
		name:   "linear, unbounded",
		milp:   problem.MILP{Columns: known.Reals(2, 0, inf), Rows: []problem.Row{known.Row(-inf, 1, 1, -1)}, Objective: known.Max(1, 0)},
		status: sdk.Feasible, reason: sdk.Other,
	},
	{
		name:   "linear, unbounded, no rows",
		milp:   problem.MILP{Columns: known.Reals(1, -inf, inf), Objective: known.Max(-1)},
		status: sdk.Feasible, reason: sdk.Other,
	},
	{
		// A guess of the least step between objectives, such as lp_solve's, may
		// cut this off.
		name:   "integers with an offset",
		milp:   problem.MILP{Columns: known.Integers(2, 0, 2), Rows: []problem.Row{known.Row(-inf, 3, 2, 2)}, Objective: problem.Objective{Offset: 1, Terms: Terms(-1)}},
		status: sdk.Optimal, best: 0,
	},
	{
		name:   "integer, unbounded",
		milp:   problem.MILP{Columns: known.Integers(2, 0, inf), Rows: []problem.Row{known.Row(-inf, 1, 1, -1)}, Objective: known.Max(1, 0)},
		status: sdk.Feasible, reason: sdk.Other,
	},
	{
		name:   "unbounded direction, yet infeasible",
		milp:   problem.MILP{Columns: known.Integers(3, 0, inf), Rows: []problem.Row{known.Row(-inf, 1, 1, -1), known.Row(1, 1, 0, 0, 2)}, Objective: known.Max(1, 0)},
		status: sdk.Infeasible,
	},
}

// Answers asks small problems with known answers. If the objective is unbounded, the
// solver must say "no bound" in Result.Detail, have the native status unbounded, and
// hold a point.
func Answers(t *testing.T, s sdk.Solver, unbounded string) {
	for _, c := range small {
		t.Run(c.name, func(t *testing.T) { c.ask(t, s, unbounded) })
	}
}

func (c answer) ask(t testing.TB, s sdk.Solver, unbounded string) {
	r := Solve(t, s, &c.milp, sdk.SolveOptions{})
	if r.Status != c.status || r.Reason != c.reason {
		t.Fatalf("%v, %v (native %q, %s); want %v, %v", r.Status, r.Reason, r.Native, r.Detail, c.status, c.reason)
	}
	if c.reason == sdk.NoReason && r.HasPoint() && len(c.milp.Objective.Terms) > 0 && math.Abs(r.Objective-c.best) > 1e-6 {
		t.Errorf("objective %v, want %v", r.Objective, c.best)
	}
	if len(c.milp.Columns) == 0 && r.Objective != c.best {
		t.Errorf("objective %v, want %v", r.Objective, c.best)
	}
	if c.reason == sdk.Other && (r.Native != unbounded || r.HasBound || !strings.Contains(r.Detail, "no bound")) {
		t.Errorf("native %q, bound %v, detail %q; want %q, false and a detail with \"no bound\"", r.Native, r.HasBound, r.Detail, unbounded)
	}
}

// SameTwice asks one problem twice, and then with three threads, under a work limit:
// the results must differ only in their time.
func SameTwice(t testing.TB, s sdk.Solver) {
	t.Helper()
	m, o := Repeatable()
	first := Solve(t, s, m, o)
	Same(t, first, Solve(t, s, m, o), "same problem and seed")
	o.Threads = 3
	Same(t, first, Solve(t, s, m, o), "three threads")
}

// Repeatable returns a problem with a work limit that stops its search early. A solver
// that is not deterministic may give two different results for it.
func Repeatable() (*problem.MILP, sdk.SolveOptions) {
	return MarketSplit(3, 16), sdk.SolveOptions{Seed: 7, WorkLimit: 100}
}

// Same fails if two results differ in more than the time they took; when says what
// should have made them the same.
func Same(t testing.TB, first, second *sdk.Result, when string) {
	t.Helper()
	if diff := cmp.Diff(first, second, cmpopts.IgnoreFields(sdk.Result{}, "Elapsed")); diff != "" {
		t.Errorf("%s, but the results differ:\n%s", when, diff)
	}
}

// Claims compares the solver's table, claims, with the expected one, all: both must list
// the same codes with the same statuses and reasons. Codes that are not listed must be
// Unknown, Other. No two codes may have the same native text.
func Claims(t testing.TB, claims, all milp.Claims) {
	t.Helper()
	if len(claims) != len(all) {
		t.Errorf("%d statuses mapped, %d known", len(claims), len(all))
	}
	names := map[string]bool{}
	for code := -10; code < 100; code++ {
		c, want := claims.Of(code), milp.Claim{Status: sdk.Unknown, Reason: sdk.Other}
		if k, ok := all[code]; ok {
			want = k
		}
		if c.Status != want.Status || c.Reason != want.Reason {
			t.Errorf("status %d: %v, %v; want %v, %v", code, c.Status, c.Reason, want.Status, want.Reason)
		}
		if c.Native == "" || names[c.Native] {
			t.Errorf("status %d: native text %q is empty or repeated", code, c.Native)
		}
		names[c.Native] = true
	}
}

// Process checks that a solver in another process keeps a Hard problem, changes it, and
// stops at a work limit. limit must be enough work to prove the problem infeasible, or
// to find a point. It returns the result of the stopped search.
func Process(t testing.TB, s sdk.Incremental, limit int64) *sdk.Result {
	t.Helper()
	m := Hard()
	none := []problem.Row{NoSubset(m)}
	r := rig.Walk(t, rig.Load(t, s, &problem.Problem{MILP: m}),
		rig.Step{Delta: problem.Delta{Push: 1}, Options: sdk.SolveOptions{WorkLimit: 20}},
		rig.Step{Delta: problem.Delta{Rows: none}, Options: sdk.SolveOptions{WorkLimit: limit}, Want: sdk.Infeasible},
		rig.Step{Delta: problem.Delta{Pop: 1}, Options: sdk.SolveOptions{WorkLimit: limit}, Want: sdk.Feasible})
	Check(t, m, r[0])
	if r[0].Reason != sdk.WorkLimit || !r[0].HasBound {
		t.Errorf("%v, %v, bound %v; want the work limit and a bound", r[0].Status, r[0].Reason, r[0].HasBound)
	}
	return r[0]
}
