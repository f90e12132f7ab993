package main

import (
	"context"
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestMain(m *testing.M) { rig.MainWithLibraries(m, main, "../../.deps/lib") }

func solve(t *testing.T, s *problem.Script, o sdk.SolveOptions) *sdk.Result {
	t.Helper()
	r, err := rig.Need(t, solver).Solve(context.Background(), &problem.Problem{SMT: s}, o)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, s.Text, s, r)
	return r
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkResult checks what must hold for every result; text is the current script under
// deltas that declare nothing.
func checkResult(t fataler, text string, s *problem.Script, r *sdk.Result) {
	t.Helper()
	now := *s
	now.Text = text
	if err := (known.Referee{Grade: sdk.GradeExact}).Claim(&problem.Problem{SMT: &now}, r); err != nil {
		t.Fatalf("%v", err)
	}
	if held := r.Status == sdk.Feasible || r.Status == sdk.Optimal; held != r.HasPoint() || r.Native == "" {
		t.Fatalf("%v with a point: %v; native %q", r.Status, r.HasPoint(), r.Native)
	}
}

// valuesOf maps the symbols to the values of a result.
func valuesOf(s *problem.Script, r *sdk.Result) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	for i, y := range s.Symbols {
		out[y.Name] = r.Values[i].Rat
	}
	return out
}
