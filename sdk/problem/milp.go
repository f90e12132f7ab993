package problem

import (
	"fmt"
	"math"
)

// Role says what a column or symbol stands for, so that a solver can branch
// on it and the host can decode it.
type Role uint8

const (
	// RoleOther is anything not named below.
	RoleOther Role = iota + 1
	// RoleInput is a value of a non-protected feature.
	RoleInput
	// RoleProtected is a value of a protected feature of one copy.
	RoleProtected
	// RoleReLU is the phase of a neuron: 1 active, 0 inactive.
	RoleReLU
	// RoleNeuron is the output of a neuron.
	RoleNeuron
	// RoleLogit is a logit of one copy.
	RoleLogit
)

// Column is a variable of a MILP. Infinite bounds are ±Inf.
type Column struct {
	Name    string
	Lo, Hi  float64
	Integer bool
	Role    Role
	// Priority ranks columns for branching: higher first; 0: no preference.
	Priority int
}

// Term is a coefficient at a column.
type Term struct {
	Column int
	Coef   float64
}

// Row is lo ≤ Σ coef·column ≤ hi; an absent side is ±Inf.
type Row struct {
	Name   string
	Lo, Hi float64
	Terms  []Term
}

// SOS1 is a special ordered set of type 1: at most one of its columns is not
// zero.
type SOS1 struct {
	Name    string
	Columns []int
}

// Objective is Σ coef·column + Offset; with no terms the problem is a pure
// feasibility question.
type Objective struct {
	Maximise bool
	Offset   float64
	Terms    []Term
}

// MILP is a mixed-integer linear program. Its float64 coefficients are exact.
type MILP struct {
	Columns []Column
	Rows    []Row
	// SOS1 are special ordered sets of type 1; a solver accepts them only if its
	// Description says so.
	SOS1      []SOS1
	Objective Objective
	// Start holds a start value for each column, or NaN for none; nil if there are
	// no start values.
	Start []float64
}

// Validate checks indices, bounds and finiteness.
func (m *MILP) Validate() error {
	for i := range m.Columns {
		c := &m.Columns[i]
		if math.IsNaN(c.Lo) || math.IsNaN(c.Hi) || c.Lo > c.Hi || math.IsInf(c.Lo, 1) || math.IsInf(c.Hi, -1) {
			return fmt.Errorf("column %d (%s): bounds %v to %v allow no finite number", i, c.Name, c.Lo, c.Hi)
		}
	}
	for i := range m.Rows {
		if err := m.validateRow(&m.Rows[i]); err != nil {
			return fmt.Errorf("row %d (%s): %w", i, m.Rows[i].Name, err)
		}
	}
	for i := range m.SOS1 {
		if err := m.validateSet(&m.SOS1[i]); err != nil {
			return fmt.Errorf("set %d (%s): %w", i, m.SOS1[i].Name, err)
		}
	}
	if math.IsNaN(m.Objective.Offset) || math.IsInf(m.Objective.Offset, 0) {
		return fmt.Errorf("objective offset %v: want a finite number", m.Objective.Offset)
	}
	if err := m.validateTerms(m.Objective.Terms); err != nil {
		return fmt.Errorf("objective: %w", err)
	}
	if m.Start != nil && len(m.Start) != len(m.Columns) {
		return fmt.Errorf("%d start values for %d columns", len(m.Start), len(m.Columns))
	}
	return nil
}

func (m *MILP) validateRow(r *Row) error {
	if math.IsNaN(r.Lo) || math.IsNaN(r.Hi) || r.Lo > r.Hi {
		return fmt.Errorf("sides %v to %v: want numbers in ascending order", r.Lo, r.Hi)
	}
	return m.validateTerms(r.Terms)
}

func (m *MILP) validateSet(s *SOS1) error {
	seen := make(map[int]bool, len(s.Columns))
	for _, c := range s.Columns {
		if c < 0 || c >= len(m.Columns) {
			return fmt.Errorf("no column %d among %d", c, len(m.Columns))
		}
		if seen[c] {
			return fmt.Errorf("column %d appears twice", c)
		}
		seen[c] = true
	}
	return nil
}

func (m *MILP) validateTerms(terms []Term) error {
	seen := make(map[int]bool, len(terms))
	for _, t := range terms {
		if t.Column < 0 || t.Column >= len(m.Columns) {
			return fmt.Errorf("no column %d among %d", t.Column, len(m.Columns))
		}
		if seen[t.Column] {
			return fmt.Errorf("column %d appears twice", t.Column)
		}
		seen[t.Column] = true
		if math.IsNaN(t.Coef) || math.IsInf(t.Coef, 0) {
			return fmt.Errorf("coefficient %v at column %d: want a finite number", t.Coef, t.Column)
		}
	}
	return nil
}

// Evaluate returns Σ coef·column at the values.
func Evaluate(terms []Term, values []float64) float64 {
	sum := 0.0
	for _, t := range terms {
		sum += t.Coef * values[t.Column]
	}
	return sum
}

// Magnitude is the largest sum of the magnitudes of a row's terms within the columns'
// bounds, or the largest magnitude of a side. Bounds and sides that are not finite do
// not count.
func (m *MILP) Magnitude() float64 {
	finite := func(lo, hi float64) (most float64) {
		for _, v := range []float64{math.Abs(lo), math.Abs(hi)} {
			if !math.IsInf(v, 0) {
				most = math.Max(most, v)
			}
		}
		return most
	}
	most := 0.0
	for i := range m.Rows {
		r := &m.Rows[i]
		sum := 0.0
		for _, t := range r.Terms {
			sum += math.Abs(t.Coef) * finite(m.Columns[t.Column].Lo, m.Columns[t.Column].Hi)
		}
		most = max(most, sum, finite(r.Lo, r.Hi))
	}
	return most
}

// Violation is the largest amount by which the values violate a bound, a row, a set
// or integrality: 0 for a feasible point. len(values) must be the number of columns.
func (m *MILP) Violation(values []float64) float64 {
	worst := 0.0
	note := func(v float64) {
		worst = math.Max(worst, v) // keeps a NaN, and an infinity above it
	}
	for i := range m.Columns {
		c := &m.Columns[i]
		note(c.Lo - values[i])
		note(values[i] - c.Hi)
		if c.Integer {
			note(math.Abs(values[i] - math.Round(values[i])))
		}
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		v := Evaluate(r.Terms, values)
		note(r.Lo - v)
		note(v - r.Hi)
	}
	for i := range m.SOS1 {
		note(secondLargest(m.SOS1[i].Columns, values))
	}
	return worst
}

// secondLargest is the second largest magnitude among the columns' values, by which
// they violate a special ordered set.
func secondLargest(columns []int, values []float64) float64 {
	first, second := 0.0, 0.0
	for _, c := range columns {
		v := math.Abs(values[c])
		if math.IsNaN(v) {
			return v
		}
		first, second = math.Max(first, v), math.Max(second, math.Min(first, v))
	}
	return second
}
