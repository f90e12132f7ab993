package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

// hard asks for a subset of 40 numbers with given sums in 5 rows at once, which takes far
// longer than a test may.
func hard(t *testing.T) *problem.Script {
	var b strings.Builder
	for j := range 40 {
		fmt.Fprintf(&b, "(declare-const x%d Int)(assert (<= 0 x%d 1))\n", j, j)
	}
	state := uint32(12345)
	for range 5 {
		total := uint32(0)
		b.WriteString("(assert (= (+")
		for j := range 40 {
			state = state*1664525 + 1013904223
			c := (state >> 16) % 100
			total += c
			fmt.Fprintf(&b, " (* %d x%d)", c, j)
		}
		fmt.Fprintf(&b, ") %d))\n", total/2)
	}
	return known.Script(b.String())
}

// guardTime is how long a test waits for something that takes a fraction of a second
// before it gives up; it is not a measurement.
const guardTime = 60 * time.Second

// solveWithin solves, and fails if that takes absurdly long.
func solveWithin(ctx context.Context, t *testing.T, l sdk.Loaded, d problem.Delta, o sdk.SolveOptions) *sdk.Result {
	t.Helper()
	type outcome struct {
		r   *sdk.Result
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := l.Solve(ctx, d, o)
		done <- outcome{r, err}
	}()
	select {
	case out := <-done:
		if out.err != nil {
			t.Fatal(out.err)
		}
		return out.r
	case <-time.After(guardTime):
		t.Fatal("still running")
	}
	return nil
}

func loadHard(t *testing.T, s *problem.Script) sdk.Loaded {
	t.Helper()
	l, err := rig.Need(t, solver).Load(context.Background(), &problem.Problem{SMT: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// optimised is a script with an objective, for tests of what holds for scripts with and
// without.
func optimised(s *problem.Script, on bool) *problem.Script {
	if on {
		s.Objective = s.Symbols[0].Name
	}
	return s
}

// A cancel stops a check early and late, and the script can be solved again afterwards.
func TestCancel(t *testing.T) {
	for _, best := range []bool{false, true} {
		l := loadHard(t, optimised(hard(t), best))
		for _, after := range []time.Duration{0, time.Microsecond, time.Millisecond, 100 * time.Millisecond} {
			ctx, cancel := context.WithCancel(context.Background())
			if after == 0 {
				cancel()
			} else {
				time.AfterFunc(after, cancel)
			}
			r := solveWithin(ctx, t, l, problem.Delta{}, sdk.SolveOptions{})
			cancel()
			if r.Status != sdk.Unknown || r.Reason != sdk.Interrupted {
				t.Errorf("after %v: %v, %v (%s); want interrupted", after, r.Status, r.Reason, r.Native)
			}
		}
		r := solveWithin(context.Background(), t, l, problem.Delta{Push: 1, Assert: "(assert (= x0 x1 2))"}, sdk.SolveOptions{})
		if r.Status != sdk.Infeasible {
			t.Errorf("afterwards %v, %v (%s); want infeasible", r.Status, r.Reason, r.Native)
		}
	}
}

func TestTimeLimits(t *testing.T) {
	l := loadHard(t, hard(t))
	// Repeatedly: each Solve has its own clock.
	for _, limit := range []time.Duration{time.Nanosecond, time.Millisecond, 200 * time.Millisecond, 100 * time.Millisecond} {
		r := solveWithin(context.Background(), t, l, problem.Delta{}, sdk.SolveOptions{TimeLimit: limit})
		if r.Status != sdk.Unknown || r.Reason != sdk.TimeLimit || r.Elapsed < limit {
			t.Errorf("%v: %v, %v (%s) after %v; want the time limit", limit, r.Status, r.Reason, r.Native, r.Elapsed)
		}
	}
}

// A work limit stops at the same place each time.
func TestWorkLimit(t *testing.T) {
	for _, best := range []bool{false, true} {
		var nodes []int64
		for range 2 {
			r := solveWithin(context.Background(), t, loadHard(t, optimised(hard(t), best)), problem.Delta{}, sdk.SolveOptions{WorkLimit: 20_000})
			if r.Status != sdk.Unknown || r.Reason != sdk.WorkLimit {
				t.Fatalf("%v, %v (%s); want the work limit", r.Status, r.Reason, r.Native)
			}
			nodes = append(nodes, r.Nodes)
		}
		if nodes[0] != nodes[1] || nodes[0] <= 0 {
			t.Errorf("work %v for the same limit", nodes)
		}
	}
	s := known.Script("(declare-const x Int)(assert (= x 1))")
	if r := solve(t, s, sdk.SolveOptions{WorkLimit: 1_000_000}); r.Status != sdk.Feasible || r.Reason != sdk.NoReason {
		t.Errorf("%v, %v; want an answer below the limit", r.Status, r.Reason)
	}
}

func TestMemoryLimit(t *testing.T) {
	r := solveWithin(context.Background(), t, loadHard(t, hard(t)), problem.Delta{}, sdk.SolveOptions{Memory: 1})
	if r.Status != sdk.Unknown || r.Reason != sdk.MemoryLimit {
		t.Errorf("%v, %v (%s); want the memory limit", r.Status, r.Reason, r.Native)
	}
}

// An optimiser that runs out of time keeps the point it has.
func TestTimeLimitKeepsAnIncumbent(t *testing.T) {
	s := hard(t)
	// Any subset is feasible now; the optimum is the first row's earlier question.
	text := strings.ReplaceAll(s.Text, "(assert (= (+", "(assert (>= (+")
	text += "(declare-const v Int)(assert (= v (+"
	for j := range 40 {
		text += fmt.Sprintf(" (* %d x%d)", 1000+37*j%101, j)
	}
	text += ")))"
	s = known.Script(text)
	s.Objective = "v"
	r := solveWithin(context.Background(), t, loadHard(t, s), problem.Delta{}, sdk.SolveOptions{TimeLimit: 2 * time.Second})
	checkResult(t, text, s, r)
	if r.Status == sdk.Feasible && r.Reason != sdk.TimeLimit || r.Status != sdk.Feasible && r.Status != sdk.Optimal {
		t.Errorf("%v, %v (%s); want a point", r.Status, r.Reason, r.Native)
	}
}
