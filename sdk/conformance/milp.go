package conformance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

var inf = math.Inf(1)

// knapsack has the optimum 21 at (0, 1, 1, 1), while its relaxation reaches 22.
func knapsack() *problem.MILP {
	return &problem.MILP{
		Columns:   known.Integers(4, 0, 1),
		Rows:      []problem.Row{known.Row(-inf, 14, 5, 7, 4, 3)},
		Objective: known.Max(8, 11, 6, 4),
	}
}

const knapsackOptimum = 21

var milpCases = []Case[*SolverEnv]{
	asked(problem.Decide, "milp/empty", "no columns and no rows are feasible", func() milps {
		return milps{{"empty", &problem.MILP{}, known.Feasible}}
	}),
	asked(problem.Decide, "milp/empty-row", "a row without terms is a statement about zero", func() milps {
		p := func(lo, hi float64) *problem.MILP {
			return &problem.MILP{Columns: known.Integers(1, 0, 1), Rows: []problem.Row{known.Row(lo, hi)}}
		}
		return milps{{"0 in -1..1", p(-1, 1), known.Feasible}, {"0 in 1..2", p(1, 2), known.Infeasible}}
	}),
	asked(problem.Decide, "milp/feasible", "a trivially feasible problem is feasible, with a point", func() milps {
		return milps{
			{"one row", &problem.MILP{Columns: known.Integers(2, 0, 3), Rows: []problem.Row{known.Row(2, inf, 1, 1)}}, known.Feasible},
			{"no rows", &problem.MILP{Columns: known.Reals(2, -1.5, 2.5)}, known.Feasible},
			{"fixed columns", &problem.MILP{Columns: known.Integers(2, 3, 3), Rows: []problem.Row{known.Row(6, 6, 1, 1)}}, known.Feasible},
		}
	}),
	asked(problem.Decide, "milp/infeasible", "a trivially infeasible problem is infeasible", func() milps {
		return milps{
			{"one row", &problem.MILP{Columns: known.Integers(2, 0, 3), Rows: []problem.Row{known.Row(7, inf, 1, 1)}}, known.Infeasible},
			{"two rows", &problem.MILP{Columns: known.Reals(2, 0, 9), Rows: []problem.Row{known.Row(-inf, 1, 1, 1), known.Row(2, inf, 1, 1)}}, known.Infeasible},
		}
	}),
	asked(problem.Decide, "milp/integer-infeasible", "integrality makes infeasible what the relaxation allows", func() milps {
		return milps{
			{"2x+2y = 3", &problem.MILP{Columns: known.Integers(2, 0, 5), Rows: []problem.Row{known.Row(3, 3, 2, 2)}}, known.Infeasible},
			{"0.2 ≤ x ≤ 0.8", &problem.MILP{Columns: known.Integers(1, 0.2, 0.8)}, known.Infeasible},
			{"6x+10y+15z = 29", &problem.MILP{Columns: known.Integers(3, 0, 9), Rows: []problem.Row{known.Row(29, 29, 6, 10, 15)}}, known.Infeasible},
		}
	}),
	asked(problem.Maximise, "milp/optimum", "the optimum of a small integer program, not of its relaxation", func() milps {
		return milps{{"knapsack", knapsack(), known.Optimum(knapsackOptimum)}}
	}),
	asked(problem.Maximise, "milp/directions", "the same problem maximised and minimised", func() milps {
		p := func(o problem.Objective) *problem.MILP {
			return &problem.MILP{Columns: known.Integers(2, -3, 4), Rows: []problem.Row{known.Row(-2, 5, 1, 1), known.Row(-inf, 3, 1, -1)}, Objective: o}
		}
		return milps{{"max", p(known.Max(2, 1)), known.Optimum(9)}, {"min", p(known.Min(2, 1)), known.Optimum(-5)}}
	}),
	asked(problem.Maximise, "milp/offset", "the objective's offset counts, in either direction", func() milps {
		p := func(o problem.Objective) *problem.MILP {
			o.Offset = -10.5
			return &problem.MILP{Columns: known.Integers(1, 0, 4), Objective: o}
		}
		return milps{{"max", p(known.Max(3)), known.Optimum(1.5)}, {"min", p(known.Min(3)), known.Optimum(-10.5)}}
	}),
	asked(problem.Maximise, "milp/equality", "equality rows bind from both sides", func() milps {
		p := func(o problem.Objective) *problem.MILP {
			return &problem.MILP{Columns: known.Integers(3, 0, 6), Rows: []problem.Row{known.Row(6, 6, 1, 1, 1), known.Row(1, 1, 1, -1)}, Objective: o}
		}
		return milps{{"max", p(known.Max(1, 1)), known.Optimum(5)}, {"min", p(known.Min(1, 1)), known.Optimum(1)}}
	}),
	asked(problem.Maximise, "milp/ranges", "a row with two different sides binds on both", func() milps {
		p := func(o problem.Objective) *problem.MILP {
			return &problem.MILP{Columns: known.Integers(2, 0, 9), Rows: []problem.Row{known.Row(3, 5, 1, 1)}, Objective: o}
		}
		return milps{{"max", p(known.Max(1, 1)), known.Optimum(5)}, {"min", p(known.Min(1, 1)), known.Optimum(3)}}
	}),
	asked(problem.Maximise, "milp/free-columns", "columns without bounds take negative values", func() milps {
		free := func(o problem.Objective, rows ...problem.Row) *problem.MILP {
			return &problem.MILP{Columns: known.Reals(2, -inf, inf), Rows: rows, Objective: o}
		}
		half := &problem.MILP{Columns: known.Reals(1, -inf, -2.5), Objective: known.Max(2)}
		return milps{
			{"min", free(known.Min(1, 1), known.Row(-7, inf, 1, 1), known.Row(-1, 1, 1, -1)), known.Optimum(-7)},
			{"max", free(known.Max(0, 1), known.Row(-3, -3, 1), known.Row(-inf, -4, 1, 1)), known.Optimum(-1)},
			{"bounded above", half, known.Optimum(-5)},
		}
	}),
	asked(problem.Maximise, "milp/mixed", "integer and continuous columns together", func() milps {
		// y ≤ 2x + ½ and y ≤ 7 − x: the relaxation reaches 4.83 at x = 2.17.
		p := &problem.MILP{
			Columns:   append(known.Integers(1, 0, 5), known.Reals(1, 0, 10)...),
			Rows:      []problem.Row{known.Row(-inf, 0.5, -2, 1), known.Row(-inf, 7, 1, 1)},
			Objective: known.Max(0, 1),
		}
		return milps{{"max", p, known.Optimum(4.5)}}
	}),
	asked(problem.Maximise, "milp/names", "names carry no meaning: empty, equal and odd names are accepted", func() milps {
		p := knapsack()
		for i, name := range []string{"", "x y", "x y", "ä[1]\n;<=>"} {
			p.Columns[i].Name = name
		}
		p.Rows[0].Name = ""
		return milps{{"", p, known.Optimum(knapsackOptimum)}}
	}),
	on(problem.Maximise, "milp/unbounded", "an unbounded objective has no optimum, and the problem is not infeasible", checkUnbounded),
	asked(problem.Maximise, "milp/random", "random small integer programs have the status and optimum that enumeration finds", func() (list milps) {
		rng := rand.New(rand.NewPCG(7, 7))
		for i := range 40 {
			p := known.MILP(rng)
			list = append(list, question[*problem.MILP]{fmt.Sprintf("random %d", i), p, known.Best(p)})
		}
		return list
	}),
	on(problem.Maximise, "milp/sets", "at most one column of a special ordered set differs from zero", checkSets),
}

