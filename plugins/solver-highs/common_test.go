package main

import (
	"math"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestMain(m *testing.M) { rig.MainWithLibraries(m, main, "../../.deps/lib") }

func solve(t *testing.T, m *problem.MILP, o sdk.SolveOptions) *sdk.Result {
	t.Helper()
	return milptest.Solve(t, rig.Need(t, solver), m, o)
}

var inf = math.Inf(1)

func terms(coefs ...float64) []problem.Term { return milptest.Terms(coefs...) }
