package main

import (
	"math"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestCancelStopsAHardProblem(t *testing.T) { milptest.Cancel(t, rig.Need(t, solver)) }

func TestCancelledBeforeTheStart(t *testing.T) { milptest.Cancelled(t, rig.Need(t, solver)) }

func TestTimeLimits(t *testing.T) { milptest.TimeLimits(t, rig.Need(t, solver)) }

func TestWorkLimit(t *testing.T) { milptest.WorkLimit(t, rig.Need(t, solver)) }

func TestMemoryLimit(t *testing.T) { milptest.MemoryLimit(t, rig.Need(t, solver)) }

func TestTarget(t *testing.T) { milptest.Target(t, rig.Need(t, solver)) }

func TestGapStopsEarly(t *testing.T) { milptest.Gap(t, rig.Need(t, solver)) }

func TestProgress(t *testing.T) { milptest.Progress(t, rig.Need(t, solver)) }

// lp_solve takes no start, but the answer is never worse than one.
func TestStartIsHeld(t *testing.T) {
	m := milptest.Hard()
	found := solve(t, m, sdk.SolveOptions{WorkLimit: 500})
	m.Start = problem.Float64s(found.Values)
	if r := solve(t, m, sdk.SolveOptions{TimeLimit: time.Nanosecond}); r.Status != sdk.Feasible || r.Reason != sdk.TimeLimit || r.Objective != found.Objective {
		t.Errorf("%v, %v at %v; want the start held, %v", r.Status, r.Reason, r.Objective, found.Objective)
	}
	// An incomplete start and one outside the bounds are ignored: a point held afterwards is
	// lp_solve's, found before its first check of the clock.
	for _, first := range []float64{math.NaN(), 7} {
		m.Start[0] = first
		r := solve(t, m, sdk.SolveOptions{TimeLimit: time.Nanosecond})
		if r.Reason != sdk.TimeLimit || r.Status != sdk.Unknown && r.Status != sdk.Feasible {
			t.Errorf("%v, %v with a start of %v and no time", r.Status, r.Reason, first)
		}
		if r.Values != nil && !(m.Violation(problem.Float64s(r.Values)) <= 1e-6) {
			t.Errorf("a start of %v was held: %v", first, r.Values)
		}
	}
}

// Members take turns within one work limit.
func TestWorkLimitOfADecision(t *testing.T) {
	tier.NeedUsual(t)
	m := milptest.Hard()
	m.Rows = append(m.Rows, problem.Row{Lo: noBound, Hi: 2, Terms: m.Objective.Terms})
	m.Objective = problem.Objective{}
	const limit = 20_000
	r := solve(t, m, sdk.SolveOptions{WorkLimit: limit})
	if r.Status != sdk.Unknown || r.Reason != sdk.WorkLimit || r.Nodes < limit || r.Nodes > limit+10 {
		t.Errorf("%v, %v after %d nodes; want the work limit of %d", r.Status, r.Reason, r.Nodes, limit)
	}
}
