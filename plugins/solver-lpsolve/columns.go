package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// numbers is the range of numbers that lp_solve accepts; its matrix drops entries below Smallest.
var numbers = milp.Range{Solver: lpsolve.Spec.Name, Smallest: 1e-11, Entry: lpsolve.Infinity, Cost: lpsolve.Infinity}

// branchingOrder returns the columns in the order in which lp_solve gets them. lp_solve
// branches on the first column that is not integer yet, so the phases of neurons come
// first, by priority, then the other integers. With inputs first, and lp_solve's default
// scaling, it optimised none of the public networks in 100 s; with this order it takes
// about a second for small ones.
func branchingOrder(m *problem.MILP) []int {
	order := make([]int, len(m.Columns))
	for i := range order {
		order[i] = i
	}
	class := func(c *problem.Column) int {
		switch {
		case c.Integer && c.Role == problem.RoleReLU:
			return 0
		case c.Integer:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &m.Columns[i], &m.Columns[j]
		if d := class(a) - class(b); d != 0 {
			return d
		}
		return b.Priority - a.Priority
	})
	return order
}

// translate converts a MILP to the form that lp_solve takes, a minimisation. It decides
// simple cases itself: why says what makes the problem infeasible, if that is obvious.
// own is the number of the problem's own rows; the rows after them encode its sets. The
// objective's offset becomes a last column with the fixed value 1, so that a relative gap
// has its usual meaning.
func translate(m *problem.MILP, order []int, own int) (p *lpsolve.Problem, why string, err error) {
	p = &lpsolve.Problem{}
	at := make([]int32, len(order))
	for position, i := range order {
		at[i] = int32(position)
		c := &m.Columns[i]
		lo, hi := c.Lo, c.Hi
		if c.Integer {
			if lo, hi = math.Ceil(lo), math.Floor(hi); lo > hi {
				return nil, fmt.Sprintf("column %d (%s) has no integer between its bounds", i, c.Name), nil
			}
		}
		if tooLarge(lo) || tooLarge(hi) {
			return nil, "", fmt.Errorf("%w: column %d (%s) has the bounds %g to %g; lp_solve takes only absolute values below %g, or infinite ones", sdk.ErrUnsupported, i, c.Name, lo, hi, lpsolve.Infinity)
		}
		p.Lo, p.Hi, p.Integer = append(p.Lo, lo), append(p.Hi, hi), append(p.Integer, c.Integer)
	}
	last := -1
	for i := range m.Rows {
		r := &m.Rows[i]
		row, err := translateRow(m, i, at)
		if err != nil {
			return nil, "", err
		}
		switch {
		case len(row.Index) == 0 && (r.Lo > 0 || r.Hi < 0):
			return nil, fmt.Sprintf("row %d (%s) has no terms and does not hold", i, r.Name), nil
		case math.IsInf(r.Lo, 1) || math.IsInf(r.Hi, -1):
			return nil, fmt.Sprintf("row %d (%s) cannot hold: its lower side is +Inf, or its upper side -Inf", i, r.Name), nil
		case len(row.Index) > 0 && !(math.IsInf(r.Lo, -1) && math.IsInf(r.Hi, 1)):
			p.Rows = append(p.Rows, row)
			if i < own {
				last = len(p.Rows) - 1
			}
		}
	}
	for i := range m.SOS1 {
		set := make([]int32, len(m.SOS1[i].Columns))
		for k, c := range m.SOS1[i].Columns {
			set[k] = at[c]
		}
		p.Sets = append(p.Sets, set)
	}
	p.Cost = make([]float64, len(m.Columns))
	for _, t := range m.Objective.Terms {
		p.Cost[at[t.Column]] = t.Coef * sign(m.Objective.Maximise)
	}
	if len(m.Objective.Terms) == 0 && last >= 0 {
		direct(p, &p.Rows[last])
	}
	if m.Objective.Offset != 0 {
		p.Cost = append(p.Cost, m.Objective.Offset*sign(m.Objective.Maximise))
		p.Lo, p.Hi, p.Integer = append(p.Lo, 1), append(p.Hi, 1), append(p.Integer, false)
	}
	return p, "", nil
}

// direct gives an objective to a model without one: to satisfy r with the largest margin
// from its lower side or, if that is infinite, from its upper side. r is the last row, which
// asks the question if deltas extend a problem. Since any point will do, any objective is
// valid, and without one lp_solve may not end: in a branch of a question about the Bank
// network BM-6 it cycled, and with an objective it answers in 0.05 s.
func direct(p *lpsolve.Problem, r *lpsolve.Row) {
	unbounded := func(c int32) bool { return math.IsInf(p.Lo[c], 0) || math.IsInf(p.Hi[c], 0) }
	if r.Lo == r.Hi || slices.ContainsFunc(r.Index, unbounded) {
		return // neither side is preferable, or the objective may be unbounded
	}
	for k, c := range r.Index {
		p.Cost[c] = -r.Value[k]
		if math.IsInf(r.Lo, -1) {
			p.Cost[c] = r.Value[k]
		}
	}
}

func translateRow(m *problem.MILP, i int, at []int32) (lpsolve.Row, error) {
	r := &m.Rows[i]
	row := lpsolve.Row{Lo: r.Lo, Hi: r.Hi}
	if tooLarge(r.Lo) || tooLarge(r.Hi) {
		return row, fmt.Errorf("%w: row %d (%s) has the sides %g to %g; lp_solve takes only absolute values below %g, or infinite ones", sdk.ErrUnsupported, i, r.Name, r.Lo, r.Hi, lpsolve.Infinity)
	}
	for _, t := range r.Terms {
		if t.Coef != 0 {
			row.Index, row.Value = append(row.Index, at[t.Column]), append(row.Value, t.Coef)
		}
	}
	return row, nil
}

// sign returns the factor that makes an objective one to minimise.
func sign(maximise bool) float64 {
	if maximise {
		return -1
	}
	return 1
}

// tooLarge reports whether a finite number is infinite for lp_solve.
func tooLarge(v float64) bool { return math.Abs(v) >= lpsolve.Infinity && !math.IsInf(v, 0) }

// restore converts a point back to the problem's order, without the columns that spellOut
// has added. It rounds integers that are off by a rounding error, unless that increases
// the violation.
func restore(m *problem.MILP, order []int, values []float64) []float64 {
	raw := make([]float64, len(m.Columns))
	whole := make([]float64, len(m.Columns))
	for position, i := range order {
		if i >= len(m.Columns) {
			continue
		}
		raw[i], whole[i] = values[position], values[position]
		if m.Columns[i].Integer {
			whole[i] = math.Round(raw[i])
		}
	}
	if m.Violation(whole) <= m.Violation(raw) {
		return whole
	}
	return raw
}
