package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/milptest"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
)

func TestConformance(t *testing.T) {
	conformance.Solver(t, highsOrSkip(t), conformance.Options{})
}

func TestConformanceOverTheWire(t *testing.T) {
	highsOrSkip(t)
	rig.Conformance(t, client.Solver)
}

// A loaded problem, its deltas, and an interrupted search work in a process as
// they do here.
func TestProcess(t *testing.T) {
	highsOrSkip(t)
	m := milptest.Hard()
	none := []problem.Row{milptest.NoSubset(m)}
	r := rig.Walk(t, rig.Load(t, rig.Launch(t, client.Solver).Solver(), &problem.Problem{MILP: m}),
		rig.Step{Delta: problem.Delta{Push: 1}, Options: sdk.SolveOptions{WorkLimit: 20}, Want: sdk.Feasible},
		rig.Step{Delta: problem.Delta{Rows: none}, Options: sdk.SolveOptions{WorkLimit: 1}, Want: sdk.Infeasible},
		rig.Step{Delta: problem.Delta{Pop: 1}, Options: sdk.SolveOptions{WorkLimit: 1}, Want: sdk.Feasible})
	milptest.Check(t, m, r[0])
	if r[0].Reason != sdk.WorkLimit || !r[0].HasBound {
		t.Errorf("%v, %v, bound %v", r[0].Status, r[0].Reason, r[0].HasBound)
	}
}
