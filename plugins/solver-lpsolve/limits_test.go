package main

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// hard is a problem on which lp_solve finds points at once and proves nothing for
// hours.
func hard() *problem.MILP { return marketSplit(5, 40) }

// guardTime is how long a test waits for something that takes a fraction of a
// second before it gives up; it is no measurement.
const guardTime = 60 * time.Second

func TestCancelStopsAHardProblem(t *testing.T) {
	for _, threads := range []int{1, 2} {
		s := lpsolveOrSkip(t)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		// Cancelled as soon as the search is on its way.
		var once sync.Once
		m := hard()
		var r *sdk.Result
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			r, err = s.Solve(ctx, &problem.Problem{MILP: m}, sdk.SolveOptions{Threads: threads, Progress: func(p sdk.Progress) {
				if p.Nodes > 0 {
					once.Do(cancel)
				}
			}})
		}()
		select {
		case <-done:
		case <-time.After(guardTime):
			t.Fatalf("%d threads: still running", threads)
		}
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, m, r)
		if r.Status != sdk.Feasible || r.Reason != sdk.Interrupted || !r.HasBound {
			t.Errorf("%d threads: %v, %v, bound %v; want an incumbent and a bound, interrupted", threads, r.Status, r.Reason, r.HasBound)
		}
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	s := lpsolveOrSkip(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := s.Solve(ctx, &problem.Problem{MILP: hard()}, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Reason != sdk.Interrupted {
		t.Errorf("%v, %v; want interrupted", r.Status, r.Reason)
	}
}

func TestTimeLimits(t *testing.T) {
	for _, limit := range []time.Duration{time.Nanosecond, time.Millisecond, 200 * time.Millisecond} {
		r := solve(t, hard(), sdk.SolveOptions{TimeLimit: limit})
		if r.Reason != sdk.TimeLimit || (r.Status != sdk.Feasible && r.Status != sdk.Unknown) {
			t.Errorf("%v: %v, %v (%s); want the time limit", limit, r.Status, r.Reason, r.Native)
		}
		if r.Elapsed < limit {
			t.Errorf("%v: stopped after %v", limit, r.Elapsed)
		}
	}
}

func TestWorkLimit(t *testing.T) {
	r := solve(t, hard(), sdk.SolveOptions{WorkLimit: 60})
	if r.Status != sdk.Feasible || r.Reason != sdk.WorkLimit {
		t.Errorf("%v, %v; want an incumbent at the work limit", r.Status, r.Reason)
	}
	if r.Nodes < 1 || r.Nodes > 120 {
		t.Errorf("%d nodes for a limit of 60", r.Nodes)
	}
}

func TestMemoryLimit(t *testing.T) {
	if residentMemory() == 0 {
		t.Skip("SKIPPED: this system does not tell a process its memory")
	}
	r := solve(t, hard(), sdk.SolveOptions{Memory: 1})
	if r.Reason != sdk.MemoryLimit {
		t.Errorf("%v, %v; want the memory limit", r.Status, r.Reason)
	}
}

func TestTarget(t *testing.T) {
	m := hard()
	easy := math.Round(solve(t, m, sdk.SolveOptions{WorkLimit: 1}).Objective) + 50
	for _, maximise := range []bool{false, true} {
		m, target := hard(), easy
		if maximise {
			m.Objective.Maximise, target = true, -easy
			for i := range m.Objective.Terms {
				m.Objective.Terms[i].Coef *= -1
			}
		}
		r := solve(t, m, sdk.SolveOptions{Target: &target})
		if r.Status != sdk.Feasible || r.Reason != sdk.NoReason {
			t.Fatalf("maximise %v: %v, %v; want a point that reaches the target", maximise, r.Status, r.Reason)
		}
		if maximise && r.Objective < target || !maximise && r.Objective > target {
			t.Errorf("maximise %v: objective %v does not reach %v", maximise, r.Objective, target)
		}
	}
}

func TestGapStopsEarly(t *testing.T) {
	// The best is 0 to 10, any point is below thousands: half is soon proved.
	m := marketSplit(3, 24)
	m.Objective.Offset = 1000
	r := solve(t, m, sdk.SolveOptions{Gap: 0.5})
	if r.Status != sdk.Optimal || !r.HasBound || r.Objective-r.Bound > 0.5*r.Objective {
		t.Errorf("%v, objective %v, bound %v; want them within half", r.Status, r.Objective, r.Bound)
	}
}

func TestProgress(t *testing.T) {
	m := hard()
	var seen []sdk.Progress
	busy := false
	r := solve(t, m, sdk.SolveOptions{WorkLimit: 100, Progress: func(p sdk.Progress) {
		if busy {
			t.Error("two reports at once")
		}
		busy = true
		seen = append(seen, p)
		busy = false
	}})
	var best *sdk.Progress
	bounded := false
	for i := range seen {
		p := &seen[i]
		bounded = bounded || p.HasBound
		if p.HasBound && p.Bound > r.Objective+1e-6 {
			t.Errorf("bound %v above a point's objective %v", p.Bound, r.Objective)
		}
		if p.Values == nil {
			continue
		}
		x := floats(p.Values)
		if v := m.Violation(x); v > 1e-6 {
			t.Errorf("incumbent violates the problem by %g", v)
		}
		if got := problem.Evaluate(m.Objective.Terms, x); math.Abs(got-p.Objective) > 1e-6 {
			t.Errorf("objective %v, the incumbent's is %v", p.Objective, got)
		}
		if best != nil && p.Objective >= best.Objective {
			t.Errorf("incumbent %v after %v", p.Objective, best.Objective)
		}
		best = p
	}
	if best == nil || math.Abs(best.Objective-r.Objective) > 1e-6 || !bounded {
		t.Errorf("%d reports, bounded %v, last incumbent %+v; want the result's %v", len(seen), bounded, best, r.Objective)
	}
}

// lp_solve takes no start, but the answer is never worse than one.
func TestStartIsHeld(t *testing.T) {
	m := hard()
	found := solve(t, m, sdk.SolveOptions{WorkLimit: 500})
	m.Start = floats(found.Values)
	if r := solve(t, m, sdk.SolveOptions{TimeLimit: time.Nanosecond}); r.Status != sdk.Feasible || r.Reason != sdk.TimeLimit || r.Objective != found.Objective {
		t.Errorf("%v, %v at %v; want the start held, %v", r.Status, r.Reason, r.Objective, found.Objective)
	}
	// Half a start and one outside the bounds are none: what is held then, if
	// anything, lp_solve found before it first looked at the clock.
	for _, first := range []float64{math.NaN(), 7} {
		m.Start[0] = first
		r := solve(t, m, sdk.SolveOptions{TimeLimit: time.Nanosecond})
		if r.Reason != sdk.TimeLimit || r.Status != sdk.Unknown && r.Status != sdk.Feasible {
			t.Errorf("%v, %v with a start of %v and no time", r.Status, r.Reason, first)
		}
		if r.Values != nil && !(m.Violation(floats(r.Values)) <= 1e-6) {
			t.Errorf("a start of %v was held: %v", first, r.Values)
		}
	}
}

// Members take turns within one work limit.
func TestWorkLimitOfADecision(t *testing.T) {
	m := hard()
	m.Rows = append(m.Rows, problem.Row{Lo: noBound, Hi: 2, Terms: m.Objective.Terms})
	m.Objective = problem.Objective{}
	const limit = 100_000
	r := solve(t, m, sdk.SolveOptions{WorkLimit: limit})
	if r.Status != sdk.Unknown || r.Reason != sdk.WorkLimit || r.Nodes < limit || r.Nodes > limit+10 {
		t.Errorf("%v, %v after %d nodes; want the work limit of %d", r.Status, r.Reason, r.Nodes, limit)
	}
}
