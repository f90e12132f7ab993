package main

import (
	"context"
	"errors"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestAnswers(t *testing.T) { milptest.Answers(t, rig.Need(t, solver), "unbounded") }

func TestSameProblemTwice(t *testing.T) { milptest.SameTwice(t, rig.Need(t, solver)) }

// On one load, an answer does not depend on earlier calls.
func TestLoadedForgetsWhatItAnsweredBefore(t *testing.T) {
	s, ctx := rig.Need(t, solver), context.Background()
	m, o := milptest.Repeatable()
	fresh := solve(t, m, o)
	l, err := s.Load(ctx, &problem.Problem{MILP: m})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := problem.Delta{Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 1, Hi: 1}}, Objective: &problem.Objective{Maximise: true, Terms: terms(1, 1, 1)}}
	other := o
	other.Options = map[string]string{primalTolerance: "1e-4", "presolve": "off"}
	if _, err := l.Solve(ctx, d, other); err != nil {
		t.Fatal(err)
	}
	again, err := l.Solve(ctx, problem.Delta{Pop: 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	milptest.Same(t, fresh, again, "after push and pop")
}

func TestBadDeltaLeavesTheProblem(t *testing.T) {
	s, ctx := rig.Need(t, solver), context.Background()
	m := &problem.MILP{Columns: []problem.Column{{Hi: 3, Integer: true}}, Objective: problem.Objective{Maximise: true, Terms: terms(1)}}
	l, err := s.Load(ctx, &problem.Problem{MILP: m})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, d := range []problem.Delta{
		{Pop: 1},
		{ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 0, Hi: 1}, {Column: 5, Hi: 1}}},
		{Rows: []problem.Row{{Lo: 2, Hi: 1}}},
	} {
		if _, err := l.Solve(ctx, d, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrInvalidProblem) {
			t.Errorf("delta %+v: error %v, want ErrInvalidProblem", d, err)
		}
	}
	// Well formed, but beyond HiGHS's range.
	for _, d := range []problem.Delta{
		{Push: 1, Rows: []problem.Row{{Lo: 0, Hi: 1, Terms: terms(1e16)}}},
		{ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 0, Hi: 1}}, Objective: &problem.Objective{Terms: terms(1e30)}},
	} {
		if _, err := l.Solve(ctx, d, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrUnsupported) {
			t.Errorf("delta %+v: error %v, want ErrUnsupported", d, err)
		}
	}
	r, err := l.Solve(ctx, problem.Delta{}, sdk.SolveOptions{})
	if err != nil || r.Objective != 3 {
		t.Errorf("afterwards %+v, %v; want the optimum 3", r, err)
	}
}

// What every plugin around a library must do apart from answering.
func TestLibrary(t *testing.T) {
	rig.Library(t, rig.Need(t, solver), &solver.Plugin, highs.Spec, &problem.Problem{MILP: &problem.MILP{}})
}
