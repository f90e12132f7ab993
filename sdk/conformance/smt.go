package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// smallScript is feasible at (0, 2), (1, 1) and (2, 0).
func smallScript() *problem.Script {
	return known.Script(`(declare-const x Int)
(declare-const y Int)
(assert (and (<= 0 x 3) (<= 0 y 3)))
(assert (= (+ x y) 2))
`)
}

// asserted makes a case from scripts that have the same answer.
func asserted(name, doc string, want known.Answer, texts ...string) Case[*SolverEnv] {
	return asked(problem.Decide, name, doc, func() (list scripts) {
		for i, text := range texts {
			list = append(list, question[*problem.Script]{fmt.Sprintf("%s, script %d", name, i+1), known.Script(text), want})
		}
		return list
	})
}

var smtCases = append(commonCases(problem.FormSMT), []Case[*SolverEnv]{
	asserted("smt/feasible", "a trivially satisfiable script is feasible, with values", known.Feasible,
		"(assert true)",
		"(declare-const p Bool)(assert p)",
		"(set-logic QF_LIA)(declare-fun x () Int)(assert (<= 3 x 3))"),
	asserted("smt/infeasible", "a trivially unsatisfiable script is infeasible", known.Infeasible,
		"(assert false)",
		"(declare-const p Bool)(assert p)(assert (not p))",
		"(declare-const x Int)(assert (<= 0 x 5))(assert (and (< 2 x) (< x 3)))"),
	asserted("smt/integer-infeasible", "an Int has no value between two integers", known.Infeasible,
		"(declare-const x Int)(declare-const y Int)(assert (and (<= 0 x 5) (<= 0 y 5)))(assert (= (+ (* 2 x) (* 2 y)) 3))"),
	asserted("smt/values", "values come in the order of the symbols: Bool as 0 or 1, Int, and Real as the exact fraction", known.Feasible,
		"(declare-const a Int)(declare-const b Bool)(declare-const c Int)(assert (and (<= 4 a 4) (not b) (<= 2 c 2)))",
		"(declare-const c Int)(declare-const a Bool)(declare-const b Int)(assert (and a (<= (- 7) c (- 6)) (<= 0 b 2) (= (+ b c) (- 4))))",
		"(declare-const z Real)(assert (= (* 3 z) 1))",
		"(declare-const z Real)(declare-const n Int)(assert (<= 0 n 3))(assert (= z (/ (to_real n) 3)))(assert (and (< 0 z) (< z 0.5)))"),
	asserted("smt/structure", "nested formulas, let, ite and quoted names mean what SMT-LIB says", known.Feasible,
		"(declare-const |a b| Int)(assert (<= 0 |a b| 4))(assert (let ((d (+ |a b| |a b|))) (= d 6)))",
		"(declare-const x Int)(assert (<= (- 3) x 3))(assert (= (ite (< x 0) (- x) x) 2))(assert (not (>= x 0)))",
		"(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(assert (<= 0 x 2))(assert (=> p (= x 2)))(assert (or p q))(assert (not q)) ; a comment"),
	on(problem.Decide, "smt/bad-script", "a script that does not parse is ErrInvalidProblem, never an answer", checkBadScript),
	on(problem.Decide, "smt/push-pop", "assertions pushed are gone when popped", checkScriptPushPop),
	asked(problem.Maximise, "smt/maximise", "the objective symbol is optimised in its direction", optimisedScripts),
}...)

func checkBadScript(ctx context.Context, e *SolverEnv) error {
	for _, text := range []string{
		"(declare-const x Int)(assert (= x 1)",
		"(declare-const x Int)(assert (= x unheard-of))",
		"(declare-const p Bool)(assert (+ p p))",
		"(declare-const p Bool)(assert p))",
	} {
		p := &problem.Problem{Name: text, SMT: &problem.Script{Text: text}}
		r, err := e.solve(ctx, p, sdk.SolveOptions{})
		if !errors.Is(err, sdk.ErrInvalidProblem) {
			return fmt.Errorf("script %s: want ErrInvalidProblem, got %s", text, known.Said(r, err))
		}
	}
	// A bad script must not affect later ones.
	_, err := e.ask(ctx, &problem.Problem{Name: "after the faults", SMT: smallScript()}, known.Feasible, sdk.SolveOptions{})
	return err
}

func checkScriptPushPop(ctx context.Context, e *SolverEnv) error {
	l, err := e.load(ctx, &problem.Problem{Name: "loaded", SMT: smallScript()})
	if err != nil {
		return err
	}
	defer l.loaded.Close()
	for i, step := range []struct {
		d    problem.Delta
		want known.Answer
	}{
		{problem.Delta{}, known.Feasible},
		{problem.Delta{Push: 1, Assert: "(assert (> x y))"}, known.Feasible},
		{problem.Delta{Push: 1, Assert: "(assert (= x 1))"}, known.Infeasible},
		{problem.Delta{Pop: 1, Push: 1, Assert: "(declare-const z Int)(assert (<= 0 z 1))(assert (= (+ x z) 3))"}, known.Feasible},
		{problem.Delta{Pop: 2}, known.Feasible},
		{problem.Delta{Push: 1, Assert: "(declare-const z Bool)(assert (and z (= x y)))"}, known.Feasible},
		{problem.Delta{Pop: 1, Assert: "(assert (= x 3))"}, known.Infeasible},
	} {
		if err := l.ask(ctx, fmt.Sprintf("push-pop step %d", i+1), step.d, step.want); err != nil {
			return err
		}
	}
	return l.loaded.Close()
}

func optimisedScripts() (list scripts) {
	for _, k := range []struct {
		objective string
		maximise  bool
		want      float64
	}{{"x", true, 2}, {"x", false, 0}, {"y", true, 2}} {
		p := smallScript()
		p.Text += "(assert (>= x 0))"
		p.Objective, p.Maximise = k.objective, k.maximise
		list = append(list, question[*problem.Script]{"optimise " + k.objective, p, known.Optimum(k.want)})
	}
	return list
}
