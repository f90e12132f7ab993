package milptest

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/record"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Properties that are to fail do so each time, leave no files, and need not fail in
// the least way.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("rapid.seed", "1")
	flag.Set("rapid.nofailfile", "true")
	flag.Set("rapid.shrinktime", "0s")
	os.Exit(m.Run())
}

// fails checks that a check fails in these words; with none, that it passes.
func fails(t *testing.T, name, want string, check func(testing.TB)) {
	t.Helper()
	got := record.Of(t, check)
	switch {
	case got.Skipped != "":
		t.Logf("%s: %s", name, got.Skipped)
	case want == "" && got.Failed() != "", !strings.Contains(got.Failed(), want):
		t.Errorf("%s: %q, want %q", name, got.Failed(), want)
	}
}

// Every test of a limit is passed by a solver that keeps them, and failed by one
// that does not.
func TestLimits(t *testing.T) {
	tests := map[string]func(testing.TB, sdk.Solver){
		"cancel": Cancel, "cancelled": Cancelled, "time": TimeLimits, "work": WorkLimit, "memory": MemoryLimit,
		"target": Target, "gap": Gap, "progress": Progress, "twice": SameTwice,
	}
	for name, test := range tests {
		fails(t, name, "", func(t testing.TB) { test(t, greedy{}) })
	}
	calls := int64(0)
	for _, c := range []struct {
		test, want string
		forget     func(*sdk.SolveOptions)
		lie        func(*sdk.Result)
	}{
		{"cancel", "2 threads: feasible, interrupted, bound false", nil, func(r *sdk.Result) { r.HasBound = false }},
		{"cancel", "1 threads: feasible, time limit", func(o *sdk.SolveOptions) { o.TimeLimit, o.Progress = time.Millisecond, nil }, nil},
		{"cancel", "1 threads: unknown, interrupted", nil, func(r *sdk.Result) { r.Status, r.Values = sdk.Unknown, nil }},
		{"cancelled", "want interrupted", nil, func(r *sdk.Result) { r.Reason = sdk.Other }},
		{"time", "200ms: stopped after 1ns", nil, func(r *sdk.Result) { r.Elapsed = 1 }},
		{"time", "1ms: feasible, interrupted (greedy); want the time limit", nil, func(r *sdk.Result) { r.Reason = sdk.Interrupted }},
		{"time", "optimal, and yet stopped short: time limit", nil, func(r *sdk.Result) { r.Status = sdk.Optimal }},
		{"work", "59000 nodes for a limit of 60", func(o *sdk.SolveOptions) { o.WorkLimit = 59_000 }, nil},
		{"work", "0 nodes for a limit of 60", nil, func(r *sdk.Result) { r.Nodes = 0 }},
		{"work", "want an incumbent at the work limit", nil, func(r *sdk.Result) { r.Status, r.Values = sdk.Unknown, nil }},
		{"work", "want an incumbent at the work limit", nil, func(r *sdk.Result) { r.Reason = sdk.TimeLimit }},
		{"memory", "want the memory limit", func(o *sdk.SolveOptions) { o.Memory, o.TimeLimit = 0, time.Millisecond }, nil},
		{"target", "want a point that reaches the target", func(o *sdk.SolveOptions) { o.Target, o.WorkLimit = nil, 10 }, nil},
		{"gap", "want them within half", func(o *sdk.SolveOptions) { o.Gap, o.WorkLimit = 0, 10 }, nil},
		{"gap", "want them within half", nil, func(r *sdk.Result) { r.Bound = 1 }},
		{"progress", "0 reports", func(o *sdk.SolveOptions) { o.Progress = nil }, nil},
		{"progress", "bounded false", retelling(func(p *sdk.Progress) { p.HasBound = false }), nil},
		{"progress", "above a point's objective", retelling(func(p *sdk.Progress) { p.Bound = 1e6 }), nil},
		{"progress", "last incumbent <nil>", retelling(func(p *sdk.Progress) { p.Values = nil }), nil},
		{"progress", "the incumbent's is", retelling(func(p *sdk.Progress) { p.Objective-- }), nil},
		{"progress", "incumbent violates the problem by", retelling(func(p *sdk.Progress) {
			p.Values = append([]problem.Number{{Float: 0.5}}, p.Values[1:]...)
		}), nil},
		{"progress", " after ", func(o *sdk.SolveOptions) {
			told := o.Progress
			o.Progress = func(p sdk.Progress) { told(p); told(p) }
		}, nil},
		{"twice", "same problem and seed, but the results differ", nil, func(r *sdk.Result) { calls++; r.Nodes = calls }},
	} {
		fails(t, c.test, c.want, func(t testing.TB) { tests[c.test](t, greedy{forget: c.forget, lie: c.lie}) })
	}
}

// retelling has progress told otherwise.
func retelling(change func(*sdk.Progress)) func(*sdk.SolveOptions) {
	return func(o *sdk.SolveOptions) {
		told := o.Progress
		if told == nil {
			return
		}
		o.Progress = func(p sdk.Progress) { change(&p); told(p) }
	}
}

