package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// smt makes a script; the symbols are all that its text declares.
func smt(text string) *problem.Script {
	s := &problem.Script{Text: text}
	parsed, err := script.Parse(text)
	if err != nil {
		panic("conformance: " + err.Error()) // a fault in the suite itself
	}
	for _, y := range parsed.Symbols {
		s.Symbols = append(s.Symbols, problem.Symbol{Name: y.Name, Sort: y.Sort, Role: problem.RoleOther})
	}
	return s
}

// smallScript is feasible at (0, 2), (1, 1) and (2, 0).
func smallScript() *problem.Script {
	return smt(`(declare-const x Int)
(declare-const y Int)
(assert (and (<= 0 x 3) (<= 0 y 3)))
(assert (= (+ x y) 2))
`)
}

// checkScript evaluates the script at the values claimed, in exact arithmetic.
func (e *SolverEnv) checkScript(p *problem.Script, r *sdk.Result) error {
	if err := e.checkShape(r); err != nil {
		return err
	}
	if r.Status == sdk.Infeasible || r.Status == sdk.Unknown {
		return nil
	}
	if len(r.Values) != len(p.Symbols) {
		return fmt.Errorf("%s with %d values for %d symbols", r.Status, len(r.Values), len(p.Symbols))
	}
	point, err := exactly(r.Values)
	if err != nil {
		return err
	}
	s, err := script.Parse(p.Text)
	if err != nil {
		return err
	}
	values := map[string]*big.Rat{}
	for i, y := range p.Symbols {
		values[y.Name] = point[i]
	}
	holds, err := s.Holds(values)
	if err != nil {
		return fmt.Errorf("at the values %v: %w", r.Values, err)
	}
	if !holds {
		return fmt.Errorf("the script does not hold at the values %v", r.Values)
	}
	return nil
}

// askScript solves a script and checks the claim.
func (e *SolverEnv) askScript(ctx context.Context, name string, p *problem.Script, want truth) error {
	r, err := e.solve(ctx, &problem.Problem{Name: name, SMT: p}, sdk.SolveOptions{})
	if err != nil {
		return err
	}
	return e.judgeScript(name, p, r, want)
}

func (e *SolverEnv) judgeScript(name string, p *problem.Script, r *sdk.Result, want truth) error {
	if err := e.checkScript(p, r); err != nil {
		return fmt.Errorf("script %q: %w", name, err)
	}
	if err := e.checkTruth(r, want, p.Maximise, false); err != nil {
		return fmt.Errorf("script %q: %w", name, err)
	}
	return nil
}

// scripts makes a case of scripts with known answers.
func scripts(name, doc string, want truth, texts ...string) SolverCase {
	return SolverCase{Name: name, Doc: doc, Needs: needs(problem.FormSMT, problem.Decide), Run: func(ctx context.Context, e *SolverEnv) error {
		for i, text := range texts {
			if err := e.askScript(ctx, fmt.Sprintf("%s, script %d", name, i+1), smt(text), want); err != nil {
				return err
			}
		}
		return nil
	}}
}

var smtCases = append(commonCases(problem.FormSMT), []SolverCase{
	scripts("smt/feasible", "a trivially satisfiable script is feasible, with values", feasible,
		"(assert true)",
		"(declare-const p Bool)(assert p)",
		"(set-logic QF_LIA)(declare-fun x () Int)(assert (<= 3 x 3))"),
	scripts("smt/infeasible", "a trivially unsatisfiable script is infeasible", infeasible,
		"(assert false)",
		"(declare-const p Bool)(assert p)(assert (not p))",
		"(declare-const x Int)(assert (<= 0 x 5))(assert (and (< 2 x) (< x 3)))"),
	scripts("smt/integer-infeasible", "an Int has no value between two integers", infeasible,
		"(declare-const x Int)(declare-const y Int)(assert (and (<= 0 x 5) (<= 0 y 5)))(assert (= (+ (* 2 x) (* 2 y)) 3))"),
	scripts("smt/values", "values come in the order of the symbols: Bool as 0 or 1, Int, and Real as the exact fraction", feasible,
		"(declare-const a Int)(declare-const b Bool)(declare-const c Int)(assert (and (<= 4 a 4) (not b) (<= 2 c 2)))",
		"(declare-const c Int)(declare-const a Bool)(declare-const b Int)(assert (and a (<= (- 7) c (- 6)) (<= 0 b 2) (= (+ b c) (- 4))))",
		"(declare-const z Real)(assert (= (* 3 z) 1))",
		"(declare-const z Real)(declare-const n Int)(assert (<= 0 n 3))(assert (= z (/ (to_real n) 3)))(assert (and (< 0 z) (< z 0.5)))"),
	scripts("smt/structure", "nested formulas, let, ite and quoted names mean what SMT-LIB says", feasible,
		"(declare-const |a b| Int)(assert (<= 0 |a b| 4))(assert (let ((d (+ |a b| |a b|))) (= d 6)))",
		"(declare-const x Int)(assert (<= (- 3) x 3))(assert (= (ite (< x 0) (- x) x) 2))(assert (not (>= x 0)))",
		"(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(assert (<= 0 x 2))(assert (=> p (= x 2)))(assert (or p q))(assert (not q)) ; a comment"),
	{Name: "smt/bad-script", Doc: "a script that does not parse is ErrInvalidProblem, never an answer",
		Needs: needs(problem.FormSMT, problem.Decide), Run: checkBadScript},
	{Name: "smt/push-pop", Doc: "assertions pushed are gone when popped",
		Needs: needs(problem.FormSMT, problem.Decide), Run: checkScriptPushPop},
	{Name: "smt/maximise", Doc: "the objective symbol is optimised in its direction",
		Needs: needs(problem.FormSMT, problem.Maximise), Run: checkScriptOptimum},
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
			return fmt.Errorf("script %s: want ErrInvalidProblem, got %s", text, answer(r, err))
		}
	}
	// A fault must not stick.
	return e.askScript(ctx, "after the faults", smallScript(), feasible)
}

