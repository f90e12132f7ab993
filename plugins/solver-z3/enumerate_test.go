package main

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

// Random scripts are about three small integers and a truth value: 250 points.
const declarations = `(declare-const a Int)(declare-const b Int)(declare-const c Int)(declare-const p Bool)
(assert (and (<= (- 2) a 2) (<= (- 2) b 2) (<= (- 2) c 2)))
(define-fun twice () Int (* 2 a))
`

var integers = []string{"a", "b", "c"}

// sum is Σ coefficient·integer.
type sum []int64

func drawSum(t *rapid.T) sum {
	out := make(sum, len(integers))
	for i := range out {
		out[i] = rapid.Int64Range(-5, 5).Draw(t, "coefficient")
	}
	return out
}

func (s sum) text() string {
	var b strings.Builder
	b.WriteString("(+ 0")
	for i, c := range s {
		fmt.Fprintf(&b, " (* %s %s)", fraction(big.NewRat(c, 1)), integers[i])
	}
	return b.String() + ")"
}

func (s sum) at(values map[string]*big.Rat) *big.Rat {
	out := new(big.Rat)
	for i, c := range s {
		out.Add(out, new(big.Rat).Mul(big.NewRat(c, 1), values[integers[i]]))
	}
	return out
}

// drawFormula draws a formula over linear comparisons.
func drawFormula(t *rapid.T, depth int) string {
	kinds := 4
	if depth > 0 {
		kinds = 9
	}
	sub := func() string { return drawFormula(t, depth-1) }
	side := func() string { return fraction(big.NewRat(rapid.Int64Range(-30, 30).Draw(t, "side"), 4)) }
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return "p"
	case 1:
		return "(= twice " + side() + ")"
	case 2:
		return "(= " + drawSum(t).text() + " " + drawSum(t).text() + ")"
	case 3, 4:
		return "(" + rapid.SampledFrom([]string{"<", "<=", ">", ">="}).Draw(t, "relation") + " " + drawSum(t).text() + " " + side() + ")"
	case 5:
		return "(not " + sub() + ")"
	case 6:
		return "(=> " + sub() + " " + sub() + ")"
	case 7:
		return "(<= (ite " + sub() + " " + drawSum(t).text() + " " + drawSum(t).text() + ") " + side() + ")"
	case 8:
		return "(and " + sub() + " " + sub() + ")"
	}
	return "(or " + sub() + " " + sub() + ")"
}

func drawAssertions(t *rapid.T, most int) string {
	var b strings.Builder
	for range rapid.IntRange(0, most).Draw(t, "assertions") {
		b.WriteString("(assert " + drawFormula(t, 2) + ")\n")
	}
	return b.String()
}

// enumerate visits every point that satisfies the script; complete adds the values of
// other constants.
func enumerate(t fataler, text string, complete, visit func(map[string]*big.Rat)) {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for k := range int64(250) {
		values := map[string]*big.Rat{"p": big.NewRat(k%2, 1)}
		rest := k / 2
		for _, name := range integers {
			values[name] = big.NewRat(rest%5-2, 1)
			rest /= 5
		}
		complete(values)
		ok, err := s.Holds(values)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if ok {
			visit(values)
		}
	}
}

// agree compares a result with the enumeration of the current script.
func agree(t *rapid.T, text string, p *problem.Script, r *sdk.Result) {
	t.Helper()
	checkResult(t, text, p, r)
	want := sdk.Infeasible
	enumerate(t, text, func(map[string]*big.Rat) {}, func(map[string]*big.Rat) { want = sdk.Feasible })
	if r.Status != want || r.Reason != sdk.NoReason {
		t.Fatalf("%v (%v, native %q), enumeration says %v of\n%s", r.Status, r.Reason, r.Native, want, text)
	}
}

func drawOptions(t *rapid.T) map[string]string {
	out := map[string]string{}
	for _, o := range options {
		out[o.Name] = rapid.SampledFrom(o.Words).Draw(t, o.Name)
	}
	return out
}

// Under every engine, verdicts are those of the enumeration.
func TestVerdictEqualsEnumeration(t *testing.T) {
	s := rig.Need(t, solver)
	tier.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "(set-logic QF_LIRA)\n"}).Draw(t, "logic") + declarations + drawAssertions(t, 5)
		p := known.Script(text)
		r, err := s.Solve(context.Background(), &problem.Problem{SMT: p}, sdk.SolveOptions{Options: drawOptions(t)})
		if err != nil {
			t.Fatal(err)
		}
		agree(t, text, p, r)
	})
}

// At each step, a chain of deltas on one load gives what the enumeration of the current
// script gives: popping restores it exactly, also with changing options.
func TestDeltasEqualEnumeration(t *testing.T) {
	s := rig.Need(t, solver)
	tier.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		p := known.Script(declarations + drawAssertions(t, 1))
		l, err := s.Load(context.Background(), &problem.Problem{SMT: p})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		referee, depth := problem.NewStack(&problem.Problem{SMT: p}), 0
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			d := problem.Delta{
				Pop:    rapid.IntRange(0, depth).Draw(t, "pop"),
				Push:   rapid.IntRange(0, 2).Draw(t, "push"),
				Assert: drawAssertions(t, 2),
			}
			depth += d.Push - d.Pop
			now, err := referee.Apply(d)
			if err != nil {
				t.Fatal(err)
			}
			o := sdk.SolveOptions{Seed: rapid.Int64().Draw(t, "seed")}
			if rapid.IntRange(0, 4).Draw(t, "other options") == 0 {
				o.Options = drawOptions(t)
			}
			r, err := l.Solve(context.Background(), d, o)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, now.SMT.Text, p, r)
		}
	})
}