// What is claimed of small problems, and of drawn ones, is held against the
// truth.
func TestTruth(t *testing.T) {
	for _, c := range small {
		if c.name == "integer, unbounded" || c.name == "unbounded direction, yet infeasible" {
			continue // an enumeration cannot tell
		}
		fails(t, c.name, "", func(t testing.TB) { c.ask(t, numerical{}, "unbounded") })
		switch {
		case c.reason == sdk.Other:
			fails(t, c.name, "a detail with", func(t testing.TB) { c.ask(t, numerical{}, "open") })
			fails(t, c.name, "a detail with", func(t testing.TB) {
				c.ask(t, numerical{lie: func(_ *problem.MILP, r *sdk.Result) { r.Detail = "" }}, "unbounded")
			})
		case c.status == sdk.Optimal:
			fails(t, c.name, "want optimal", func(t testing.TB) {
				c.ask(t, numerical{lie: func(_ *problem.MILP, r *sdk.Result) { r.Status, r.Reason = sdk.Feasible, sdk.WorkLimit }}, "")
			})
			c.best++
			fails(t, c.name, "objective ", func(t testing.TB) { c.ask(t, numerical{}, "") })
		case c.status == sdk.Infeasible:
			fails(t, c.name, "want infeasible", func(t testing.TB) {
				c.ask(t, numerical{lie: func(_ *problem.MILP, r *sdk.Result) { r.Status, r.Reason = sdk.Unknown, sdk.Other }}, "")
			})
		}
	}
	for _, c := range []struct {
		want string
		lie  func(*problem.MILP, *sdk.Result)
	}{
		{"", nil},
		{"enumeration finds", func(_ *problem.MILP, r *sdk.Result) { r.HasBound = false }},
		{"enumeration finds", func(m *problem.MILP, r *sdk.Result) { r.Bound = beyond(m, r.Bound) }},
		{"want infeasible", func(_ *problem.MILP, r *sdk.Result) {
			if r.Status == sdk.Infeasible {
				r.Status, r.Reason = sdk.Unknown, sdk.Numerical
			}
		}},
		{"want feasible", func(m *problem.MILP, r *sdk.Result) {
			if len(m.Objective.Terms) == 0 && r.Status == sdk.Feasible {
				r.Status = sdk.Optimal
			}
		}},
	} {
		s := numerical{lie: c.lie}
		fails(t, "optima", c.want, func(t testing.TB) { Optima(t, s) })
		fails(t, "deltas", c.want, func(t testing.TB) { Deltas(t, s) })
	}
}

// beyond is a weaker bound.
func beyond(m *problem.MILP, bound float64) float64 {
	if m.Objective.Maximise {
		return bound + 1
	}
	return bound - 1
}

// A result must hold together, whatever it claims.
func TestCheck(t *testing.T) {
	m := &problem.MILP{Columns: known.Integers(2, 0, 3), Rows: []problem.Row{known.Row(-inf, 4, 1, 1)}, Objective: known.Max(2, 1)}
	for want, change := range map[string]func(*sdk.Result){
		"":                            func(*sdk.Result) {},
		"the status is":               func(r *sdk.Result) { r.Status = 0 },
		"optimal with 0 values for 2": func(r *sdk.Result) { r.Values = nil },
		"unknown without a reason":    func(r *sdk.Result) { r.Status = sdk.Unknown },
		"tolerance 0.01":              func(r *sdk.Result) { r.Tolerance = 0.01 },
		"tolerance 0":                 func(r *sdk.Result) { r.Tolerance = 0 },
		"no native status":            func(r *sdk.Result) { r.Native = "" },
		"1 values for 2 columns":      func(r *sdk.Result) { r.Values = r.Values[:1] },
		"the point breaks row 0 (r) by 1": func(r *sdk.Result) {
			r.Values = problem.Floats([]float64{3, 2})
		},
		"claimed is 6.5; at the point held it is 7": func(r *sdk.Result) { r.Objective = 6.5 },
		"bound 6 contradicts the objective 7":       func(r *sdk.Result) { r.Bound = 6 },
		"integrality of column 0 (x0) by 0.5; the":  func(r *sdk.Result) { r.Values = problem.Floats([]float64{2.5, 1}) },
	} {
		r := &sdk.Result{Status: sdk.Optimal, Native: "optimal", Tolerance: 1e-6, Values: problem.Floats([]float64{3, 1}), Objective: 7, Bound: 7, HasBound: true}
		change(r)
		fails(t, "check", want, func(t testing.TB) { Check(t, m, r) })
	}
}

// A subset is among a market split's points, and none with the row NoSubset.
func TestMarketSplit(t *testing.T) {
	m := MarketSplit(2, 6)
	_, x, _ := split(m)
	if v := m.Violation(x); v > 0 {
		t.Errorf("a subset breaks the rows by %g", v)
	}
	m.Rows = append(m.Rows, NoSubset(m))
	if m.Violation(x) == 0 {
		t.Error("a subset's sum is below 0")
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}
