package main

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
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
	s := lpsolveOrSkip(t)
	p := &problem.Problem{MILP: m}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, m, r)
	return r
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkResult checks what must hold of every result.
func checkResult(t fataler, m *problem.MILP, r *sdk.Result) {
	t.Helper()
	if r.Status < sdk.Feasible || r.Status > sdk.Unknown {
		t.Fatalf("status %v", r.Status)
	}
	claimsPoint := r.Status == sdk.Feasible || r.Status == sdk.Optimal
	if claimsPoint != r.HasPoint() {
		t.Fatalf("%v with a point: %v", r.Status, r.HasPoint())
	}
	if r.Tolerance < 1e-7 || r.Tolerance > 1e-3 {
		t.Fatalf("tolerance %v", r.Tolerance)
	}
	if r.Native == "" {
		t.Fatalf("no native status")
	}
	if !r.HasPoint() {
		return
	}
	x := floats(r.Values)
	if v := m.Violation(x); v > r.Tolerance {
		t.Fatalf("point violates the problem by %g, tolerance %g", v, r.Tolerance)
	}
	if got := problem.Evaluate(m.Objective.Terms, x) + m.Objective.Offset; math.Abs(got-r.Objective) > 1e-9*(1+math.Abs(got)) {
		t.Fatalf("objective %v, the point's is %v", r.Objective, got)
	}
	if r.HasBound && (m.Objective.Maximise && r.Bound < r.Objective || !m.Objective.Maximise && r.Bound > r.Objective) {
		t.Fatalf("bound %v contradicts the objective %v", r.Bound, r.Objective)
	}
}

var inf = math.Inf(1)

// testBegin is when questions begin that no clock matters for.
var testBegin = time.Now()

func terms(coefs ...float64) []problem.Term {
	var out []problem.Term
	for i, c := range coefs {
		if c != 0 {
			out = append(out, problem.Term{Column: i, Coef: c})
		}
	}
	return out
}

// marketSplit asks for a subset of numbers whose sums come closest to half in
// several rows at once: small, any subset will do for a point, and proving the
// best one is far beyond branch and bound in a test's time.
func marketSplit(rowCount, columns int) *problem.MILP {
	m := &problem.MILP{}
	for range columns {
		m.Columns = append(m.Columns, problem.Column{Hi: 1, Integer: true})
	}
	state := uint32(12345)
	for range rowCount {
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
