package main

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

// drawSets adds one to three sets of at least two columns.
func drawSets(t *rapid.T, m *problem.MILP) {
	n := len(m.Columns)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	for range rapid.IntRange(1, 3).Draw(t, "sets") {
		some := rapid.Permutation(all).Draw(t, "set")[:rapid.IntRange(min(2, n), n).Draw(t, "size")]
		m.SOS1 = append(m.SOS1, problem.SOS1{Columns: some})
	}
}

func TestSetsOfIntegersEqualEnumeration(t *testing.T) {
	s := rig.Need(t, solver)
	rapid.Check(t, func(t *rapid.T) {
		for range 3 {
			m := milptest.Draw(t)
			drawSets(t, m)
			milptest.Agree(t, m, milptest.Solve(t, s, m, sdk.SolveOptions{}))
		}
	})
}

// survivors returns the best objective over all choices of the one column per set that
// may differ from 0; each choice is a problem without sets.
func survivors(t *rapid.T, s sdk.Solver, m *problem.MILP) (best float64, found bool) {
	var walk func(i int, columns []problem.Column)
	walk = func(i int, columns []problem.Column) {
		if i < len(m.SOS1) {
			for _, keep := range m.SOS1[i].Columns {
				next := append([]problem.Column(nil), columns...)
				for _, c := range m.SOS1[i].Columns {
					if c != keep {
						next[c].Lo, next[c].Hi = 0, 0
					}
				}
				walk(i+1, next)
			}
			return
		}
		plain := *m
		plain.Columns, plain.SOS1 = columns, nil
		r, err := s.Solve(context.Background(), &problem.Problem{MILP: &plain}, sdk.SolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.HasPoint() && (!found || m.Objective.Maximise && r.Objective > best || !m.Objective.Maximise && r.Objective < best) {
			best, found = r.Objective, true
		}
	}
	walk(0, m.Columns)
	return best, found
}

// Some of the columns are in no row. With lp_solve's own sets, and with a small work
// limit, not everything is claimed, but every claim must hold.
func TestSetsEqualTheirCases(t *testing.T) {
	s := rig.Need(t, solver)
	rapid.Check(t, func(t *rapid.T) {
		m := milptest.Draw(t)
		for i := range m.Columns {
			c := &m.Columns[i]
			c.Integer, c.Lo, c.Hi = i > 0 && rapid.Bool().Draw(t, "integer"), 0, c.Hi-c.Lo
		}
		drawSets(t, m)
		best, found := survivors(t, s, m)
		for _, o := range []sdk.SolveOptions{{}, {WorkLimit: 2}, {Options: map[string]string{sets: "native"}}} {
			r := milptest.Solve(t, s, m, o)
			want := sdk.Optimal
			switch {
			case !found:
				want = sdk.Infeasible
			case len(m.Objective.Terms) == 0:
				want = sdk.Feasible
			}
			s := sign(m.Objective.Maximise)
			switch {
			case o.Options == nil && o.WorkLimit == 0 && (r.Status != want || r.Reason != sdk.NoReason):
				t.Fatalf("%v (%v, native %q), want %v", r.Status, r.Reason, r.Native, want)
			case r.Status == sdk.Infeasible && found, r.HasPoint() && !found:
				t.Fatalf("%v with %v; there is a point: %v", r.Status, o, found)
			case want == sdk.Optimal && r.Status == sdk.Optimal && math.Abs(r.Objective-best) > 1e-5:
				t.Fatalf("optimum %v; the best case has %v", r.Objective, best)
			case want == sdk.Optimal && r.HasBound && s*(r.Bound-best) > 1e-5:
				t.Fatalf("bound %v cuts off %v", r.Bound, best)
			}
		}
	})
}

// withSets returns a network of drawNetwork with each neuron's binary and big-M rows
// replaced by a set of its value and the negative part of its argument.
func withSets(m *problem.MILP) *problem.MILP {
	out := &problem.MILP{Objective: m.Objective}
	out.Columns = append(out.Columns, m.Columns...)
	for k := 0; k < len(m.Rows); k += 3 {
		above, below := &m.Rows[k], &m.Rows[k+1]
		phase := below.Terms[len(below.Terms)-1]
		value := phase.Column - 1
		// above is value − Σ weight·input ≥ bias, so bias = value − Σ − negative.
		out.Columns[phase.Column] = problem.Column{Hi: phase.Coef, Role: problem.RoleNeuron}
		terms := append(above.Terms[:len(above.Terms):len(above.Terms)], problem.Term{Column: phase.Column, Coef: -1})
		out.Rows = append(out.Rows, problem.Row{Lo: above.Lo, Hi: above.Lo, Terms: terms})
		out.SOS1 = append(out.SOS1, problem.SOS1{Columns: []int{value, phase.Column}})
	}
	return out
}

func TestNetworksWithSetsEqualEnumeration(t *testing.T) {
	s := rig.Need(t, solver)
	rapid.Check(t, func(t *rapid.T) {
		m, best := drawNetwork(t)
		m = withSets(m)
		r := milptest.Solve(t, s, m, sdk.SolveOptions{})
		if r.Status != sdk.Optimal || math.Abs(r.Objective-best) > 1e-5 || !r.HasBound || math.Abs(r.Bound-best) > 1e-5 {
			t.Fatalf("%v (%v) at %v, bound %v; enumeration finds %v", r.Status, r.Reason, r.Objective, r.Bound, best)
		}
		for margin, want := range map[float64]sdk.Status{-0.125: sdk.Feasible, 0.125: sdk.Infeasible} {
			d := *m
			d.Objective = problem.Objective{}
			d.Rows = append(d.Rows[:len(d.Rows):len(d.Rows)], problem.Row{Lo: best + margin - m.Objective.Offset, Hi: inf, Terms: m.Objective.Terms})
			r := milptest.Solve(t, s, &d, sdk.SolveOptions{})
			if r.Status != want || r.Reason != sdk.NoReason {
				t.Fatalf("at least the best %+v: %v (%v), want %v", margin, r.Status, r.Reason, want)
			}
		}
	})
}

func TestUnboundedColumnsInSetsAreRefused(t *testing.T) {
	s := rig.Need(t, solver)
	m := &problem.MILP{
		Columns: []problem.Column{{Name: "x", Hi: 1}, {Name: "far", Hi: inf}},
		SOS1:    []problem.SOS1{{Name: "s", Columns: []int{0, 1}}},
	}
	if _, err := s.Solve(context.Background(), &problem.Problem{MILP: m}, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("%v, want ErrUnsupported", err)
	}
}

// From a run with lp_solve's own sets, only points are accepted.
func TestProofsWithNativeSetsAreNotBelieved(t *testing.T) {
	native := sdk.SolveOptions{Options: map[string]string{sets: "native"}}
	m := &problem.MILP{
		Columns:   []problem.Column{{Hi: 3}, {Hi: 4}},
		Rows:      []problem.Row{{Lo: 1, Hi: inf, Terms: terms(1, 1)}},
		SOS1:      []problem.SOS1{{Columns: []int{0, 1}}},
		Objective: problem.Objective{Maximise: true, Terms: terms(1, 1)},
	}
	if r := solve(t, m, native); r.Status != sdk.Feasible || r.Reason != sdk.Numerical || r.Objective != 4 || r.HasBound {
		t.Errorf("%v (%v) at %v, bound %v", r.Status, r.Reason, r.Objective, r.HasBound)
	}
	if r := solve(t, m, sdk.SolveOptions{}); r.Status != sdk.Optimal || r.Objective != 4 {
		t.Errorf("with binaries: %v at %v", r.Status, r.Objective)
	}
	m.Objective = problem.Objective{}
	if r := solve(t, m, native); r.Status != sdk.Feasible || r.Reason != sdk.NoReason {
		t.Errorf("any point: %v (%v)", r.Status, r.Reason)
	}
	m.Rows[0].Lo = 5
	if r := solve(t, m, native); r.Status != sdk.Unknown || r.Reason != sdk.Numerical {
		t.Errorf("no point: %v (%v)", r.Status, r.Reason)
	}
}
