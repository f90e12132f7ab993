package main

import (
	"math"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestPhasesComeFirst(t *testing.T) {
	phase := func(priority int) problem.Column {
		return problem.Column{Hi: 1, Integer: true, Role: problem.RoleReLU, Priority: priority}
	}
	m := &problem.MILP{Columns: []problem.Column{
		{Hi: 1, Role: problem.RoleNeuron}, phase(1), {Hi: 9, Integer: true, Role: problem.RoleInput}, phase(2), phase(2),
		{Hi: 1, Integer: true, Priority: 5}, {Hi: 1},
	}}
	if got, want := branchingOrder(m), []int{3, 4, 1, 5, 2, 0, 6}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// The answer is in the problem's order of columns, not in lp_solve's.
func TestAnswersAreInTheProblemsOrder(t *testing.T) {
	m := &problem.MILP{
		Columns: []problem.Column{
			{Hi: 10}, {Hi: 7, Integer: true}, {Hi: 1, Integer: true, Role: problem.RoleReLU, Priority: 1}, {Lo: -4, Hi: 4, Integer: true, Priority: 3},
		},
		Rows: []problem.Row{
			{Lo: 2.5, Hi: 2.5, Terms: terms(1)}, {Lo: 5, Hi: 6, Terms: terms(0, 1)}, {Lo: 1, Hi: 1, Terms: terms(0, 0, 1)},
			{Lo: 0.5, Hi: 0.5, Terms: terms(1, 0, 1, 1)},
		},
		Objective: problem.Objective{Maximise: true, Offset: 0.5, Terms: terms(0, 1)},
	}
	r := solve(t, m, sdk.SolveOptions{})
	if want := []float64{2.5, 6, 1, -3}; !closeTo(problem.Float64s(r.Values), want) || r.Objective != 6.5 {
		t.Errorf("%v at %v, want %v at 6.5", problem.Float64s(r.Values), r.Objective, want)
	}
}

func closeTo(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-9 })
}

func TestDirection(t *testing.T) {
	columns := []problem.Column{{Hi: 2}, {Hi: 3, Integer: true}, {Hi: inf}}
	for _, c := range []struct {
		name string
		row  problem.Row
		want []float64 // of the model: the integer column first
	}{
		{"at least", problem.Row{Lo: 1, Hi: inf, Terms: terms(2, -3)}, []float64{3, -2, 0}},
		{"at most", problem.Row{Lo: noBound, Hi: 1, Terms: terms(2, -3)}, []float64{-3, 2, 0}},
		{"equal", problem.Row{Lo: 1, Hi: 1, Terms: terms(2, -3)}, []float64{0, 0, 0}},
		{"unbounded", problem.Row{Lo: 1, Hi: inf, Terms: terms(2, -3, 1)}, []float64{0, 0, 0}},
	} {
		m := &problem.MILP{Columns: columns, Rows: []problem.Row{{Lo: 0, Hi: 1, Terms: terms(1, 1)}, c.row}}
		p, why, err := translate(m, branchingOrder(m), len(m.Rows))
		if err != nil || why != "" {
			t.Fatal(why, err)
		}
		if !slices.Equal(p.Cost, c.want) {
			t.Errorf("%s: cost %v, want %v", c.name, p.Cost, c.want)
		}
		m.Objective.Terms = terms(0, 0, 5)
		if p, _, _ := translate(m, branchingOrder(m), len(m.Rows)); !slices.Equal(p.Cost, []float64{0, 0, 5}) {
			t.Errorf("%s: cost %v of a problem with an objective", c.name, p.Cost)
		}
	}
}

// A point within a rounding error is restored, unless it must stay as it is.
func TestRestore(t *testing.T) {
	m := &problem.MILP{Columns: []problem.Column{{Hi: 1e7}, {Hi: 9, Integer: true}}}
	if got := restore(m, []int{1, 0}, []float64{2.9999999, 5}); !slices.Equal(got, []float64{5, 3}) {
		t.Errorf("got %v, want 5 and 3", got)
	}
	m.Rows = []problem.Row{{Lo: 0, Hi: 0, Terms: terms(1, -1e6)}}
	if got := restore(m, []int{1, 0}, []float64{2.9999999, 2999999.9}); !slices.Equal(got, []float64{2999999.9, 2.9999999}) {
		t.Errorf("got %v, which breaks the row", got)
	}
}

// A point with correct integers that violates a row gets new values for the other
// columns.
func TestMend(t *testing.T) {
	s := rig.Need(t, solver)
	lib, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	m := &problem.MILP{
		Columns:   []problem.Column{{Hi: 10}, {Hi: 9, Integer: true}},
		Rows:      []problem.Row{{Lo: noBound, Hi: 0, Terms: terms(1, -2)}},
		Objective: problem.Objective{Maximise: true, Terms: terms(1)},
	}
	defaults, err := options.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := newQuestion(lib, milp.Question{MILP: m}, defaults)
	if err != nil {
		t.Fatal(err)
	}
	l := q.listen(t.Context())
	defer l.End()
	for _, c := range []struct{ broken, want []float64 }{
		{[]float64{8, 3}, []float64{6, 3}},
		{[]float64{8, 2.9999}, []float64{6, 3}},
		{[]float64{8, 12}, nil},
		{[]float64{8, math.NaN()}, nil},
	} {
		got, err := q.mend(l, q.members()[0], c.broken)
		if err != nil || !closeTo(got, c.want) {
			t.Errorf("%v becomes %v, %v; want %v", c.broken, got, err, c.want)
		}
	}
}

// The portfolio's members differ, and only those with the trusted scaling prove anything.
func TestMembers(t *testing.T) {
	objective := problem.Objective{Terms: terms(1)}
	target := 3.0
	for _, c := range []struct {
		name      string
		objective problem.Objective
		options   sdk.SolveOptions
		trusted   []bool
	}{
		{name: "decide", trusted: []bool{true, true, false}},
		{name: "target", objective: objective, options: sdk.SolveOptions{Target: &target}, trusted: []bool{true, true, false}},
		{name: "optimise", objective: objective, trusted: []bool{true, true}},
		{name: "alone", options: sdk.SolveOptions{Options: map[string]string{portfolio: "off"}}, trusted: []bool{true}},
		{name: "own scaling", options: sdk.SolveOptions{Options: map[string]string{scaling: "0"}}, trusted: []bool{false, false, false}},
	} {
		m := &problem.MILP{Columns: []problem.Column{{Hi: 1}}, Objective: c.objective}
		s, err := options.Read(c.options.Options)
		if err != nil {
			t.Fatal(err)
		}
		q, err := newQuestion(nil, milp.Question{MILP: m, Options: c.options}, s)
		if err != nil {
			t.Fatal(err)
		}
		var trusted []bool
		seen := map[lpsolve.Settings]bool{}
		for _, m := range q.members() {
			trusted = append(trusted, m.trusted)
			if seen[m.Settings] {
				t.Errorf("%s: the same settings twice: %+v", c.name, m.Settings)
			}
			seen[m.Settings] = true
		}
		if !slices.Equal(trusted, c.trusted) {
			t.Errorf("%s: trusted %v, want %v", c.name, trusted, c.trusted)
		}
	}
}
