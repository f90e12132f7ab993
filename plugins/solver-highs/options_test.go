package main

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestOptionsAreChecked(t *testing.T) {
	rig.Refusals(t, options.Read, map[[2]string]string{
		{"speed", "high"}:                 `no option "speed"`,
		{"presolve", "maybe"}:             "choose, on, off",
		{"mip_detect_symmetry", "1"}:      "true, false",
		{"mip_heuristic_effort", "2"}:     "from 0 to 1",
		{"mip_heuristic_effort", "NaN"}:   "from 0 to 1",
		{primalTolerance, "0"}:            "from 1e-10 to 0.001",
		{mipTolerance, "a little"}:        "from 1e-10 to 0.001",
		{absoluteGap, "-1"}:               "from 0 to 1e+06",
		{absoluteGap, ""}:                 "from 0 to 1e+06",
		{"mip_feasibility_tolerance", ""}: "from 1e-10 to 0.001",
	})
}

// HiGHS knows every option by the name given here, at its default and at both
// ends of its range.
func TestOptionsAreHiGHSs(t *testing.T) {
	m := &problem.MILP{Columns: []problem.Column{{Hi: 3, Integer: true}}, Objective: problem.Objective{Maximise: true, Terms: terms(1)}}
	for _, o := range options {
		values := o.Words
		if values == nil {
			values = []string{o.Default, problem.Number{Float: o.Min}.String(), problem.Number{Float: o.Max}.String()}
		}
		for _, v := range values {
			if r := solve(t, m, sdk.SolveOptions{Options: map[string]string{o.Name: v}}); r.Status != sdk.Optimal {
				t.Errorf("%s=%s: %v (%s)", o.Name, v, r.Status, r.Native)
			}
		}
	}
}

func TestToleranceIsTheOneItRunsWith(t *testing.T) {
	m := &problem.MILP{Columns: []problem.Column{{Hi: 3, Integer: true}}, Objective: problem.Objective{Maximise: true, Terms: terms(1)}}
	for _, c := range []struct {
		options map[string]string
		want    float64
	}{
		{nil, 1e-6},
		{map[string]string{mipTolerance: "1e-9"}, 1e-7},
		{map[string]string{primalTolerance: "1e-5"}, 1e-5},
		{map[string]string{mipTolerance: "1e-4", primalTolerance: "1e-9"}, 1e-4},
	} {
		if r := solve(t, m, sdk.SolveOptions{Options: c.options}); r.Tolerance != c.want {
			t.Errorf("%v: tolerance %g, want %g", c.options, r.Tolerance, c.want)
		}
	}
}

// Numbers that HiGHS would drop from a row or refuse are accounted for.
func TestExtremeCoefficients(t *testing.T) {
	s := rig.Need(t, solver)
	row := func(c float64) []problem.Row {
		return []problem.Row{{Name: "odd", Lo: 0, Hi: 5, Terms: terms(1, c)}}
	}
	columns := []problem.Column{{Hi: 3, Integer: true}, {Lo: -1e7, Hi: 2e7}}
	m := &problem.MILP{Columns: columns, Rows: row(1e-12), Objective: problem.Objective{Maximise: true, Terms: terms(1)}}
	if r := solve(t, m, sdk.SolveOptions{}); math.Abs(r.Tolerance-2e-5) > 1e-12 {
		t.Errorf("tolerance %g, want 2e-5 for a coefficient left out", r.Tolerance)
	}
	m.Rows = row(1e-11)
	if r := solve(t, m, sdk.SolveOptions{}); r.Tolerance != 1e-6 {
		t.Errorf("tolerance %g, want 1e-6: 1e-11 is not left out", r.Tolerance)
	}
	for name, bad := range map[string]*problem.MILP{
		"left out without bound": {Columns: []problem.Column{{}, {Hi: inf}}, Rows: row(1e-12)},
		"too large":              {Columns: columns, Rows: row(1e15)},
		"too large a cost":       {Columns: columns, Objective: problem.Objective{Terms: terms(1e20)}},
	} {
		_, err := s.Solve(context.Background(), &problem.Problem{MILP: bad}, sdk.SolveOptions{})
		if !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), "coefficient") {
			t.Errorf("%s: error %v, want ErrUnsupported", name, err)
		}
	}
}
