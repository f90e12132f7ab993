package script_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/script"
)

const declarations = `(set-logic QF_LIRA) ; a comment
(declare-const x Int) (declare-fun |a b| () Real) (declare-const p Bool)
(define-fun twice () Int (* 2 x))
`

// The point at which every formula below is evaluated: x = 3, a b = 1/3, p.
var point = map[string]*big.Rat{"x": big.NewRat(3, 1), "a b": big.NewRat(1, 3), "p": big.NewRat(1, 1)}

func TestHolds(t *testing.T) {
	for formula, want := range map[string]bool{
		"p": true, "(not p)": false, "true": true, "false": false,
		"(and p (= x 3))": true, "(and p (= x 4))": false, "(or (= x 4) p)": true, "(or false false)": false,
		"(=> p (< x 3))": false, "(=> (not p) false)": true, "(=> p p false)": false, "(xor p p p)": true,
		"(= (* 3 |a b|) 1)": true, "(= (* 3.0 |a b|) 1.0)": true, "(= |a b| (/ 1 3))": true, "(= |a b| 0.3333)": false,
		"(<= 1 x 3)": true, "(< 1 x 3)": false, "(> x 2.5)": true, "(>= x 3)": true, "(distinct x 1 2)": true, "(distinct x 3)": false,
		"(= twice 6)": true, "(= (- x) (- 0 3))": true, "(= (- 10 x 2) 5)": true, "(= (ite p x 0) 3)": true, "(= (to_real x) 3)": true,
		"(let ((y (+ x 1)) (q p)) (and q (= y 4)))":       true,
		"(let ((x 7)) (= x 7))":                           true,
		"(= p (= x 3))":                                   true,
		"(= (ite (< x 0) 0 (+ x |a b|)) (+ 3 (/ 1.0 3)))": true,
	} {
		s, err := script.Parse(declarations + "(assert " + formula + ")")
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		got, err := s.Holds(point)
		if err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", formula, got, err, want)
		}
	}
}

func TestFaultsAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"(assert y)": "unknown name", "(assert (= x 1)": "ends inside", ")": "unexpected", "(assert 1x)": "not a numeral",
		"(declare-const x Int)": "twice", "(declare-const and Int)": "cannot be declared", "(declare-const z Array)": "sort",
		"(check-sat)": "unknown command", "(assert |x)": "ends inside", "(assert ())": "empty term", "x": "want a command",
		"(declare-fun f (Int) Int)": "only constants", "(assert (let ((y)) p))": "let binding",
		strings.Repeat("(", 20000): "nested deeper", "(assert (let ((y 1)) y z))": "let takes",
		"(define-fun loop () Int (+ loop 1))": "unknown name",
	} {
		if _, err := script.Parse(declarations + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
	for _, formula := range []string{"x", "(= x p)", "(and x x)", "(+ p p)", "(> (/ x 0) 1)", "(ite x p p)", "(not p p)", "(ite p p)", "(+)", "and", "(x x)"} {
		s, err := script.Parse(declarations + "(assert " + formula + ")")
		if err != nil {
			t.Errorf("%s does not parse: %v", formula, err)
			continue
		}
		if ok, err := s.Holds(point); err == nil {
			t.Errorf("%s evaluates to %v, want an error", formula, ok)
		}
	}
}

func TestPointMustFitTheSorts(t *testing.T) {
	s, err := script.Parse(declarations + "(assert true)")
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]*big.Rat{"x": big.NewRat(1, 2), "p": big.NewRat(2, 1), "a b": nil} {
		values := map[string]*big.Rat{}
		for k, v := range point {
			values[k] = v
		}
		values[name] = bad
		if _, err := s.Holds(values); err == nil {
			t.Errorf("%s = %v is taken", name, bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(declarations + "(assert (and p (= x 3)))")
	f.Add("(assert (let ((y 1)) (= y 1.5)))")
	f.Add("(((((")
	f.Add("(define-fun y () Int (+ y 1))(assert (= y 2))")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse(text)
		if err != nil {
			return
		}
		values := map[string]*big.Rat{}
		for _, y := range s.Symbols {
			values[y.Name] = big.NewRat(1, 1)
		}
		_, _ = s.Holds(values) // must not panic
	})
}
