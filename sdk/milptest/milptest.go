// Package milptest holds tests for floating-point solvers of the MILP form that use
// branch and bound, report progress, and keep every limit: one function per test, for
// a plugin's own tests.
//
//	func TestAnswers(t *testing.T)   { milptest.Answers(t, newSolver(), "unbounded") }
//	func TestWorkLimit(t *testing.T) { milptest.WorkLimit(t, newSolver()) }
//	func TestOptimum(t *testing.T)   { milptest.Optima(t, newSolver()) }
//
// They go beyond package conformance, which tests what every plugin must do: here a
// stopped search must return a point and a bound, its work must be near the limit,
// and a target must end it. Plugins must still pass conformance; these tests find
// mistakes sooner.
package milptest

import (
	"context"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

var inf = math.Inf(1)

// guardTime is how long a test waits for something that takes a fraction of a second
// before it fails. It is not a measurement.
const guardTime = 60 * time.Second

// Solve solves a problem, and checks what must hold for every result. It works in
// tests and in properties (a *rapid.T).
func Solve(t rapid.TB, s sdk.Solver, m *problem.MILP, o sdk.SolveOptions) *sdk.Result {
	t.Helper()
	p := &problem.Problem{MILP: m}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	Check(t, m, r)
	return r
}

// Check fails unless the result is consistent: claims that need a point have one,
// within the claimed tolerance, with the right objective and on the right side of
// the bound; there is a native status; and the tolerance is that of a floating-point
// solver, 1e-7 to 1e-3.
func Check(t rapid.TB, m *problem.MILP, r *sdk.Result) {
	t.Helper()
	claimsPoint := r.Status == sdk.Feasible || r.Status == sdk.Optimal
	switch err := (known.Referee{Grade: sdk.GradeRigorous, Coarsest: 1e-3}).Claim(&problem.Problem{Name: "asked", MILP: m}, r); {
	case err != nil:
		t.Fatalf("%v", err)
	case claimsPoint != r.HasPoint():
		t.Fatalf("%v with a point: %v", r.Status, r.HasPoint())
	case r.Tolerance < 1e-7:
		t.Fatalf("tolerance %v, want at least 1e-7", r.Tolerance)
	case r.Native == "":
		t.Fatalf("no native status")
	}
}

// Terms gives each column in turn its coefficient; coefficients of 0 are left out.
func Terms(coefs ...float64) []problem.Term { return known.Terms(coefs...) }

// MarketSplit asks for the columns whose sums come closest to half the total in
// several rows at once. It is small, and any subset of columns is a point, but
// proving the optimum takes branch and bound far longer than a test may. Its 0-1
// columns come first; each row then has two continuous slacks, the last two of its
// terms.
func MarketSplit(rows, columns int) *problem.MILP {
	m := &problem.MILP{}
	for range columns {
		m.Columns = append(m.Columns, problem.Column{Hi: 1, Integer: true})
	}
	state := uint32(12345)
	for range rows {
		var row problem.Row
		sum := 0.0
		for j := range columns {
			state = state*1664525 + 1013904223
			c := float64((state >> 16) % 100)
			sum += c
			row.Terms = append(row.Terms, problem.Term{Column: j, Coef: c})
		}
		over := len(m.Columns)
		m.Columns = append(m.Columns, problem.Column{Hi: inf}, problem.Column{Hi: inf})
		row.Terms = append(row.Terms, problem.Term{Column: over, Coef: 1}, problem.Term{Column: over + 1, Coef: -1})
		row.Lo = math.Floor(sum / 2)
		row.Hi = row.Lo
		m.Rows = append(m.Rows, row)
		m.Objective.Terms = append(m.Objective.Terms, problem.Term{Column: over, Coef: 1}, problem.Term{Column: over + 1, Coef: 1})
	}
	return m
}

// Hard is a MarketSplit on which a solver finds points at once and proves
// nothing for hours.
func Hard() *problem.MILP { return MarketSplit(5, 40) }

// NoSubset returns a row that makes a MarketSplit infeasible: no sum of nonnegative
// numbers is below 0.
func NoSubset(split *problem.MILP) problem.Row {
	numbers := split.Rows[0].Terms
	return problem.Row{Lo: -inf, Hi: -1, Terms: numbers[:len(numbers)-2]}
}
