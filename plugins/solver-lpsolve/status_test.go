package main

import (
	"math"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Every result of solve in lp_solve 5.5.2 (lp_lib.h), and some beyond.
func TestClaimOfEveryNativeStatus(t *testing.T) {
	milptest.Claims(t, claims, milp.Claims{
		-5: {Status: sdk.Unknown, Reason: sdk.Other},       // UNKNOWNERROR
		-4: {Status: sdk.Unknown, Reason: sdk.Other},       // DATAIGNORED
		-3: {Status: sdk.Unknown, Reason: sdk.Other},       // NOBFP
		-2: {Status: sdk.Unknown, Reason: sdk.MemoryLimit}, // NOMEMORY
		-1: {Status: sdk.Unknown, Reason: sdk.Other},       // NOTRUN
		0:  {Status: sdk.Optimal, Reason: sdk.NoReason},    // OPTIMAL
		1:  {Status: sdk.Unknown, Reason: sdk.Other},       // SUBOPTIMAL
		2:  {Status: sdk.Infeasible, Reason: sdk.NoReason}, // INFEASIBLE
		3:  {Status: sdk.Unknown, Reason: sdk.Other},       // UNBOUNDED
		4:  {Status: sdk.Unknown, Reason: sdk.Numerical},   // DEGENERATE
		5:  {Status: sdk.Unknown, Reason: sdk.Numerical},   // NUMFAILURE
		6:  {Status: sdk.Unknown, Reason: sdk.Interrupted}, // USERABORT
		7:  {Status: sdk.Unknown, Reason: sdk.TimeLimit},   // TIMEOUT
		8:  {Status: sdk.Unknown, Reason: sdk.Other},       // RUNNING
		9:  {Status: sdk.Unknown, Reason: sdk.Other},       // PRESOLVED
		10: {Status: sdk.Unknown, Reason: sdk.Numerical},   // PROCFAIL
		11: {Status: sdk.Unknown, Reason: sdk.Interrupted}, // PROCBREAK
		12: {Status: sdk.Unknown, Reason: sdk.Other},       // FEASFOUND
		13: {Status: sdk.Unknown, Reason: sdk.Numerical},   // NOFEASFOUND
		25: {Status: sdk.Unknown, Reason: sdk.Numerical},   // ACCURACYERROR
	})
}

// lp_solve's claims are trusted only as far as its points and settings allow.
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
			s, err := options.Read(nil)
			if err != nil {
				t.Fatal(err)
			}
			q, err := newQuestion(nil, milp.Question{MILP: &m}, s)
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
