package main

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// spellOut encodes a problem's special ordered sets with binaries. The binaries come
// after its columns, their rows after its rows.
//
// If native is set, lp_solve gets the sets of continuous columns with a lower bound of 0
// as its own sets. Proofs with these are not trusted: of 340 questions on tiny networks
// encoded with sets, 5.5.2.5 called one infeasible that has a point (with the second of
// the portfolio's settings). It also took 60 to 2000 times the nodes that it takes with
// binaries, 5 s in place of 7 ms, and with integer columns in sets left 50 of 6000 random
// programs without an answer.
func spellOut(m *problem.MILP, native bool) (*problem.MILP, error) {
	if len(m.SOS1) == 0 {
		return m, nil
	}
	out := *m
	out.Columns, out.Rows, out.SOS1 = m.Columns[:len(m.Columns):len(m.Columns)], m.Rows[:len(m.Rows):len(m.Rows)], nil
	for i := range m.SOS1 {
		s := &m.SOS1[i]
		fits := native
		for _, k := range s.Columns {
			c := &m.Columns[k]
			if math.IsInf(c.Lo, 0) || math.IsInf(c.Hi, 0) {
				return nil, fmt.Errorf("%w: column %d (%s) of set %d (%s) has the bounds %g to %g; for lp_solve both must be finite",
					sdk.ErrUnsupported, k, c.Name, i, s.Name, c.Lo, c.Hi)
			}
			fits = fits && c.Lo == 0 && !c.Integer
		}
		switch {
		case len(s.Columns) < 2: // always holds
		case fits:
			out.SOS1 = append(out.SOS1, *s)
		default:
			withBinaries(&out, s)
		}
	}
	if len(out.SOS1) > 0 {
		giveRows(&out)
	}
	return &out, nil
}

// withBinaries gives each column x of a set except the last a binary b. At most one
// binary is 1, and 1 − Σ b stands for the last column's:
//
//	lo·b ≤ x ≤ hi·b
//
// lp_solve branches on the binaries as on the phases of neurons, which they are for a ReLU.
func withBinaries(m *problem.MILP, s *problem.SOS1) {
	last := len(s.Columns) - 1
	var others []problem.Term
	for range last {
		others = append(others, problem.Term{Column: len(m.Columns), Coef: 1})
		m.Columns = append(m.Columns, problem.Column{Name: s.Name, Hi: 1, Integer: true, Role: problem.RoleReLU})
	}
	if last > 1 {
		m.Rows = append(m.Rows, problem.Row{Name: s.Name, Lo: math.Inf(-1), Hi: 1, Terms: others})
	}
	for k, column := range s.Columns {
		c := m.Columns[column]
		scaled := func(by float64) (terms []problem.Term) { // x − by·b; for the last, x + by·Σ b
			terms = append(terms, problem.Term{Column: column, Coef: 1})
			if k < last {
				return append(terms, problem.Term{Column: others[k].Column, Coef: -by})
			}
			for _, o := range others {
				terms = append(terms, problem.Term{Column: o.Column, Coef: by})
			}
			return terms
		}
		least, most := 0.0, 0.0
		if k == last {
			least, most = c.Lo, c.Hi
		}
		m.Rows = append(m.Rows, problem.Row{Name: s.Name, Lo: math.Inf(-1), Hi: most, Terms: scaled(c.Hi)})
		if c.Lo != 0 {
			m.Rows = append(m.Rows, problem.Row{Name: s.Name, Lo: least, Hi: math.Inf(1), Terms: scaled(c.Lo)})
		}
	}
}

// giveRows adds a row that always holds for each column of a set that is in no row.
// lp_solve 5.5.2.5 does not move such a column. In 3000 random programs without these rows,
// it called 28 points optimal that were not; with the rows, none.
func giveRows(m *problem.MILP) {
	in := make([]bool, len(m.Columns))
	for i := range m.Rows {
		for _, t := range m.Rows[i].Terms {
			in[t.Column] = in[t.Column] || t.Coef != 0
		}
	}
	for i := range m.SOS1 {
		for _, c := range m.SOS1[i].Columns {
			if !in[c] {
				in[c] = true
				m.Rows = append(m.Rows, problem.Row{Lo: math.Inf(-1), Hi: m.Columns[c].Hi, Terms: []problem.Term{{Column: c, Coef: 1}}})
			}
		}
	}
}