func checkScriptPushPop(ctx context.Context, e *SolverEnv) error {
	s, ok := e.Solver.(sdk.Incremental)
	if !ok {
		return skip("the solver takes no deltas itself: sdk/serve applies them for it")
	}
	whole := &problem.Problem{Name: "loaded", SMT: smallScript()}
	l, err := s.Load(ctx, whole)
	if err != nil {
		return err
	}
	defer l.Close()
	stack := problem.NewStack(whole)
	for i, step := range []struct {
		d    problem.Delta
		want truth
	}{
		{problem.Delta{}, feasible},
		{problem.Delta{Push: 1, Assert: "(assert (> x y))"}, feasible},
		{problem.Delta{Push: 1, Assert: "(assert (= x 1))"}, infeasible},
		{problem.Delta{Pop: 1, Push: 1, Assert: "(declare-const z Int)(assert (<= 0 z 1))(assert (= (+ x z) 3))"}, feasible},
		{problem.Delta{Pop: 2}, feasible},
		{problem.Delta{Push: 1, Assert: "(declare-const z Bool)(assert (and z (= x y)))"}, feasible},
		{problem.Delta{Pop: 1, Assert: "(assert (= x 3))"}, infeasible},
	} {
		name := fmt.Sprintf("push-pop step %d", i+1)
		now, err := stack.Apply(step.d)
		if err != nil {
			return err
		}
		r, err := l.Solve(ctx, step.d, e.withSet(sdk.SolveOptions{}))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := e.judgeLoadedScript(name, now.SMT, r, step.want); err != nil {
			return err
		}
	}
	return l.Close()
}

// judgeLoadedScript also allows for symbols that a delta declared: they are
// not part of an answer, so any value within reach must do.
func (e *SolverEnv) judgeLoadedScript(name string, p *problem.Script, r *sdk.Result, want truth) error {
	parsed, err := script.Parse(p.Text)
	if err != nil {
		return err
	}
	if len(parsed.Symbols) == len(p.Symbols) || !r.HasPoint() {
		return e.judgeScript(name, p, r, want)
	}
	widened := *p
	extra := parsed.Symbols[len(p.Symbols)]
	widened.Symbols = append(slices.Clone(p.Symbols), problem.Symbol{Name: extra.Name, Sort: extra.Sort})
	if err := e.judgeScript(name, &widened, with(r, 0), want); err == nil {
		return nil
	}
	return e.judgeScript(name, &widened, with(r, 1), want)
}

func with(r *sdk.Result, v float64) *sdk.Result {
	out := *r
	out.Values = append(slices.Clone(r.Values), problem.Number{Float: v})
	return &out
}

func checkScriptOptimum(ctx context.Context, e *SolverEnv) error {
	for _, k := range []struct {
		objective string
		maximise  bool
		want      float64
	}{{"x", true, 2}, {"x", false, 0}, {"y", true, 2}} {
		p := smallScript()
		p.Text += "(assert (>= x 0))"
		p.Objective, p.Maximise = k.objective, k.maximise
		if err := e.askScript(ctx, "optimise "+k.objective, p, optimum(k.want)); err != nil {
			return err
		}
	}
	return nil
}
