package conformance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

var inf = math.Inf(1)

// integers is a list of integer columns with common bounds.
func integers(n int, lo, hi float64) []problem.Column {
	out := make([]problem.Column, n)
	for i := range out {
		out[i] = problem.Column{Name: fmt.Sprintf("x%d", i), Lo: lo, Hi: hi, Integer: true, Role: problem.RoleOther}
	}
	return out
}

// reals is a list of continuous columns with common bounds.
func reals(n int, lo, hi float64) []problem.Column {
	out := integers(n, lo, hi)
	for i := range out {
		out[i].Name, out[i].Integer = fmt.Sprintf("y%d", i), false
	}
	return out
}

// terms has coefs[i] at column i; zeros are left out.
func terms(coefs ...float64) []problem.Term {
	var out []problem.Term
	for i, c := range coefs {
		if c != 0 {
			out = append(out, problem.Term{Column: i, Coef: c})
		}
	}
	return out
}

func row(lo, hi float64, coefs ...float64) problem.Row {
	return problem.Row{Name: "r", Lo: lo, Hi: hi, Terms: terms(coefs...)}
}

func maximise(coefs ...float64) problem.Objective {
	return problem.Objective{Maximise: true, Terms: terms(coefs...)}
}

func minimise(coefs ...float64) problem.Objective {
	return problem.Objective{Terms: terms(coefs...)}
}

// knapsack has the optimum 21 at (0, 1, 1, 1), while its relaxation reaches 22.
func knapsack() *problem.MILP {
	return &problem.MILP{
		Columns:   integers(4, 0, 1),
		Rows:      []problem.Row{row(-inf, 14, 5, 7, 4, 3)},
		Objective: maximise(8, 11, 6, 4),
	}
}

const knapsackOptimum = 21

// known is a MILP whose answer was worked out by hand.
type known struct {
	name string
	p    *problem.MILP
	want truth
}

// asked makes a case of problems with known answers.
func asked(name, doc string, goal problem.Goal, problems func() []known) SolverCase {
	return SolverCase{Name: name, Doc: doc, Needs: needs(problem.FormMILP, goal), Run: func(ctx context.Context, e *SolverEnv) error {
		for _, k := range problems() {
			if _, err := e.askMILP(ctx, k.name, k.p, k.want, sdk.SolveOptions{}); err != nil {
				return err
			}
		}
		return nil
	}}
}

