package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// numbers is the range of numbers that HiGHS accepts: it refuses matrix entries of 1e15 and more,
// treats costs of 1e20 and more as infinite, and drops entries below small_matrix_value.
var numbers = milp.Range{Solver: highs.Spec.Name, Smallest: 1e-12, Entry: 1e15, Cost: 1e20}

// arrays converts a MILP to the arrays that HiGHS takes.
func arrays(m *problem.MILP) (*highs.Problem, error) {
	entries := len(m.Columns)
	for i := range m.Rows {
		entries += len(m.Rows[i].Terms)
	}
	if entries > math.MaxInt32 || len(m.Rows) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d columns and matrix entries, and %d rows; HiGHS takes at most %d of either", sdk.ErrUnsupported, entries, len(m.Rows), math.MaxInt32)
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

// update changes the problem that HiGHS holds to another with the same columns. It keeps
// the rows that both begin with and replaces the others; it replaces bounds and the
// objective if they differ. A delta changes nothing else that HiGHS holds.
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
