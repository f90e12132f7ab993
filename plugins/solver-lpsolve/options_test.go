package main

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestOptionsAreChecked(t *testing.T) {
	rig.Refusals(t, options.Read, map[[2]string]string{
		{"speed", "high"}:       `no option "speed"`,
		{"presolve", "3"}:       `no option "presolve"`,
		{scaling, "2048"}:       "from 0 to 2047",
		{scaling, "-1"}:         "from 0 to 2047",
		{scaling, "geometric"}:  "from 0 to 2047",
		{rule, "4.5"}:           "from 0 to 65535",
		{improve, ""}:           "from 0 to 15",
		{floor, "1"}:            "floor, ceiling, automatic",
		{epsilon, "loosest"}:    "tight, medium, loose, baggy",
		{portfolio, "yes"}:      "on, off",
		{"mip_gap", "1"}:        `no option "mip_gap"`,
		{improve, "1000000000"}: "from 0 to 15",
	})
}

// With any options, a small problem's point is right; an optimum is claimed with the
// trusted scaling only.
func TestOptionsReachLpSolve(t *testing.T) {
	m := &problem.MILP{
		Columns:   []problem.Column{{Hi: 3, Integer: true}, {Hi: 3, Integer: true}},
		Rows:      []problem.Row{{Lo: noBound, Hi: 7, Terms: terms(2, 2)}},
		Objective: problem.Objective{Maximise: true, Terms: terms(1, 1)},
	}
	for _, o := range options {
		values := o.Words
		if values == nil {
			values = []string{"0", "1", "3", "4", "5", strconv.Itoa(int(o.Max) - int(o.Max)%64)}
		}
		for _, v := range values {
			r := solve(t, m, sdk.SolveOptions{Options: map[string]string{o.Name: v}})
			want := sdk.Optimal
			if o.Name == scaling && v != "4" {
				want = sdk.Feasible
			}
			if r.Status != want || r.Objective != 3 {
				t.Errorf("%s=%s: %v at %v (%s)", o.Name, v, r.Status, r.Objective, r.Native)
			}
			infeasible := *m
			infeasible.Rows = []problem.Row{{Lo: 3, Hi: 3, Terms: terms(2, 2)}}
			r = solve(t, &infeasible, sdk.SolveOptions{Options: map[string]string{o.Name: v}})
			if believed := r.Status == sdk.Infeasible; believed != (want == sdk.Optimal) {
				t.Errorf("%s=%s: %v, %v; infeasible is believed at scaling 4 only", o.Name, v, r.Status, r.Reason)
			}
		}
	}
}

func TestToleranceFollowsEpsilon(t *testing.T) {
	m := &problem.MILP{Columns: []problem.Column{{Hi: 3, Integer: true}}, Objective: problem.Objective{Maximise: true, Terms: terms(1)}}
	for level, want := range map[string]float64{"tight": 1e-6, "medium": 1e-6, "loose": 1e-5, "baggy": 1e-4} {
		if r := solve(t, m, sdk.SolveOptions{Options: map[string]string{epsilon: level}}); r.Tolerance != want {
			t.Errorf("%s: tolerance %g, want %g", level, r.Tolerance, want)
		}
	}
}

// Numbers that lp_solve would drop from a row or treat as infinite are accounted for.
func TestExtremeNumbers(t *testing.T) {
	s := rig.Need(t, solver)
	row := func(c float64) []problem.Row {
		return []problem.Row{{Name: "odd", Lo: 0, Hi: 5, Terms: terms(1, c)}}
	}
	columns := []problem.Column{{Hi: 3, Integer: true}, {Lo: -1e6, Hi: 2e6}}
	m := &problem.MILP{Columns: columns, Rows: row(1e-11), Objective: problem.Objective{Maximise: true, Terms: terms(1)}}
	if r := solve(t, m, sdk.SolveOptions{}); math.Abs(r.Tolerance-2e-5) > 1e-12 {
		t.Errorf("tolerance %g, want 2e-5 for a coefficient left out", r.Tolerance)
	}
	m.Rows = row(1e-10)
	if r := solve(t, m, sdk.SolveOptions{}); r.Tolerance != 1e-6 {
		t.Errorf("tolerance %g, want 1e-6: 1e-10 is not left out", r.Tolerance)
	}
	for name, bad := range map[string]*problem.MILP{
		"left out without bound": {Columns: []problem.Column{{}, {Hi: inf}}, Rows: row(1e-12)},
		"coefficient":            {Columns: columns, Rows: row(1e30)},
		"cost":                   {Columns: columns, Objective: problem.Objective{Terms: terms(1e30)}},
		"bound":                  {Columns: []problem.Column{{Hi: 1e31}}},
		"side":                   {Columns: columns, Rows: []problem.Row{{Lo: -1e31, Hi: 0, Terms: terms(1)}}},
	} {
		_, err := s.Solve(context.Background(), &problem.Problem{MILP: bad}, sdk.SolveOptions{})
		if !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), "lp_solve") {
			t.Errorf("%s: error %v, want ErrUnsupported", name, err)
		}
	}
}