var milpCases = []SolverCase{
	asked("milp/empty", "no columns and no rows are feasible", problem.Decide, func() []known {
		return []known{{"empty", &problem.MILP{}, feasible}}
	}),
	asked("milp/empty-row", "a row without terms is a statement about zero", problem.Decide, func() []known {
		p := func(lo, hi float64) *problem.MILP {
			return &problem.MILP{Columns: integers(1, 0, 1), Rows: []problem.Row{row(lo, hi)}}
		}
		return []known{{"0 in -1..1", p(-1, 1), feasible}, {"0 in 1..2", p(1, 2), infeasible}}
	}),
	asked("milp/feasible", "a trivially feasible problem is feasible, with a point", problem.Decide, func() []known {
		return []known{
			{"one row", &problem.MILP{Columns: integers(2, 0, 3), Rows: []problem.Row{row(2, inf, 1, 1)}}, feasible},
			{"no rows", &problem.MILP{Columns: reals(2, -1.5, 2.5)}, feasible},
			{"fixed columns", &problem.MILP{Columns: integers(2, 3, 3), Rows: []problem.Row{row(6, 6, 1, 1)}}, feasible},
		}
	}),
	asked("milp/infeasible", "a trivially infeasible problem is infeasible", problem.Decide, func() []known {
		return []known{
			{"one row", &problem.MILP{Columns: integers(2, 0, 3), Rows: []problem.Row{row(7, inf, 1, 1)}}, infeasible},
			{"two rows", &problem.MILP{Columns: reals(2, 0, 9), Rows: []problem.Row{row(-inf, 1, 1, 1), row(2, inf, 1, 1)}}, infeasible},
		}
	}),
	asked("milp/integer-infeasible", "integrality makes infeasible what the relaxation allows", problem.Decide, func() []known {
		return []known{
			{"2x+2y = 3", &problem.MILP{Columns: integers(2, 0, 5), Rows: []problem.Row{row(3, 3, 2, 2)}}, infeasible},
			{"0.2 ≤ x ≤ 0.8", &problem.MILP{Columns: integers(1, 0.2, 0.8)}, infeasible},
			{"6x+10y+15z = 29", &problem.MILP{Columns: integers(3, 0, 9), Rows: []problem.Row{row(29, 29, 6, 10, 15)}}, infeasible},
		}
	}),
	asked("milp/optimum", "the optimum of a small integer program, not of its relaxation", problem.Maximise, func() []known {
		return []known{{"knapsack", knapsack(), optimum(knapsackOptimum)}}
	}),
	asked("milp/directions", "the same problem maximised and minimised", problem.Maximise, func() []known {
		p := func(o problem.Objective) *problem.MILP {
			return &problem.MILP{Columns: integers(2, -3, 4), Rows: []problem.Row{row(-2, 5, 1, 1), row(-inf, 3, 1, -1)}, Objective: o}
		}
		return []known{{"max", p(maximise(2, 1)), optimum(9)}, {"min", p(minimise(2, 1)), optimum(-5)}}
	}),
	asked("milp/offset", "the objective's offset counts, in either direction", problem.Maximise, func() []known {
		p := func(o problem.Objective) *problem.MILP {
			o.Offset = -10.5
			return &problem.MILP{Columns: integers(1, 0, 4), Objective: o}
		}
		return []known{{"max", p(maximise(3)), optimum(1.5)}, {"min", p(minimise(3)), optimum(-10.5)}}
	}),
	asked("milp/equality", "equality rows bind from both sides", problem.Maximise, func() []known {
		p := func(o problem.Objective) *problem.MILP {
			return &problem.MILP{Columns: integers(3, 0, 6), Rows: []problem.Row{row(6, 6, 1, 1, 1), row(1, 1, 1, -1)}, Objective: o}
		}
		return []known{{"max", p(maximise(1, 1)), optimum(5)}, {"min", p(minimise(1, 1)), optimum(1)}}
	}),
	asked("milp/ranges", "a row with two different sides binds on both", problem.Maximise, func() []known {
		p := func(o problem.Objective) *problem.MILP {
			return &problem.MILP{Columns: integers(2, 0, 9), Rows: []problem.Row{row(3, 5, 1, 1)}, Objective: o}
		}
		return []known{{"max", p(maximise(1, 1)), optimum(5)}, {"min", p(minimise(1, 1)), optimum(3)}}
	}),
	asked("milp/free-columns", "columns without bounds take negative values", problem.Maximise, func() []known {
		free := func(o problem.Objective, rows ...problem.Row) *problem.MILP {
			return &problem.MILP{Columns: reals(2, -inf, inf), Rows: rows, Objective: o}
		}
		half := &problem.MILP{Columns: reals(1, -inf, -2.5), Objective: maximise(2)}
		return []known{
			{"min", free(minimise(1, 1), row(-7, inf, 1, 1), row(-1, 1, 1, -1)), optimum(-7)},
			{"max", free(maximise(0, 1), row(-3, -3, 1), row(-inf, -4, 1, 1)), optimum(-1)},
			{"bounded above", half, optimum(-5)},
		}
	}),
	asked("milp/mixed", "integer and continuous columns together", problem.Maximise, func() []known {
		// y ≤ 2x + ½ and y ≤ 7 − x: the relaxation reaches 4.83 at x = 2.17.
		p := &problem.MILP{
			Columns:   append(integers(1, 0, 5), reals(1, 0, 10)...),
			Rows:      []problem.Row{row(-inf, 0.5, -2, 1), row(-inf, 7, 1, 1)},
			Objective: maximise(0, 1),
		}
		return []known{{"max", p, optimum(4.5)}}
	}),
	asked("milp/names", "names carry no meaning: empty, equal and odd ones are taken", problem.Maximise, func() []known {
		p := knapsack()
		for i, name := range []string{"", "x y", "x y", "ä[1]\n;<=>"} {
			p.Columns[i].Name = name
		}
		p.Rows[0].Name = ""
		return []known{{"", p, optimum(knapsackOptimum)}}
	}),
	{Name: "milp/unbounded", Doc: "an unbounded objective has no optimum, and the problem is not infeasible",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkUnbounded},
	{Name: "milp/random", Doc: "random small integer programs have the status and optimum that enumeration finds",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkRandomMILP},
}

