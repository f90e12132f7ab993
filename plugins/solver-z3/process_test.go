package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/problem"
)

// launch starts the plugin in a process of its own.
func launch(t *testing.T) *client.Plugin {
	t.Helper()
	z3OrSkip(t)
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.Launch(t.Context(), client.Config{Path: self, Kind: client.Solver, Env: []string{servesVariable + "=1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestConformance(t *testing.T) {
	z3OrSkip(t)
	conformance.Solver(t, sdk.Solver(shared), conformance.Options{})
}

func TestConformanceOverTheWire(t *testing.T) {
	conformance.Solver(t, sdk.Solver(launch(t).Solver()), conformance.Options{
		NewSolver: func(context.Context) (sdk.Solver, error) { return launch(t).Solver(), nil },
	})
}

// A signal on its way to the host reaches its plugins too; one that comes while
// Z3 checks must end neither the check nor the process. A loaded problem, its deltas and a cancel
// work in a process as they do here.
func TestProcess(t *testing.T) {
	p := launch(t)
	l, err := p.Solver().Load(t.Context(), &problem.Problem{SMT: hard(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
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
	for _, c := range []struct {
		delta problem.Delta
		want  sdk.Status
	}{
		{problem.Delta{Push: 1, Assert: "(assert (> x0 x1 0))"}, sdk.Infeasible},
		{problem.Delta{Pop: 1, Push: 1, Assert: "(assert (< (+ x0 x1) 0))"}, sdk.Infeasible},
		{problem.Delta{Pop: 1}, sdk.Unknown},
	} {
		if r := solveWithin(t.Context(), t, l, c.delta, sdk.SolveOptions{TimeLimit: time.Second}); r.Status != c.want {
			t.Errorf("%v, %v (%s); want %v", r.Status, r.Reason, r.Native, c.want)
		}
	}
	if _, err := l.Solve(t.Context(), problem.Delta{Assert: "(assert nonsense)"}, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrInvalidProblem) || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v, want ErrInvalidProblem with Z3's words", err)
	}
}
