package main

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       sdk.Status
		values     string // if there is only one point
	}{
		{"true", "(assert true)", sdk.Feasible, ""},
		{"false", "(assert false)", sdk.Infeasible, ""},
		{"nothing asserted", "(declare-const x Int)", sdk.Feasible, ""},
		{"a third", "(declare-const x Real)(assert (= (* 3 x) 1))", sdk.Feasible, "1/3"},
		{"minus a third", "(declare-const x Real)(assert (= (* 3 x) (- 1)))", sdk.Feasible, "-1/3"},
		{"a fraction no float64 holds", "(declare-const x Real)(assert (= x (/ 100000000000000000000000000000000000001 3)))", sdk.Feasible, "100000000000000000000000000000000000001/3"},
		{"a strict gap no float64 shows", "(declare-const x Real)(declare-const y Int)(assert (and (= y 1) (< 1 x (+ 1 (/ 1 1000000000000000000000)))))", sdk.Feasible, ""},
		{"an empty strict gap", "(declare-const x Real)(assert (and (< 1 x) (< x 1)))", sdk.Infeasible, ""},
		{"every sort", "(declare-const p Bool)(declare-fun n () Int)(declare-const x Real)(declare-const q Bool)(assert (and p (not q) (= n (- 7)) (= x 0.25)))", sdk.Feasible, "1 -7 1/4 0"},
		{"a quoted name", "(declare-const |a b;(| Int)(assert (= |a b;(| 5)) ; )))", sdk.Feasible, "5"},
		{"definitions", "(declare-const x Int)(define-fun twice () Int (* 2 x))(assert (= twice 6))", sdk.Feasible, "3"},
		{"other commands", "(set-logic QF_LIA)(set-info :status sat)(set-option :produce-models true)(declare-const x Int)(assert (= x 1))", sdk.Feasible, "1"},
		{"no integer", "(declare-const x Int)(declare-const y Int)(assert (= (+ (* 4 x) (* 6 y)) 7))", sdk.Infeasible, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := known.Script(c.text)
			r := solve(t, s, sdk.SolveOptions{})
			if r.Status != c.want || r.Reason != sdk.NoReason {
				t.Fatalf("%v, %v (native %q), want %v", r.Status, r.Reason, r.Native, c.want)
			}
			var got []string
			for _, v := range r.Values {
				got = append(got, v.String())
			}
			if text := strings.Join(got, " "); c.values != "" && text != c.values {
				t.Errorf("values %s, want %s", text, c.values)
			}
		})
	}
}

// A solution that is not a fraction is not returned as one.
func TestIrrationalValuesAreNoAnswer(t *testing.T) {
	s := known.Script("(declare-const x Real)(assert (= (* x x) 2))")
	r := solve(t, s, sdk.SolveOptions{})
	if r.Status != sdk.Unknown || r.Reason != sdk.Incomplete || !strings.Contains(r.Native, "not a rational number") {
		t.Errorf("%v, %v (%s)", r.Status, r.Reason, r.Native)
	}
}

func TestSameProblemTwice(t *testing.T) {
	s := known.Script("(declare-const x Int)(declare-const y Int)(declare-const z Real)(assert (and (<= 0 x 90) (<= 0 y 90) (< 1 (- (* 3 x) (* 7 y) z) 2)))")
	for seed := range int64(3) {
		o := sdk.SolveOptions{Seed: seed}
		first, second := solve(t, s, o), solve(t, s, o)
		rational := cmp.Comparer(func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		if diff := cmp.Diff(first, second, rational, cmpopts.IgnoreFields(sdk.Result{}, "Elapsed")); diff != "" {
			t.Errorf("same problem and seed, another result:\n%s", diff)
		}
	}
}

// Any faulty script is refused with what is wrong and where, and the process and the
// solver remain usable.
func TestBadScripts(t *testing.T) {
	s, ctx := rig.Need(t, solver), context.Background()
	for text, want := range map[string]string{
		"(declare-const x Int)\n(assert (= x y))":           "line 2, column 13: unknown constant y",
		"(assert (+ 1 true))":                               "line 1, column",
		"(assert 3)":                                        "line 1",
		"(declare-const x Int)(declare-const x Int)":        "already declared",
		"(declare-const x Nonsense)":                        "unknown sort",
		"(declare-const x Int)(assert (= x 1)":              "line 1: a parenthesis is never closed",
		"(assert true))":                                    "line 1: unexpected )",
		"hello":                                             "want a command",
		"(assert |true)":                                    "ends inside |",
		"\n(exit)":                                          `line 2: command "exit"`,
		"(assert true)(check-sat)":                          `command "check-sat"`,
		"(push 1)(assert true)":                             `command "push"`,
		"(include \"/etc/passwd\")":                         `command "include"`,
		"()":                                                `command ""`,
		"((assert true))":                                   `command "(assert true)"`,
		"(assert true)\x00(assert false)":                   "control character",
		"(assert (= |a\x00b| 1))":                           "control character",
		"(assert (forall ((x Int)) (= x unknown)))":         "unknown",
		"(define-fun f () Int)":                             "line 1",
		"(declare-const x Int)(assert (< x 1) :named oops)": "line 1",
		"(assert " + strings.Repeat("(not ", 100_000) + "nonsense" + strings.Repeat(")", 100_000) + ")": "unknown constant nonsense",
	} {
		_, err := s.Solve(ctx, &problem.Problem{SMT: &problem.Script{Text: text}}, sdk.SolveOptions{})
		if !errors.Is(err, sdk.ErrInvalidProblem) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: error %v, want ErrInvalidProblem with %q", text, err, want)
		}
	}
	for _, symbol := range []problem.Symbol{{Name: "y", Sort: "Int"}, {Name: "x", Sort: "Real"}, {Name: "f", Sort: "Int"}} {
		p := &problem.Script{Text: "(declare-const x Int)(declare-fun f (Int) Int)(assert (= x (f 1)))", Symbols: []problem.Symbol{symbol}}
		if _, err := s.Solve(ctx, &problem.Problem{SMT: p}, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrInvalidProblem) {
			t.Errorf("symbol %v: error %v, want ErrInvalidProblem", symbol, err)
		}
	}
	if r := solve(t, known.Script("(assert true)"), sdk.SolveOptions{}); r.Status != sdk.Feasible {
		t.Errorf("afterwards %v", r.Status)
	}
}

// Long chains of terms are read and answered without running out of stack.
func TestDeepScripts(t *testing.T) {
	const deep = 50_000
	text := "(declare-const p Bool)(assert " + strings.Repeat("(not ", deep) + "p" + strings.Repeat(")", deep) + ")"
	s := &problem.Script{Text: text, Symbols: []problem.Symbol{{Name: "p", Sort: "Bool"}}}
	r, err := rig.Need(t, solver).Solve(context.Background(), &problem.Problem{SMT: s}, sdk.SolveOptions{})
	if err != nil || r.Status != sdk.Feasible || r.Values[0].String() != "1" {
		t.Errorf("%+v, %v; want p true", r, err)
	}
}

// What every plugin around a library must do apart from answering.
func TestLibrary(t *testing.T) {
	d := rig.Library(t, rig.Need(t, solver), &solver.Plugin, z3.Spec, &problem.Problem{SMT: known.Script("(assert true)")})
	if d.Exactness != sdk.GradeExact {
		t.Errorf("exactness %v", d.Exactness)
	}
}