func checkUnbounded(ctx context.Context, e *SolverEnv) error {
	p := &problem.MILP{Columns: reals(2, 0, inf), Rows: []problem.Row{row(-inf, 1, 1, -1)}, Objective: maximise(1)}
	r, err := e.solve(ctx, &problem.Problem{Name: "unbounded", MILP: p}, sdk.SolveOptions{})
	if err != nil {
		return err
	}
	if err := e.checkMILP(p, r); err != nil {
		return err
	}
	if r.Status == sdk.Optimal || r.Status == sdk.Infeasible || r.Reason == sdk.NoReason {
		return fmt.Errorf("%s is claimed; want feasible or unknown, with a reason", answer(r, nil))
	}
	if r.HasBound && !math.IsInf(r.Bound, 1) {
		return fmt.Errorf("the bound %v is claimed of an unbounded objective", r.Bound)
	}
	return nil
}

// randomMILP is a small integer program with small integer coefficients.
func randomMILP(rng *rand.Rand) *problem.MILP {
	p := &problem.MILP{Objective: problem.Objective{Maximise: rng.IntN(2) == 0}}
	coefs := func() []float64 {
		out := make([]float64, len(p.Columns))
		for i := range out {
			out[i] = float64(rng.IntN(11) - 5)
		}
		return out
	}
	for i := range 2 + rng.IntN(3) {
		lo := float64(rng.IntN(5) - 3)
		p.Columns = append(p.Columns, problem.Column{Name: fmt.Sprintf("x%d", i), Lo: lo, Hi: lo + float64(rng.IntN(5)), Integer: true, Role: problem.RoleOther})
	}
	for range 1 + rng.IntN(3) {
		lo, hi := float64(rng.IntN(13)-6), inf
		switch rng.IntN(4) {
		case 0:
			hi = lo
		case 1:
			hi = lo + float64(rng.IntN(6))
		case 2:
			lo, hi = -inf, lo
		}
		p.Rows = append(p.Rows, row(lo, hi, coefs()...))
	}
	p.Objective.Terms = terms(coefs()...)
	p.Objective.Terms = append(p.Objective.Terms, problem.Term{Column: len(p.Columns), Coef: 1})
	p.Columns = append(p.Columns, problem.Column{Name: "z", Lo: 0, Hi: 1, Integer: true, Role: problem.RoleOther})
	return p
}

// enumerate finds the truth of a problem with bounded integer columns and
// small integer data, for which float64 arithmetic is exact.
func enumerate(p *problem.MILP) truth {
	var t truth
	x := make([]float64, len(p.Columns))
	var visit func(i int)
	visit = func(i int) {
		if i < len(x) {
			for x[i] = math.Ceil(p.Columns[i].Lo); x[i] <= p.Columns[i].Hi; x[i]++ {
				visit(i + 1)
			}
			return
		}
		if p.Violation(x) > 0 {
			return
		}
		v := problem.Evaluate(p.Objective.Terms, x) + p.Objective.Offset
		if !t.feasible || sign(p.Objective.Maximise)*(v-t.optimum) > 0 {
			t = truth{feasible: true, optimum: v, best: len(p.Objective.Terms) > 0}
		}
	}
	visit(0)
	return t
}

func checkRandomMILP(ctx context.Context, e *SolverEnv) error {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 40 {
		p := randomMILP(rng)
		if _, err := e.askMILP(ctx, fmt.Sprintf("random %d", i), p, enumerate(p), sdk.SolveOptions{}); err != nil {
			return err
		}
	}
	return nil
}
