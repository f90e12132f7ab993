package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// HiGHS refuses matrix entries from 1e15 on, and takes costs from 1e20 on for
// infinite.
const (
	largestEntry = 1e15
	largestCost  = 1e20
)

// dropped bounds what HiGHS changes in a row by leaving out coefficients that
// are too small for it, given the columns' bounds. A problem whose meaning it
// would change without bound, or refuse, is an error.
func dropped(m *problem.MILP) (float64, error) {
	worst := 0.0
	for i := range m.Rows {
		r := &m.Rows[i]
		sum := 0.0
		for _, t := range r.Terms {
			size := math.Abs(t.Coef)
			if size >= largestEntry {
				return 0, fmt.Errorf("%w: row %d (%s) has the coefficient %g at column %d; HiGHS takes none from %g on", sdk.ErrUnsupported, i, r.Name, t.Coef, t.Column, largestEntry)
			}
			if size > 0 && size <= smallest {
				c := &m.Columns[t.Column]
				sum += size * max(math.Abs(c.Lo), math.Abs(c.Hi))
			}
		}
		if math.IsInf(sum, 1) {
			return 0, fmt.Errorf("%w: row %d (%s) has a coefficient of at most %g at a column without bounds; HiGHS would leave it out", sdk.ErrUnsupported, i, r.Name, smallest)
		}
		worst = max(worst, sum)
	}
	for _, t := range m.Objective.Terms {
		if math.Abs(t.Coef) >= largestCost {
			return 0, fmt.Errorf("%w: the objective has the coefficient %g at column %d; HiGHS takes none from %g on", sdk.ErrUnsupported, t.Coef, t.Column, largestCost)
		}
	}
	return worst, nil
}

// arrays lays a MILP out as HiGHS takes it.
func arrays(m *problem.MILP) (*highs.Problem, error) {
	entries := len(m.Columns)
	for i := range m.Rows {
		entries += len(m.Rows[i].Terms)
	}
	if entries > math.MaxInt32 || len(m.Rows) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d columns and matrix entries; HiGHS counts to %d", sdk.ErrUnsupported, entries, math.MaxInt32)
	}
	p := &highs.Problem{
		Maximise: m.Objective.Maximise,
		Offset:   m.Objective.Offset,
		Cost:     costs(m),
		Lo:       make([]float64, len(m.Columns)),
		Hi:       make([]float64, len(m.Columns)),
		Integer:  make([]int32, len(m.Columns)),
		Rows:     rows(m.Rows),
	}
	for i := range m.Columns {
		c := &m.Columns[i]
		p.Lo[i], p.Hi[i] = c.Lo, c.Hi
		if c.Integer {
			p.Integer[i] = 1
		}
	}
	return p, nil
}

func costs(m *problem.MILP) []float64 {
	cost := make([]float64, len(m.Columns))
	for _, t := range m.Objective.Terms {
		cost[t.Column] = t.Coef
	}
	return cost
}

func rows(list []problem.Row) highs.Rows {
	var r highs.Rows
	for i := range list {
		r.Lo = append(r.Lo, list[i].Lo)
		r.Hi = append(r.Hi, list[i].Hi)
		r.Start = append(r.Start, int32(len(r.Index)))
		for _, t := range list[i].Terms {
			r.Index = append(r.Index, int32(t.Column))
			r.Value = append(r.Value, t.Coef)
		}
	}
	return r
}

// update brings HiGHS from the problem it holds to another with the same
// columns: rows that both begin with stay, the others are exchanged; so are
// bounds and the objective where they differ. Pushing and popping need no more
// than that.
func update(model *highs.Model, held, next *problem.MILP) error {
	same := 0
	for same < len(held.Rows) && same < len(next.Rows) && equalRows(&held.Rows[same], &next.Rows[same]) {
		same++
	}
	if err := model.DeleteRows(same, len(held.Rows)); err != nil {
		return err
	}
	added := rows(next.Rows[same:])
	if err := model.AddRows(&added); err != nil {
		return err
	}
	var columns []int32
	var lo, hi []float64
	for i := range next.Columns {
		if c, old := &next.Columns[i], &held.Columns[i]; c.Lo != old.Lo || c.Hi != old.Hi {
			columns, lo, hi = append(columns, int32(i)), append(lo, c.Lo), append(hi, c.Hi)
		}
	}
	if err := model.ChangeBounds(columns, lo, hi); err != nil {
		return err
	}
	a, b := &held.Objective, &next.Objective
	if a.Maximise == b.Maximise && a.Offset == b.Offset && slices.Equal(a.Terms, b.Terms) {
		return nil
	}
	return model.ChangeObjective(b.Maximise, b.Offset, costs(next))
}

func equalRows(a, b *problem.Row) bool {
	return a.Lo == b.Lo && a.Hi == b.Hi && slices.Equal(a.Terms, b.Terms)
}
