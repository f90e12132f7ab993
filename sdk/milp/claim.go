package milp

import (
	"fmt"
	"math"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Claim is the meaning of a native status if the solver holds no feasible point. If
// it holds one, Unknown becomes Feasible and the reason stays.
type Claim struct {
	Status sdk.Status
	Reason sdk.Reason
	Native string
}

// Claims maps all known native statuses of a solver to claims.
type Claims map[int]Claim

// Of returns the claim of a native status: Unknown, Other if it is not known.
func (c Claims) Of(code int) Claim {
	if known, ok := c[code]; ok {
		return known
	}
	return Claim{sdk.Unknown, sdk.Other, fmt.Sprintf("status %d", code)}
}

// Result returns a result with the claim, the question's tolerance and the time since it
// began. It holds no point and no bound: the caller adds them.
func (q *Question) Result(c Claim, nodes int64) *sdk.Result {
	return &sdk.Result{Status: c.Status, Reason: c.Reason, Native: c.Native, Tolerance: q.Tolerance, Nodes: nodes, Elapsed: time.Since(q.Begin)}
}

// WithoutColumns answers a problem without columns: it is feasible iff every row holds at 0.
func (q *Question) WithoutColumns(native string) *sdk.Result {
	if q.MILP.Violation(nil) != 0 {
		return q.Result(Claim{sdk.Infeasible, sdk.NoReason, native}, 0)
	}
	r := q.Result(Claim{sdk.Feasible, sdk.NoReason, native}, 0)
	r.Values, r.Objective = []problem.Number{}, q.MILP.Objective.Offset
	return r
}

// SettleUnbounded solves again without the objective, after a search that took the given
// number of nodes, which r then includes. A point proves that the objective is unbounded;
// if point is nil, r is the result.
func (q *Question) SettleUnbounded(nodes int64, ask func(plain Question) (*sdk.Result, error)) (point []float64, r *sdk.Result, err error) {
	if r, err = ask(q.withoutObjective()); err != nil {
		return nil, nil, err
	}
	r.Nodes += nodes
	r.Elapsed = time.Since(q.Begin)
	if r.Status == sdk.Feasible {
		return problem.Float64s(r.Values), r, nil
	}
	return nil, r, nil
}

// Range is the range of coefficients that a solver accepts.
type Range struct {
	// Solver is the solver's name in messages.
	Solver string
	// Smallest: the solver ignores entries of the matrix up to this size.
	Smallest float64
	// Entry and Cost: the solver refuses or misreads entries of the matrix of size Entry
	// or more, and coefficients of the objective of size Cost or more.
	Entry, Cost float64
}

// Lost bounds how far the solver changes a row's value by ignoring coefficients, given
// the columns' bounds. The error wraps sdk.ErrUnsupported if there is no bound, or if
// the solver would refuse the problem.
func (l Range) Lost(m *problem.MILP) (float64, error) {
	worst := 0.0
	for i := range m.Rows {
		r := &m.Rows[i]
		sum := 0.0
		for _, t := range r.Terms {
			size := math.Abs(t.Coef)
			if size >= l.Entry {
				return 0, fmt.Errorf("%w: row %d (%s) has the coefficient %g at column %d; %s takes only absolute values below %g", sdk.ErrUnsupported, i, r.Name, t.Coef, t.Column, l.Solver, l.Entry)
			}
			if size > 0 && size <= l.Smallest {
				c := &m.Columns[t.Column]
				sum += size * max(math.Abs(c.Lo), math.Abs(c.Hi))
			}
		}
		if math.IsInf(sum, 1) {
			return 0, fmt.Errorf("%w: row %d (%s) has a coefficient of at most %g at a column without bounds; %s would leave it out", sdk.ErrUnsupported, i, r.Name, l.Smallest, l.Solver)
		}
		worst = max(worst, sum)
	}
	for _, t := range m.Objective.Terms {
		if math.Abs(t.Coef) >= l.Cost {
			return 0, fmt.Errorf("%w: the objective has the coefficient %g at column %d; %s takes only absolute values below %g", sdk.ErrUnsupported, t.Coef, t.Column, l.Solver, l.Cost)
		}
	}
	return worst, nil
}
