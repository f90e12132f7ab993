package topb

import (
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Problem converts a problem; nil stays nil.
func Problem(p *problem.Problem) *problemv1.Problem {
	if p == nil {
		return nil
	}
	m := &problemv1.Problem{Name: clean(p.Name)}
	switch {
	case p.Query != nil:
		m.Form = &problemv1.Problem_Network{Network: query(p.Query)}
	case p.MILP != nil:
		m.Form = &problemv1.Problem_Milp{Milp: milp(p.MILP)}
	case p.SMT != nil:
		m.Form = &problemv1.Problem_Smt{Smt: script(p.SMT)}
	}
	return m
}

func query(q *problem.Query) *problemv1.Query {
	m := &problemv1.Query{
		Space:   Space(q.Space),
		Region:  Region(q.Region),
		Notion:  problemv1.Notion(q.Notion),
		Epsilon: Rat(q.Epsilon),
		K:       narrow(q.K),
		Goal:    problemv1.Goal(q.Goal),
		Relax: each(q.Relax, func(r *problem.RelaxedFeature) *problemv1.Relaxation {
			return &problemv1.Relaxation{Feature: narrow(r.Feature), Tolerance: r.Tolerance}
		}),
		Require: each(q.Require, predicate),
		Forbid:  each(q.Forbid, predicate),
		Near:    point(q.Near),
		Exclude: points(q.Exclude),
		Bands:   bands(q.Bands),
	}
	if v := q.Within; v != nil {
		m.Within = &problemv1.Vicinity{Rows: points(v.Rows), Distance: Rat(v.Distance)}
	}
	switch network, other := modelOf(q.Model); {
	case network != nil:
		m.Model = &problemv1.Query_Network{Network: network}
	case other != nil:
		m.Model = &problemv1.Query_Other{Other: other}
	}
	return m
}

// bands are the least scores of all bands but the lowest.
func bands(b fairness.Bands) (out []*problemv1.Number) {
	for i := 1; i < len(b); i++ {
		out = append(out, Rat(b[i].Least))
	}
	return out
}

func milp(m *problem.MILP) *problemv1.Milp {
	return &problemv1.Milp{
		Columns: each(m.Columns, func(c *problem.Column) *problemv1.Column {
			return &problemv1.Column{
				Name: clean(c.Name), Lo: c.Lo, Hi: c.Hi, Integer: c.Integer,
				Role: role(c.Role), Priority: int64(c.Priority),
			}
		}),
		Rows:      each(m.Rows, row),
		Objective: objective(&m.Objective),
		Start:     start(m.Start),
		Sets: each(m.SOS1, func(s *problem.SOS1) *problemv1.Set {
			return &problemv1.Set{Name: clean(s.Name), Columns: narrowAll(s.Columns)}
		}),
	}
}

// role converts a Role. The zero Role means RoleOther in memory.
func role(r problem.Role) problemv1.Role {
	if r == 0 {
		r = problem.RoleOther
	}
	return problemv1.Role(r)
}

func row(r *problem.Row) *problemv1.Row {
	columns, coefs := terms(r.Terms)
	return &problemv1.Row{Name: clean(r.Name), Lo: r.Lo, Hi: r.Hi, Columns: columns, Coefs: coefs}
}

func objective(o *problem.Objective) *problemv1.Objective {
	columns, coefs := terms(o.Terms)
	return &problemv1.Objective{Maximise: o.Maximise, Offset: o.Offset, Columns: columns, Coefs: coefs}
}

func terms(list []problem.Term) (columns []int32, coefs []float64) {
	columns, coefs = make([]int32, len(list)), make([]float64, len(list))
	for i, t := range list {
		columns[i], coefs[i] = narrow(t.Column), t.Coef
	}
	return columns, coefs
}

func start(values []float64) *problemv1.Start {
	if values == nil {
		return nil
	}
	return &problemv1.Start{Values: values}
}

func script(s *problem.Script) *problemv1.Script {
	return &problemv1.Script{
		Text: clean(s.Text),
		Symbols: each(s.Symbols, func(y *problem.Symbol) *problemv1.Symbol {
			return &problemv1.Symbol{Name: clean(y.Name), Sort: clean(y.Sort), Role: role(y.Role)}
		}),
		Objective: clean(s.Objective),
		Maximise:  s.Maximise,
	}
}

// Delta converts a delta. A nil objective, which changes nothing, stays unset.
func Delta(d problem.Delta) *problemv1.Delta {
	m := &problemv1.Delta{
		Pop: narrow(d.Pop), Push: narrow(d.Push),
		ColumnBounds: each(d.ColumnBounds, func(b *problem.ColumnBound) *problemv1.ColumnBound {
			return &problemv1.ColumnBound{Column: narrow(b.Column), Lo: b.Lo, Hi: b.Hi}
		}),
		Rows:   each(d.Rows, row),
		Start:  start(d.Start),
		Assert: clean(d.Assert),
	}
	if d.Objective != nil {
		m.Objective = objective(d.Objective)
	}
	return m
}
