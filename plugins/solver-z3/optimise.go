package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// optimise looks for the best point in three steps: any point, so that a limit does not leave
// the question without one; Z3's optimiser, required to be no worse; and a proof by the plain
// solver that no point is better, so that an optimum is as reliable as an infeasibility.
func (q *question) optimise() (*sdk.Result, error) {
	symbol := q.objective()
	best, r, err := q.reach(symbol)
	if r != nil || err != nil {
		return r, err
	}
	q.tell(best)
	optimiser, err := q.held.x.NewOptimiser(symbol.constant, q.script.Maximise, nil)
	if err != nil {
		return nil, err
	}
	defer optimiser.Free()
	if err := q.held.each(optimiser.Assert); err != nil {
		return nil, err
	}
	if err := q.assert(optimiser, symbol, q.noWorse(), best.value(symbol)); err != nil {
		return nil, err
	}
	top, err := q.find(optimiser)
	if err != nil {
		return nil, err
	}
	if top.answer != z3.Sat {
		return q.stopped(symbol, best, top), nil
	}
	best = top
	q.tell(best)
	return q.prove(symbol, best)
}

// objective is the symbol that is optimised.
type objective struct {
	name, sort string
	constant   z3.Constant
	index      int
}

func (q *question) objective() objective {
	i := slices.IndexFunc(q.script.Symbols, func(y problem.Symbol) bool { return y.Name == q.script.Objective })
	return objective{q.script.Symbols[i].Name, q.script.Symbols[i].Sort, q.held.symbols[i], i}
}

func (f finding) value(o objective) *big.Rat { return f.point[o.index] }

func (q *question) better() string {
	if q.script.Maximise {
		return ">"
	}
	return "<"
}

func (q *question) noWorse() string { return q.better() + "=" }

// assert adds (relation objective value).
func (q *question) assert(s *z3.Solver, o objective, relation string, v *big.Rat) error {
	text := fmt.Sprintf("(declare-const |%s| %s)(assert (%s |%s| %s))", o.name, o.sort, relation, o.name, fraction(v))
	formulas, err := q.held.x.Parse(text)
	if err != nil {
		return err
	}
	defer formulas.Free()
	return s.Assert(formulas)
}

func fraction(v *big.Rat) string {
	text := new(big.Int).Abs(v.Num()).String()
	if !v.IsInt() {
		text = "(/ " + text + " " + v.Denom().String() + ")"
	}
	if v.Sign() < 0 {
		text = "(- " + text + ")"
	}
	return text
}

// reach finds the first point. If the question ends there, because there is no point, Z3
// gives up, or the point reaches the target, it returns the claim.
func (q *question) reach(o objective) (finding, *sdk.Result, error) {
	if t := q.options.Target; t != nil && !math.IsNaN(*t) && !math.IsInf(*t, 0) {
		f, err := q.under(o, q.noWorse(), new(big.Rat).SetFloat64(*t))
		if err != nil {
			return f, nil, err
		}
		if f.answer == z3.Sat {
			return f, q.claim(o, f), nil
		}
		if f.answer == z3.Undef {
			return f, q.conclude(f), nil
		}
	}
	f, err := q.find(q.held.solver)
	if err == nil && f.answer != z3.Sat {
		return f, q.conclude(f), nil
	}
	return f, nil, err
}

// under checks with one more assertion, which it then retracts.
func (q *question) under(o objective, relation string, v *big.Rat) (finding, error) {
	s := q.held.solver
	if err := s.Push(); err != nil {
		return finding{}, err
	}
	if err := q.assert(s, o, relation, v); err != nil {
		return finding{}, err
	}
	f, err := q.find(s)
	if err != nil || q.spoilt {
		return f, err
	}
	return f, s.Pop(1)
}

// prove checks whether any point is better than the optimiser's.
func (q *question) prove(o objective, best finding) (*sdk.Result, error) {
	more, err := q.under(o, q.better(), best.value(o))
	if err != nil {
		return nil, err
	}
	r := q.claim(o, best)
	switch more.answer {
	case z3.Unsat:
		r.Status, r.Native = sdk.Optimal, "optimal"
		r.Bound, r.HasBound = q.outward(best.value(o)), true
	case z3.Sat:
		r = q.claim(o, more)
		r.Reason = sdk.Incomplete
		r.Detail = "there is a better point than the optimiser's: the objective has no bound, or one that no point attains, or Z3's optimiser is wrong"
	default:
		return q.stopped(o, best, more), nil
	}
	return r, nil
}

// claim returns the claim of a point, without a bound.
func (q *question) claim(o objective, f finding) *sdk.Result {
	r := q.conclude(f)
	r.Objective, _ = f.value(o).Float64()
	return r
}

// stopped returns the claim of the best point if a later step gave no usable answer.
func (q *question) stopped(o objective, best, later finding) *sdk.Result {
	r := q.claim(o, best)
	r.Native, r.Reason = later.native, later.reason
	switch {
	case later.broken: // its point is a limit: a value plus an infinitesimal
		r.Reason, r.Detail = sdk.Incomplete, "Z3's optimiser holds no point: the objective may have a bound that no point attains"
	case later.answer == z3.Unsat: // although best satisfies the assertions
		r.Reason, r.Detail = sdk.Other, "Z3's optimiser claims that there is no point, but one is known"
	}
	return r
}

// outward returns a bound as a float64 that is not tighter: rounded outward unless it is exact.
func (q *question) outward(v *big.Rat) float64 {
	f, exact := v.Float64()
	if exact {
		return f
	}
	side := math.Inf(-1)
	if q.script.Maximise {
		side = math.Inf(1)
	}
	return math.Nextafter(f, side)
}

// tell reports an incumbent.
func (q *question) tell(f finding) {
	if q.options.Progress == nil {
		return
	}
	p := sdk.Progress{Values: rationals(f.point), Nodes: q.work, Elapsed: time.Since(q.begin)}
	p.Objective, _ = f.value(q.objective()).Float64()
	q.options.Progress(p)
}
