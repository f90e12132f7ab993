package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestConformance(t *testing.T) {
	rig.Need(t, solver)
	rig.Conformance(t, client.Solver)
}

// A signal to the host reaches its plugins, too. One that comes while Z3 checks must end neither
// the check nor the process. A loaded problem, its deltas and a cancel work in a process as they
// do here.
func TestProcess(t *testing.T) {
	tier.NeedUsual(t)
	rig.Need(t, solver)
	p := rig.Launch(t, client.Solver)
	l := rig.Load(t, p.Solver(), &problem.Problem{SMT: hard(t)})
	pid := p.Pid()
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		time.AfterFunc(200*time.Millisecond, func() { process.Signal(os.Interrupt) })
		r := solveWithin(t.Context(), t, l, problem.Delta{}, sdk.SolveOptions{TimeLimit: 400 * time.Millisecond})
		if r.Status != sdk.Unknown || r.Reason != sdk.TimeLimit {
			t.Errorf("%v, %v (%s); want the time limit", r.Status, r.Reason, r.Native)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if r := solveWithin(ctx, t, l, problem.Delta{}, sdk.SolveOptions{}); r.Reason != sdk.Interrupted {
		t.Errorf("%v, %v (%s); want interrupted", r.Status, r.Reason, r.Native)
	}
	if p.Pid() != pid {
		t.Errorf("process %d is gone, and %d came for it", pid, p.Pid())
	}
	second := sdk.SolveOptions{TimeLimit: time.Second}
	rig.Walk(t, l,
		rig.Step{Delta: problem.Delta{Push: 1, Assert: "(assert (> x0 x1 0))"}, Options: second, Want: sdk.Infeasible},
		rig.Step{Delta: problem.Delta{Pop: 1, Push: 1, Assert: "(assert (< (+ x0 x1) 0))"}, Options: second, Want: sdk.Infeasible},
		rig.Step{Delta: problem.Delta{Pop: 1}, Options: second, Want: sdk.Unknown})
	if _, err := l.Solve(t.Context(), problem.Delta{Assert: "(assert nonsense)"}, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrInvalidProblem) || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v, want ErrInvalidProblem with Z3's words", err)
	}
}
