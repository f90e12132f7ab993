package main

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestCancelStopsAHardProblem(t *testing.T) {
	tier.NeedUsual(t)
	milptest.Cancel(t, rig.Need(t, solver))
}

func TestCancelledBeforeTheStart(t *testing.T) { milptest.Cancelled(t, rig.Need(t, solver)) }

func TestTimeLimits(t *testing.T) { milptest.TimeLimits(t, rig.Need(t, solver)) }

func TestWorkLimit(t *testing.T) { milptest.WorkLimit(t, rig.Need(t, solver)) }

func TestMemoryLimit(t *testing.T) { milptest.MemoryLimit(t, rig.Need(t, solver)) }

func TestTarget(t *testing.T) { milptest.Target(t, rig.Need(t, solver)) }

func TestGapStopsEarly(t *testing.T) { milptest.Gap(t, rig.Need(t, solver)) }

func TestProgress(t *testing.T) { milptest.Progress(t, rig.Need(t, solver)) }

// The clock of a loaded problem starts at 0 at each Solve.
func TestTimeLimitIsOfOneSolve(t *testing.T) {
	s, ctx := rig.Need(t, solver), context.Background()
	l, err := s.Load(ctx, &problem.Problem{MILP: milptest.Hard()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const limit = 200 * time.Millisecond
	for range 3 {
		r, err := l.Solve(ctx, problem.Delta{}, sdk.SolveOptions{TimeLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != sdk.TimeLimit || r.Elapsed < limit {
			t.Errorf("%v, %v after %v; want the time limit", r.Status, r.Reason, r.Elapsed)
		}
	}
}

func TestStartValues(t *testing.T) {
	tier.NeedUsual(t)
	m := milptest.Hard()
	found := solve(t, m, sdk.SolveOptions{WorkLimit: 60})
	whole := problem.Float64s(found.Values)
	partial := append([]float64(nil), whole...)
	for i := range m.Columns {
		if !m.Columns[i].Integer {
			partial[i] = math.NaN()
		}
	}
	// A start outside the bounds, NaN, or a point that violates rows: an invalid start
	// has no effect.
	useless := append([]float64(nil), whole...)
	useless[0], useless[1] = 7, inf
	for name, start := range map[string][]float64{"whole": whole, "partial": partial} {
		m.Start = start
		r := solve(t, m, sdk.SolveOptions{WorkLimit: 1})
		if r.Status != sdk.Feasible || r.Objective > found.Objective+1e-6 {
			t.Errorf("%s start: %v, objective %v; want %v or better at once", name, r.Status, r.Objective, found.Objective)
		}
	}
	m.Start = useless
	if r := solve(t, m, sdk.SolveOptions{WorkLimit: 60}); r.Status != sdk.Feasible {
		t.Errorf("useless start: %v, %v", r.Status, r.Reason)
	}
	m.Start = whole
	if r := solve(t, m, sdk.SolveOptions{TimeLimit: time.Nanosecond}); r.Status != sdk.Feasible || r.Reason != sdk.TimeLimit {
		t.Errorf("whole start and no time: %v, %v; want the start held", r.Status, r.Reason)
	}
}

// The run that completes a start value solves a restriction of the problem: its bounds are not
// reported.
func TestBoundsWhileCompletingAStart(t *testing.T) {
	reports := 0
	lib, err := rig.Need(t, solver).Open()
	if err != nil {
		t.Fatal(err)
	}
	m := milptest.Hard()
	m.Start = make([]float64, len(m.Columns))
	for i := range m.Start {
		m.Start[i] = math.NaN()
		if i < 6 {
			m.Start[i] = 1
		}
	}
	kept, err := load(lib, &problem.Problem{MILP: m})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	l := kept.(*loaded)
	defaults, err := options.Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.bring(m, defaults, sdk.SolveOptions{}); err != nil {
		t.Fatal(err)
	}
	o := sdk.SolveOptions{Progress: func(p sdk.Progress) {
		reports++
		if p.HasBound {
			t.Errorf("reported the bound %v of the narrower problem", p.Bound)
		}
	}}
	q := &question{Question: milp.Question{MILP: m, Options: o, Begin: time.Now(), Tolerance: settings(defaults).tolerance()}, lib: lib, settings: defaults}
	w := milp.Watch(context.Background(), q.Question)
	nodes, err := q.start(l.model, &listener{Monitor: w, q: q})
	w.End()
	if err != nil || nodes < 2 {
		t.Fatalf("%d nodes, %v; want a search", nodes, err)
	}
	if w.Incumbent() == nil || reports == 0 {
		t.Errorf("best %v, %d reports; the points found do count", w.Incumbent(), reports)
	}
}
