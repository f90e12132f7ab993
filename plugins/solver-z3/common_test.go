package main

import (
	"context"
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestMain(m *testing.M) { rig.MainWithLibraries(m, main, "../../.deps/lib") }

// scriptOf makes a script whose symbols are all that its text declares.
func scriptOf(t fataler, text string) *problem.Script {
	t.Helper()
	parsed, err := script.Parse(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	s := &problem.Script{Text: text}
	for _, y := range parsed.Symbols {
		s.Symbols = append(s.Symbols, problem.Symbol{Name: y.Name, Sort: y.Sort, Role: problem.RoleOther})
	}
	return s
}

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

// checkResult checks what must hold of every result; text is the script as it
// stands under deltas that declare nothing.
func checkResult(t fataler, text string, s *problem.Script, r *sdk.Result) {
	t.Helper()
	if r.Status < sdk.Feasible || r.Status > sdk.Unknown {
		t.Fatalf("status %v", r.Status)
	}
	if held := r.Status == sdk.Feasible || r.Status == sdk.Optimal; held != r.HasPoint() {
		t.Fatalf("%v with a point: %v", r.Status, r.HasPoint())
	}
	if (r.Reason == sdk.NoReason) != (r.Status != sdk.Unknown) && r.Status != sdk.Feasible {
		t.Fatalf("%v, reason %q", r.Status, r.Reason)
	}
	if r.Tolerance != 0 || r.Native == "" || r.Nodes < 0 {
		t.Fatalf("tolerance %v, native %q, %d nodes", r.Tolerance, r.Native, r.Nodes)
	}
	if !r.HasPoint() {
		return
	}
	parsed, err := script.Parse(text)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if ok, err := parsed.Holds(valuesOf(s, r)); err != nil || !ok {
		t.Fatalf("the script does not hold at %v (%v)", r.Values, err)
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
