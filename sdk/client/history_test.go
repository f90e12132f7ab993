package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/problem"
)

// What a history makes of its deltas is what a stack makes of them one by one,
// and a history that went another way is not disturbed.
func TestHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := &problem.Problem{MILP: &problem.MILP{Columns: make([]problem.Column, 2)}}
		stack, h := problem.NewStack(base), newHistory(base)
		for range rapid.IntRange(1, 30).Draw(t, "deltas") {
			d := drawDelta(t, len(h.levels)-1)
			want, err := stack.Apply(d)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.with(drawDelta(t, len(h.levels)-1)); err != nil { // the other way
				t.Fatal(err)
			}
			if h, err = h.with(d); err != nil {
				t.Fatal(err)
			}
			got, err := h.problem()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("after %+v:\n%s", d, diff)
			}
		}
	})
}

func drawDelta(t *rapid.T, depth int) problem.Delta {
	d := problem.Delta{
		Pop:  rapid.IntRange(0, min(depth, 2)).Draw(t, "pop"),
		Push: rapid.IntRange(0, 2).Draw(t, "push"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "bounds") {
		column, hi := rapid.IntRange(0, 1).Draw(t, "column"), rapid.Float64Range(0, 9).Draw(t, "hi")
		d.ColumnBounds = append(d.ColumnBounds, problem.ColumnBound{Column: column, Hi: hi})
	}
	if rapid.Bool().Draw(t, "rows") {
		d.Rows = []problem.Row{{Hi: rapid.Float64Range(0, 9).Draw(t, "side")}}
	}
	if rapid.Bool().Draw(t, "objective") {
		d.Objective = &problem.Objective{Offset: rapid.Float64Range(0, 9).Draw(t, "offset")}
	}
	if rapid.Bool().Draw(t, "start") {
		d.Start = []float64{rapid.Float64Range(0, 9).Draw(t, "start"), 0}
	}
	return d
}

func TestHistoryRefuses(t *testing.T) {
	h := newHistory(&problem.Problem{SMT: &problem.Script{Text: "x"}})
	for _, d := range []problem.Delta{{Pop: 1}, {Pop: -1}, {Push: -1}} {
		if _, err := h.with(d); err == nil {
			t.Errorf("%+v was taken", d)
		}
	}
}

// A long run of bounds on one level does not grow without end.
func TestHistoryIsCompact(t *testing.T) {
	h := newHistory(&problem.Problem{MILP: &problem.MILP{Columns: make([]problem.Column, 3)}})
	for i := range 1000 {
		var err error
		if h, err = h.with(problem.Delta{ColumnBounds: []problem.ColumnBound{{Column: i % 3, Hi: float64(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.levels[0].ColumnBounds); n > 6 {
		t.Errorf("%d bounds kept for 3 columns", n)
	}
	if p, err := h.problem(); err != nil || p.MILP.Columns[0].Hi != 999 || p.MILP.Columns[2].Hi != 998 {
		t.Errorf("%+v, %v", p.MILP.Columns, err)
	}
}