func checkUnbounded(ctx context.Context, e *SolverEnv) error {
	p := &problem.MILP{Columns: known.Reals(2, 0, inf), Rows: []problem.Row{known.Row(-inf, 1, 1, -1)}, Objective: known.Max(1)}
	r, err := e.claim(ctx, &problem.Problem{Name: "unbounded", MILP: p}, sdk.SolveOptions{})
	if err != nil {
		return err
	}
	if r.Status == sdk.Optimal || r.Status == sdk.Infeasible || r.Reason == sdk.NoReason {
		return fmt.Errorf("%s is claimed; want feasible or unknown, with a reason", known.Said(r, nil))
	}
	if r.HasBound && !math.IsInf(r.Bound, 1) {
		return fmt.Errorf("the bound %v is claimed for an unbounded objective", r.Bound)
	}
	return nil
}

func checkSets(ctx context.Context, e *SolverEnv) error {
	if !e.Description.SOS1 {
		return skip("special ordered sets are not claimed")
	}
	return askAll(ctx, e, problem.Maximise, setProblems())
}

func setProblems() milps {
	sets := func(list ...[]int) []problem.SOS1 {
		out := make([]problem.SOS1, len(list))
		for i, columns := range list {
			out[i] = problem.SOS1{Name: "s", Columns: columns}
		}
		return out
	}
	return milps{
		{"one of two", &problem.MILP{
			Columns: known.Reals(2, 0, 3), Rows: []problem.Row{known.Row(-inf, 9, 1, 1)}, SOS1: sets([]int{0, 1}), Objective: known.Max(2, 3),
		}, known.Optimum(9)},
		{"none of one column and of none", &problem.MILP{
			Columns: known.Reals(2, 0, 3), Rows: []problem.Row{known.Row(-inf, 9, 1, 1)}, SOS1: sets([]int{0}, nil), Objective: known.Max(2, 3),
		}, known.Optimum(15)},
		{"overlapping", &problem.MILP{
			Columns: known.Reals(3, 0, 2), Rows: []problem.Row{known.Row(-inf, 9, 1, 1, 1)}, SOS1: sets([]int{0, 1}, []int{2, 1}), Objective: known.Max(2, 3, 2),
		}, known.Optimum(8)},
		{"a value and its two parts", &problem.MILP{
			Columns:   []problem.Column{{Name: "y", Lo: -2, Hi: 3, Role: problem.RoleOther}, {Name: "p", Hi: 3, Role: problem.RoleOther}, {Name: "n", Hi: 2, Role: problem.RoleOther}},
			Rows:      []problem.Row{known.Row(0, 0, 1, -1, 1)},
			SOS1:      sets([]int{1, 2}),
			Objective: known.Max(0, 1, 1),
		}, known.Optimum(3)},
		{"a column in no row", &problem.MILP{
			Columns: known.Reals(3, 0, 3), Rows: []problem.Row{known.Row(-11, inf, 0, 3, -2)}, SOS1: sets([]int{2, 1, 0}), Objective: known.Min(-4, 5, 6),
		}, known.Optimum(-12)},
		{"negative values", &problem.MILP{
			Columns: known.Reals(2, -4, 3), Rows: []problem.Row{known.Row(-9, inf, 1, 1)}, SOS1: sets([]int{0, 1}), Objective: known.Min(1, 1),
		}, known.Optimum(-4)},
		{"integers", &problem.MILP{
			Columns: known.Integers(3, 0, 4), Rows: []problem.Row{known.Row(-inf, 7, 2, 1, 2)}, SOS1: sets([]int{0, 1, 2}), Objective: known.Max(3, 2, 3),
		}, known.Optimum(9)},
		{"infeasible", &problem.MILP{
			Columns: known.Integers(3, 0, 4), Rows: []problem.Row{known.Row(5, inf, 1, 1, 1)}, SOS1: sets([]int{0, 1, 2}), Objective: known.Max(1),
		}, known.Infeasible},
	}
}
