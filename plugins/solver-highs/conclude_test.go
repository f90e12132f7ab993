package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// HiGHS may claim infeasibility and hold a point: a feasible point refutes the claim, any
// other is dropped.
func TestInfeasibleBesideAPoint(t *testing.T) {
	m := &problem.MILP{Columns: []problem.Column{{Hi: 3, Integer: true}}, Rows: []problem.Row{{Lo: 1, Hi: 2, Terms: terms(1)}}}
	q := question{Question: milp.Question{MILP: m, Tolerance: 1e-6}}
	infeasible := 0
	for code, claim := range claims {
		if claim.Status == sdk.Infeasible {
			infeasible = code
		}
	}
	for _, c := range []struct {
		point  []float64
		status sdk.Status
		reason sdk.Reason
	}{{[]float64{2}, sdk.Feasible, sdk.Numerical}, {[]float64{3}, sdk.Infeasible, sdk.NoReason}, {nil, sdk.Infeasible, sdk.NoReason}} {
		r := q.conclude(outcome{code: infeasible, point: c.point})
		if r.Status != c.status || r.Reason != c.reason || r.HasPoint() != (c.status == sdk.Feasible) {
			t.Errorf("beside %v: %+v", c.point, r)
		}
	}
}
