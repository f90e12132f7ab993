package main

import (
	"math"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/milptest"
	"github.com/hyfair/hyfair/sdk/watch"
)

// Every result of solve in lp_solve 5.5.2 (lp_lib.h), and some beyond.
func TestClaimOfEveryNativeStatus(t *testing.T) {
	type want struct {
		status sdk.Status
		reason sdk.Reason
	}
	known := map[int]want{
		-5: {sdk.Unknown, sdk.Other},       // UNKNOWNERROR
		-4: {sdk.Unknown, sdk.Other},       // DATAIGNORED
		-3: {sdk.Unknown, sdk.Other},       // NOBFP
		-2: {sdk.Unknown, sdk.MemoryLimit}, // NOMEMORY
		-1: {sdk.Unknown, sdk.Other},       // NOTRUN
		0:  {sdk.Optimal, sdk.NoReason},    // OPTIMAL
		1:  {sdk.Unknown, sdk.Other},       // SUBOPTIMAL
		2:  {sdk.Infeasible, sdk.NoReason}, // INFEASIBLE
		3:  {sdk.Unknown, sdk.Other},       // UNBOUNDED
		4:  {sdk.Unknown, sdk.Numerical},   // DEGENERATE
		5:  {sdk.Unknown, sdk.Numerical},   // NUMFAILURE
		6:  {sdk.Unknown, sdk.Interrupted}, // USERABORT
		7:  {sdk.Unknown, sdk.TimeLimit},   // TIMEOUT
		8:  {sdk.Unknown, sdk.Other},       // RUNNING
		9:  {sdk.Unknown, sdk.Other},       // PRESOLVED
		10: {sdk.Unknown, sdk.Numerical},   // PROCFAIL
		11: {sdk.Unknown, sdk.Interrupted}, // PROCBREAK
		12: {sdk.Unknown, sdk.Other},       // FEASFOUND
		13: {sdk.Unknown, sdk.Numerical},   // NOFEASFOUND
		25: {sdk.Unknown, sdk.Numerical},   // ACCURACYERROR
	}
	names := map[string]bool{}
	for code := -10; code <= 40; code++ {
		c := claimOf(code)
		w, listed := known[code]
		if !listed {
			w = want{sdk.Unknown, sdk.Other}
		}
		if c.status != w.status || c.reason != w.reason {
			t.Errorf("status %d: %v, %v; want %v, %v", code, c.status, c.reason, w.status, w.reason)
		}
		if c.native == "" || names[c.native] {
			t.Errorf("status %d: native text %q is empty or not its own", code, c.native)
		}
		names[c.native] = true
	}
	if len(claims) != len(known) {
		t.Errorf("%d statuses mapped, %d known", len(claims), len(known))
	}
}

// What lp_solve says is believed only as far as its points and settings allow.
func TestConclusions(t *testing.T) {
	nan := math.NaN()
	integer := problem.MILP{Columns: []problem.Column{{Hi: 9, Integer: true}}, Objective: problem.Objective{Maximise: true, Terms: terms(1)}}
	five, seven := []float64{5}, []float64{7}
	for _, c := range []struct {
		name    string
		o       outcome
		decide  bool
		status  sdk.Status
		reason  sdk.Reason
		bound   float64 // NaN: none
		without bool    // no point
	}{
		{name: "optimal", o: outcome{trusted: true, point: seven, best: 7, relaxation: 8}, status: sdk.Optimal, bound: 7},
		{name: "optimal, scaling not trusted", o: outcome{point: seven, best: 7, relaxation: nan}, status: sdk.Feasible, reason: sdk.Numerical, bound: nan},
		{name: "optimal, its point breaks the rows", o: outcome{trusted: true, best: 7, relaxation: 8}, status: sdk.Unknown, reason: sdk.Numerical, bound: 8, without: true},
		{name: "optimal, its point had to be mended", o: outcome{trusted: true, point: five, best: 7, relaxation: 8}, status: sdk.Feasible, reason: sdk.Numerical, bound: 8},
		{name: "optimal, and a better point is known", o: outcome{trusted: true, point: five, known: seven, best: 5, relaxation: 8}, status: sdk.Feasible, reason: sdk.Numerical, bound: 8},
		{name: "infeasible", o: outcome{code: statusInfeasible, trusted: true, relaxation: nan}, status: sdk.Infeasible, bound: nan, without: true},
		{name: "infeasible, scaling not trusted", o: outcome{code: statusInfeasible, relaxation: nan}, status: sdk.Unknown, reason: sdk.Numerical, bound: nan, without: true},
		{name: "infeasible, and a point is known", o: outcome{code: statusInfeasible, trusted: true, known: five, relaxation: nan}, status: sdk.Feasible, reason: sdk.Numerical, bound: nan},
		{name: "stopped in a branch without points", o: outcome{code: statusInfeasible, end: stopped, reason: sdk.TimeLimit, trusted: true, relaxation: 8}, status: sdk.Unknown, reason: sdk.TimeLimit, bound: 8, without: true},
		{name: "stopped after the last branch", o: outcome{code: statusOptimal, end: stopped, reason: sdk.Interrupted, trusted: true, point: five, best: 5, relaxation: 8}, status: sdk.Feasible, reason: sdk.Interrupted, bound: 8},
		{name: "stalled", o: outcome{end: stalled, trusted: true, relaxation: 8}, status: sdk.Unknown, reason: sdk.Numerical, bound: 8, without: true},
		{name: "stalled beside a point that will do", o: outcome{end: stalled, known: five, relaxation: nan}, decide: true, status: sdk.Feasible, bound: nan},
		{name: "relaxation worse than a point", o: outcome{end: stopped, reason: sdk.WorkLimit, known: five, relaxation: 3}, status: sdk.Feasible, reason: sdk.WorkLimit, bound: nan},
		{name: "numerical failure", o: outcome{code: 5, trusted: true, known: five, relaxation: 8}, status: sdk.Feasible, reason: sdk.Numerical, bound: 8},
		{name: "any scaling's point", o: outcome{code: 1, point: five, relaxation: nan}, decide: true, status: sdk.Feasible, bound: nan},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := integer
			if c.decide {
				m.Objective = problem.Objective{}
			}
			s, err := parseOptions(nil)
			if err != nil {
				t.Fatal(err)
			}
			q, err := newQuestion(nil, watch.Question{MILP: &m}, s)
			if err != nil {
				t.Fatal(err)
			}
			r := q.conclude(c.o)
			milptest.Check(t, &m, r)
			if r.Status != c.status || r.Reason != c.reason || r.HasPoint() == c.without {
				t.Errorf("%v, %v (%s), point %v; want %v, %v", r.Status, r.Reason, r.Detail, r.HasPoint(), c.status, c.reason)
			}
			if r.HasBound == math.IsNaN(c.bound) || r.HasBound && r.Bound != c.bound {
				t.Errorf("bound %v (%v), want %v", r.Bound, r.HasBound, c.bound)
			}
		})
	}
}
