package known

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Integers returns n integer columns with common bounds.
func Integers(n int, lo, hi float64) []problem.Column {
	out := make([]problem.Column, n)
	for i := range out {
		out[i] = problem.Column{Name: fmt.Sprintf("x%d", i), Lo: lo, Hi: hi, Integer: true, Role: problem.RoleOther}
	}
	return out
}

// Reals returns n continuous columns with common bounds.
func Reals(n int, lo, hi float64) []problem.Column {
	out := Integers(n, lo, hi)
	for i := range out {
		out[i].Name, out[i].Integer = fmt.Sprintf("y%d", i), false
	}
	return out
}

// Terms returns terms with coefs[i] at column i, without zeros.
func Terms(coefs ...float64) []problem.Term {
	var out []problem.Term
	for i, c := range coefs {
		if c != 0 {
			out = append(out, problem.Term{Column: i, Coef: c})
		}
	}
	return out
}

// Row returns the row lo ≤ Terms(coefs) ≤ hi.
func Row(lo, hi float64, coefs ...float64) problem.Row {
	return problem.Row{Name: "r", Lo: lo, Hi: hi, Terms: Terms(coefs...)}
}

// Max returns the objective that maximises Terms(coefs).
func Max(coefs ...float64) problem.Objective {
	return problem.Objective{Maximise: true, Terms: Terms(coefs...)}
}

// Min returns the objective that minimises Terms(coefs).
func Min(coefs ...float64) problem.Objective { return problem.Objective{Terms: Terms(coefs...)} }

// whole draws n integer coefficients from -most to most.
func whole(r *rand.Rand, n, most int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(r.IntN(2*most+1) - most)
	}
	return out
}

// MILP draws a pure integer program small enough to enumerate. All its numbers are small
// integers, so that feasibility is never a close call.
func MILP(r *rand.Rand) *problem.MILP {
	p := &problem.MILP{Objective: problem.Objective{Maximise: r.IntN(2) == 0}}
	for i := range 2 + r.IntN(3) {
		lo := float64(r.IntN(5) - 3)
		p.Columns = append(p.Columns, problem.Column{Name: fmt.Sprintf("x%d", i), Lo: lo, Hi: lo + float64(r.IntN(5)), Integer: true, Role: problem.RoleOther})
	}
	for range 1 + r.IntN(3) {
		lo, hi := float64(r.IntN(13)-6), math.Inf(1)
		switch r.IntN(4) {
		case 0:
			hi = lo
		case 1:
			hi = lo + float64(r.IntN(6))
		case 2:
			lo, hi = math.Inf(-1), lo
		}
		p.Rows = append(p.Rows, Row(lo, hi, whole(r, len(p.Columns), 5)...))
	}
	p.Objective.Terms = Terms(whole(r, len(p.Columns), 5)...)
	p.Objective.Terms = append(p.Objective.Terms, problem.Term{Column: len(p.Columns), Coef: 1})
	p.Columns = append(p.Columns, problem.Column{Name: "z", Lo: 0, Hi: 1, Integer: true, Role: problem.RoleOther})
	return p
}

// Delta draws a change of a program from MILP on which depth levels have been pushed.
func Delta(r *rand.Rand, p *problem.MILP, depth int) problem.Delta {
	d := problem.Delta{Push: r.IntN(2)}
	if depth > 0 {
		d.Pop = r.IntN(depth + 1)
	}
	if r.IntN(2) == 0 {
		i := r.IntN(len(p.Columns))
		c := &p.Columns[i]
		lo := c.Lo + float64(r.IntN(int(c.Hi-c.Lo)+1))
		d.ColumnBounds = []problem.ColumnBound{{Column: i, Lo: lo, Hi: c.Hi}}
	}
	if r.IntN(2) == 0 {
		d.Rows = []problem.Row{Row(math.Inf(-1), float64(r.IntN(9)), whole(r, len(p.Columns), 3)...)}
	}
	if r.IntN(3) == 0 {
		d.Objective = &problem.Objective{Maximise: r.IntN(2) == 0, Terms: Terms(whole(r, len(p.Columns), 3)...)}
	}
	return d
}

// Best finds the right answer to a problem with bounded integer columns and small integer
// data, for which float64 arithmetic is exact.
func Best(p *problem.MILP) (out Answer) {
	x := make([]float64, len(p.Columns))
	var visit func(i int)
	visit = func(i int) {
		if i < len(x) {
			for x[i] = math.Ceil(p.Columns[i].Lo); x[i] <= p.Columns[i].Hi; x[i]++ {
				visit(i + 1)
			}
			return
		}
		if p.Violation(x) > 0 {
			return
		}
		v := problem.Evaluate(p.Objective.Terms, x) + p.Objective.Offset
		if !out.Feasible || sign(p.Objective.Maximise)*(v-out.Optimum) > 0 {
			out = Answer{Feasible: true, Optimum: v, Best: len(p.Objective.Terms) > 0}
		}
	}
	visit(0)
	return out
}

// Script parses a script in SMT-LIB; its symbols are all that the text declares. It panics
// if the text does not parse.
func Script(text string) *problem.Script {
	parsed, err := script.Parse(text)
	if err != nil {
		panic(err)
	}
	s := &problem.Script{Text: text}
	for _, y := range parsed.Symbols {
		s.Symbols = append(s.Symbols, problem.Symbol{Name: y.Name, Sort: y.Sort, Role: problem.RoleOther})
	}
	return s
}
