package milptest

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Cancel cancels a Hard problem as soon as its search has begun, with one thread and
// with two: the solver must return an incumbent and a bound. It must report progress
// that counts nodes.
func Cancel(t testing.TB, s sdk.Solver) {
	t.Helper()
	for _, threads := range []int{1, 2} {
		m := Hard()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var once sync.Once
		o := sdk.SolveOptions{Threads: threads, Progress: func(p sdk.Progress) {
			if p.Nodes > 0 {
				once.Do(cancel)
			}
		}}
		var r *sdk.Result
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			r, err = s.Solve(ctx, &problem.Problem{MILP: m}, o)
		}()
		select {
		case <-done:
		case <-time.After(guardTime):
			t.Fatalf("%d threads: still running", threads)
		}
		if err != nil {
			t.Fatalf("%d threads: %v", threads, err)
		}
		Check(t, m, r)
		if r.Status != sdk.Feasible || r.Reason != sdk.Interrupted || !r.HasBound {
			t.Errorf("%d threads: %v, %v, bound %v; want an incumbent and a bound, interrupted", threads, r.Status, r.Reason, r.HasBound)
		}
	}
}

// Cancelled asks a Hard problem with a context that is done already: the reason must be
// Interrupted, and there must be no error.
func Cancelled(t testing.TB, s sdk.Solver) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := s.Solve(ctx, &problem.Problem{MILP: Hard()}, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Reason != sdk.Interrupted {
		t.Errorf("%v, %v; want interrupted", r.Status, r.Reason)
	}
}

// TimeLimits gives a Hard problem a nanosecond, a millisecond and a fifth of a
// second. It checks that the solver does not stop earlier, but not how much later it stops.
func TimeLimits(t testing.TB, s sdk.Solver) {
	t.Helper()
	for _, limit := range []time.Duration{time.Nanosecond, time.Millisecond, 200 * time.Millisecond} {
		r := Solve(t, s, Hard(), sdk.SolveOptions{TimeLimit: limit})
		if r.Reason != sdk.TimeLimit || (r.Status != sdk.Feasible && r.Status != sdk.Unknown) {
			t.Errorf("%v: %v, %v (%s); want the time limit", limit, r.Status, r.Reason, r.Native)
		}
		if r.Elapsed < limit {
			t.Errorf("%v: stopped after %v", limit, r.Elapsed)
		}
	}
}

// WorkLimit gives a Hard problem 60 units of work, enough to find a point. It accepts up
// to twice as much.
func WorkLimit(t testing.TB, s sdk.Solver) {
	t.Helper()
	r := Solve(t, s, Hard(), sdk.SolveOptions{WorkLimit: 60})
	if r.Status != sdk.Feasible || r.Reason != sdk.WorkLimit {
		t.Errorf("%v, %v; want an incumbent at the work limit", r.Status, r.Reason)
	}
	if r.Nodes < 1 || r.Nodes > 120 {
		t.Errorf("%d nodes for a limit of 60; want 1 to 120", r.Nodes)
	}
}

// MemoryLimit gives a Hard problem one byte of memory: the reason must be MemoryLimit. It
// skips the test where milp.Memory is 0.
func MemoryLimit(t testing.TB, s sdk.Solver) {
	t.Helper()
	if milp.Memory() == 0 {
		t.Skip("SKIPPED: the memory of a process is not known on this system")
	}
	r := Solve(t, s, Hard(), sdk.SolveOptions{Memory: 1})
	if r.Reason != sdk.MemoryLimit {
		t.Errorf("%v, %v; want the memory limit", r.Status, r.Reason)
	}
}

// Target asks a Hard problem, minimised and maximised with negated coefficients, for a
// point that is easy to find: the search must end there, with NoReason.
func Target(t testing.TB, s sdk.Solver) {
	t.Helper()
	easy := math.Round(Solve(t, s, Hard(), sdk.SolveOptions{WorkLimit: 1}).Objective) + 50
	for _, maximise := range []bool{false, true} {
		m, target := Hard(), easy
		if maximise {
			m.Objective.Maximise, target = true, -easy
			for i := range m.Objective.Terms {
				m.Objective.Terms[i].Coef *= -1
			}
		}
		r := Solve(t, s, m, sdk.SolveOptions{Target: &target})
		if r.Status != sdk.Feasible || r.Reason != sdk.NoReason {
			t.Fatalf("maximise %v: %v, %v; want a point that reaches the target", maximise, r.Status, r.Reason)
		}
		if maximise && r.Objective < target || !maximise && r.Objective > target {
			t.Errorf("maximise %v: objective %v does not reach %v", maximise, r.Objective, target)
		}
	}
}

// Gap asks for an optimality gap of a half, on a problem whose optimum lies between 1000
// and 1010 and whose incumbents are at most a few thousand: such a gap is soon proved.
func Gap(t testing.TB, s sdk.Solver) {
	t.Helper()
	m := MarketSplit(3, 24)
	m.Objective.Offset = 1000
	r := Solve(t, s, m, sdk.SolveOptions{Gap: 0.5})
	if r.Status != sdk.Optimal || !r.HasBound || r.Objective-r.Bound > 0.5*r.Objective {
		t.Errorf("%v, objective %v, bound %v; want them within half", r.Status, r.Objective, r.Bound)
	}
}

// Progress checks the reports of a search: they come one at a time, incumbents are
// feasible and improve, bounds hold, both occur, and the last incumbent is the
// result's.
func Progress(t testing.TB, s sdk.Solver) {
	t.Helper()
	m := Hard()
	var seen []sdk.Progress
	busy := false
	r := Solve(t, s, m, sdk.SolveOptions{WorkLimit: 100, Progress: func(p sdk.Progress) {
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
		x := problem.Float64s(p.Values)
		if v := m.Violation(x); v > 1e-6 {
			t.Errorf("incumbent violates the problem by %g", v)
		}
		if got := problem.Evaluate(m.Objective.Terms, x); math.Abs(got-p.Objective) > 1e-6 {
			t.Errorf("objective %v, the incumbent's is %v", p.Objective, got)
		}
		if best != nil && p.Objective >= best.Objective {
			t.Errorf("incumbent %v after %v; want each better than the last", p.Objective, best.Objective)
		}
		best = p
	}
	if best == nil || math.Abs(best.Objective-r.Objective) > 1e-6 || !bounded {
		t.Errorf("%d reports, bounded %v, last incumbent %+v; want the result's %v", len(seen), bounded, best, r.Objective)
	}
}
