package main

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

// question is one Solve of the script that an instance holds.
type question struct {
	lib     *z3.Lib
	script  *problem.Script
	held    *instance
	options sdk.SolveOptions
	limits  limits
	begin   time.Time

	// work is Z3's work so far, in its resource units.
	work int64
	// spoilt is set if the instance cannot be used again.
	spoilt bool
}

// answer asks Z3, and returns the claim.
func (q *question) answer() (*sdk.Result, error) {
	if err := q.held.solver.Set(z3.Params{"random_seed": uint32(native.FoldSeed(q.options.Seed))}); err != nil {
		return nil, err
	}
	if q.script.Objective != "" {
		return q.optimise()
	}
	f, err := q.find(q.held.solver)
	if err != nil {
		return nil, err
	}
	return q.conclude(f), nil
}

// finding is the result of one check.
type finding struct {
	answer z3.Answer
	native string
	reason sdk.Reason // why there is no answer
	point  []*big.Rat // after Sat, in the order of the symbols
	broken bool       // there was a model, but it does not satisfy the assertions
}

// conclude turns the finding of a feasibility question into a claim.
func (q *question) conclude(f finding) *sdk.Result {
	r := &sdk.Result{Native: f.native, Nodes: q.work}
	switch f.answer {
	case z3.Sat:
		r.Status, r.Values = sdk.Feasible, rationals(f.point)
	case z3.Unsat:
		r.Status = sdk.Infeasible
	default:
		r.Status, r.Reason = sdk.Unknown, f.reason
	}
	return r
}

func rationals(point []*big.Rat) []problem.Number {
	out := make([]problem.Number, len(point))
	for i, v := range point {
		out[i].Rat = v
	}
	return out
}

// find checks once and reads the point. It drops a point that does not satisfy the assertions
// or is not rational.
func (q *question) find(s *z3.Solver) (finding, error) {
	left, ok := q.workLeft()
	if !ok {
		return finding{native: "not started", reason: sdk.WorkLimit}, nil
	}
	if err := s.Set(z3.Params{"rlimit": left}); err != nil {
		return finding{}, err
	}
	a, native, reached := q.limits.check(q.lib, q.held.x, s)
	q.spoilt = q.spoilt || reached != sdk.NoReason || a == z3.Undef
	q.work += s.Work()
	switch a {
	case z3.Undef:
		return finding{native: native, reason: reasonOf(reached, native, q.options.WorkLimit > 0)}, nil
	case z3.Unsat:
		return finding{answer: a, native: "unsat"}, nil
	}
	point, err := q.point(s)
	switch {
	case err == nil:
		return finding{answer: a, native: "sat", point: point}, nil
	case reached != sdk.NoReason: // the interruption reached the model
		return finding{native: err.Error(), reason: reached}, nil
	}
	q.spoilt = true
	var odd *z3.IrrationalError
	switch {
	case errors.As(err, &odd):
		return finding{native: "sat, but " + odd.Error(), reason: sdk.Incomplete}, nil
	case errors.Is(err, errBroken):
		return finding{native: "sat, but " + err.Error(), reason: sdk.Other, broken: true}, nil
	}
	return finding{}, err
}

// errBroken reports a wrong model, which a bug of Z3 may cause.
var errBroken = errors.New("the model does not satisfy the assertions")

// point reads the solver's model and checks it against every assertion.
func (q *question) point(s *z3.Solver) ([]*big.Rat, error) {
	m, err := s.Model()
	if err != nil {
		return nil, err
	}
	defer m.Free()
	err = q.held.each(func(f *z3.Formulas) error {
		ok, err := m.Satisfies(f)
		if err == nil && !ok {
			err = errBroken
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	point := make([]*big.Rat, len(q.held.symbols))
	for i, y := range q.held.symbols {
		if point[i], err = m.Value(y); err != nil {
			return nil, fmt.Errorf("symbol %q: %w", q.script.Symbols[i].Name, err)
		}
	}
	return point, nil
}

// workLeft returns Z3's limit for the next check, 0 if there is none; ok is false if no
// work is left.
func (q *question) workLeft() (left uint32, ok bool) {
	if q.options.WorkLimit <= 0 {
		return 0, true
	}
	rest := q.options.WorkLimit - q.work
	return uint32(min(max(rest, 0), 1<<32-1)), rest > 0
}
