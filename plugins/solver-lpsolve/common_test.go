package main

import (
	"math"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/milptest"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
)

func TestMain(m *testing.M) { rig.MainWithLibraries(m, main, "../../.deps/lib") }

// shared is one solver for all tests: the library is loaded once.
var shared = newSolver()

// lpsolveOrSkip is the solver with its library; without it the test is skipped,
// or fails where CI=true promises the library.
func lpsolveOrSkip(t *testing.T) *solver {
	t.Helper()
	_, err := shared.open()
	rig.Need(t, "lp_solve (liblpsolve55)", err)
	return shared
}

func solve(t *testing.T, m *problem.MILP, o sdk.SolveOptions) *sdk.Result {
	t.Helper()
	return milptest.Solve(t, lpsolveOrSkip(t), m, o)
}

var inf, noBound = math.Inf(1), math.Inf(-1)

func terms(coefs ...float64) []problem.Term { return milptest.Terms(coefs...) }
