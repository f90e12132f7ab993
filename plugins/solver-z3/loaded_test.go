package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func loadScript(t *testing.T, text string) sdk.Loaded {
	t.Helper()
	l, err := rig.Need(t, solver).Load(context.Background(), &problem.Problem{SMT: known.Script(text)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Names declared or defined in a delta exist as long as their level, and may be reused
// for something else.
func TestNamesFollowTheLevels(t *testing.T) {
	l := loadScript(t, "(declare-const x Int)\n(define-fun double () Int (* 2 x))\n(assert (<= 0 x 5))")
	for i, step := range []struct {
		delta problem.Delta
		want  sdk.Status
	}{
		{problem.Delta{Push: 1, Assert: "(declare-const z Int)(assert (> z 3))(assert (< z x))"}, sdk.Feasible},
		{problem.Delta{Push: 1, Assert: "(assert (= z 5))"}, sdk.Infeasible},
		{problem.Delta{Pop: 2, Push: 1, Assert: "(declare-const z Bool)(assert (and z (= double 6)))"}, sdk.Feasible},
		{problem.Delta{Push: 1, Assert: "(define-fun four () Int (+ double (- 2)))(assert (= four 4))"}, sdk.Feasible},
		{problem.Delta{Push: 1, Assert: "(assert (=> z (distinct four 4)))"}, sdk.Infeasible},
		{problem.Delta{Pop: 3}, sdk.Feasible},
		{problem.Delta{Assert: "(declare-const four Int)(assert (= four 5 x))"}, sdk.Feasible},
	} {
		r, err := l.Solve(context.Background(), step.delta, sdk.SolveOptions{})
		if err != nil || r.Status != step.want {
			t.Fatalf("step %d: %+v, %v; want %v", i+1, r, err, step.want)
		}
	}
}

func TestBadDeltaLeavesTheScript(t *testing.T) {
	l := loadScript(t, "(declare-const x Int)\n(define-fun double () Int\n (* 2 x))\n(assert (<= 0 x 5))")
	for _, c := range []struct {
		delta problem.Delta
		want  string
	}{
		{problem.Delta{Pop: 1}, "pop 1"},
		{problem.Delta{Push: 1, Assert: "(assert (= x 1))(assert (= double y))"}, "line 1, column 34: unknown constant y"},
		{problem.Delta{Push: 2, Assert: "\n\n(assert (= x y))"}, "line 3, column 13: unknown constant y"},
		{problem.Delta{Assert: "(assert (= x 1)"}, "never closed"},
		{problem.Delta{Assert: "(exit)"}, `"exit"`},
		{problem.Delta{Assert: "(declare-const x Int)"}, "x"},
		{problem.Delta{Rows: []problem.Row{{}}}, "rows"},
	} {
		_, err := l.Solve(context.Background(), c.delta, sdk.SolveOptions{})
		if !errors.Is(err, sdk.ErrInvalidProblem) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("delta %+v: error %v, want ErrInvalidProblem with %q", c.delta, err, c.want)
		}
	}
	if _, err := l.Solve(context.Background(), problem.Delta{Push: 1}, sdk.SolveOptions{Options: map[string]string{"speed": "high"}}); !errors.Is(err, sdk.ErrInvalidOption) {
		t.Errorf("error %v, want ErrInvalidOption", err)
	}
	r, err := l.Solve(context.Background(), problem.Delta{Assert: "(assert (> x 4))"}, sdk.SolveOptions{})
	if err != nil || r.Status != sdk.Feasible || r.Values[0].String() != "5" {
		t.Errorf("afterwards %+v, %v; want x = 5", r, err)
	}
	if _, err := l.Solve(context.Background(), problem.Delta{Pop: 1}, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrInvalidProblem) {
		t.Errorf("a push of a bad delta is there to pop: %v", err)
	}
}

// Two loads do not affect each other.
func TestLoadsDoNotMix(t *testing.T) {
	one, two := loadScript(t, "(declare-const x Int)(assert (> x 3))"), loadScript(t, "(declare-const x Int)(assert (< x 3))")
	for _, l := range []sdk.Loaded{one, two, one} {
		if r, err := l.Solve(context.Background(), problem.Delta{}, sdk.SolveOptions{}); err != nil || r.Status != sdk.Feasible {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
