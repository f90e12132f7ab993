package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/problem"
)

// launch starts the plugin in a process of its own.
func launch(t *testing.T) *client.Plugin {
	t.Helper()
	lpsolveOrSkip(t)
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
	lpsolveOrSkip(t)
	conformance.Solver(t, sdk.Solver(shared), conformance.Options{})
}

func TestConformanceOverTheWire(t *testing.T) {
	conformance.Solver(t, sdk.Solver(launch(t).Solver()), conformance.Options{
		NewSolver: func(context.Context) (sdk.Solver, error) { return launch(t).Solver(), nil },
	})
}

// A loaded problem, its deltas, and an interrupted search work in a process as
// they do here.
func TestProcess(t *testing.T) {
	s := launch(t).Solver()
	m := hard()
	l, err := s.Load(t.Context(), &problem.Problem{MILP: m})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, err := l.Solve(t.Context(), problem.Delta{Push: 1}, sdk.SolveOptions{WorkLimit: 20})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, m, r)
	if r.Reason != sdk.WorkLimit || !r.HasBound {
		t.Errorf("%v, %v, bound %v", r.Status, r.Reason, r.HasBound)
	}
	// No subset of numbers above 0 has a sum below 0.
	row := m.Rows[0].Terms
	numbers := row[:len(row)-2] // without the two slacks
	none := []problem.Row{{Lo: math.Inf(-1), Hi: -1, Terms: numbers}}
	for _, c := range []struct {
		delta problem.Delta
		want  sdk.Status
	}{
		{problem.Delta{Rows: none}, sdk.Infeasible},
		{problem.Delta{Pop: 1}, sdk.Feasible},
	} {
		r, err := l.Solve(t.Context(), c.delta, sdk.SolveOptions{WorkLimit: 500})
		if err != nil || r.Status != c.want {
			t.Errorf("%+v, %v; want %v", r, err, c.want)
		}
	}
}
