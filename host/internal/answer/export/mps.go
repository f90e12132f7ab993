package export

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/problem"
)

// Names that MPS needs in addition to those of rows and columns.
const (
	objectiveName = "obj"
	rhsName       = "rhs"
	rangeName     = "rng"
	boundName     = "bnd"
)

// writeMPS writes free MPS: all columns are named and all bounds given (so that no reader's
// default matters), a maximum is an OBJSENSE, and sets are in the SOS section of CPLEX and
// Gurobi.
func writeMPS(w *writer, p *problem.Problem) error {
	m := p.MILP
	rows, err := oneSided(m.Rows, exactRange)
	if err != nil {
		return err
	}
	columns := legalNames(m.Columns, columnName)
	rowNames := legalNames(rows, rowName, objectiveName)
	w.renamed(columns)
	w.printf("NAME %s\n", legal(p.Name))
	if m.Objective.Maximise {
		w.printf("OBJSENSE\n    MAX\n")
	}
	w.printf("ROWS\n N %s\n", objectiveName)
	for i := range rows {
		w.printf(" %s %s\n", rows[i].kind, rowNames.new[i])
	}
	w.printf("COLUMNS\n")
	mpsColumns(w, m, rows, columns.new, rowNames.new)
	w.printf("RHS\n")
	if m.Objective.Offset != 0 {
		// The right-hand side of the objective is the negative of its constant.
		w.printf("    %s %s %s\n", rhsName, objectiveName, number(-m.Objective.Offset))
	}
	for i := range rows {
		if rows[i].side != 0 && rows[i].kind != "N" {
			w.printf("    %s %s %s\n", rhsName, rowNames.new[i], number(rows[i].side))
		}
	}
	mpsRanges(w, rows, rowNames.new)
	w.printf("BOUNDS\n")
	for j := range m.Columns {
		mpsBounds(w, &m.Columns[j], columns.new[j])
	}
	mpsSets(w, m, columns.new)
	w.printf("ENDATA\n")
	return nil
}

// entry is one coefficient of a column.
type entry struct {
	row  string
	coef float64
}

// mpsColumns writes the matrix by column. A column in no row is declared by a zero in the
// objective.
func mpsColumns(w *writer, m *problem.MILP, rows []oneRow, columns, rowNames []string) {
	entries := make([][]entry, len(m.Columns))
	put := func(row string, terms []problem.Term) {
		for _, t := range terms {
			if t.Coef != 0 {
				entries[t.Column] = append(entries[t.Column], entry{row, t.Coef})
			}
		}
	}
	put(objectiveName, m.Objective.Terms)
	for i := range rows {
		put(rowNames[i], rows[i].Terms)
	}
	markers, inside := 0, false
	marker := func(integer bool) {
		if integer != inside {
			inside = integer
			markers++
			w.printf("    M%d 'MARKER' %s\n", markers, map[bool]string{true: "'INTORG'", false: "'INTEND'"}[integer])
		}
	}
	for j := range m.Columns {
		marker(m.Columns[j].Integer)
		if len(entries[j]) == 0 {
			entries[j] = []entry{{objectiveName, 0}}
		}
		for _, e := range entries[j] {
			w.printf("    %s %s %s\n", columns[j], e.row, number(e.coef))
		}
	}
	marker(false)
}

func mpsRanges(w *writer, rows []oneRow, rowNames []string) {
	title := "RANGES\n"
	for i := range rows {
		if rows[i].width > 0 {
			w.printf("%s    %s %s %s\n", title, rangeName, rowNames[i], number(rows[i].width))
			title = ""
		}
	}
}

func mpsBounds(w *writer, c *problem.Column, name string) {
	low, high := !math.IsInf(c.Lo, -1), !math.IsInf(c.Hi, 1)
	bound := func(kind string, value ...float64) {
		w.printf(" %s %s %s", kind, boundName, name)
		for _, v := range value {
			w.printf(" %s", number(v))
		}
		w.printf("\n")
	}
	switch {
	case !low && !high:
		bound("FR")
		return
	case c.Lo == c.Hi:
		bound("FX", c.Lo)
		return
	case low:
		bound("LO", c.Lo)
	default:
		bound("MI")
	}
	if high {
		bound("UP", c.Hi)
	} else {
		bound("PL")
	}
}

func mpsSets(w *writer, m *problem.MILP, columns []string) {
	if len(m.SOS1) == 0 {
		return
	}
	names := legalNames(m.SOS1, setName)
	w.printf("SOS\n")
	for i := range m.SOS1 {
		w.printf(" S1 %s\n", names.new[i])
		for k, j := range m.SOS1[i].Columns {
			w.printf("    %s %d\n", columns[j], k+1)
		}
	}
}

// oneRow is a row as a file states it: a kind (E, L, G, or N, which constrains nothing) and one
// right-hand side. A width adds a second side that far above (G) or below (L).
type oneRow struct {
	problem.Row
	kind  string
	side  float64
	width float64
}

// oneSided converts rows with two sides to rows with one. A row with two different finite sides
// becomes one row if the function both can convert it, else two.
func oneSided(rows []problem.Row, both func(problem.Row) (oneRow, bool)) ([]oneRow, error) {
	var out []oneRow
	for i := range rows {
		r := rows[i]
		low, high := !math.IsInf(r.Lo, -1), !math.IsInf(r.Hi, 1)
		switch {
		case math.IsInf(r.Lo, 1) || math.IsInf(r.Hi, -1):
			return nil, fmt.Errorf("row %d (%s): no number lies between its sides %v and %v", i, r.Name, r.Lo, r.Hi)
		case !low && !high:
			out = append(out, oneRow{Row: r, kind: "N"})
		case r.Lo == r.Hi:
			out = append(out, oneRow{Row: r, kind: "E", side: r.Lo})
		case !high:
			out = append(out, oneRow{Row: r, kind: "G", side: r.Lo})
		case !low:
			out = append(out, oneRow{Row: r, kind: "L", side: r.Hi})
		default:
			if whole, ok := both(r); ok {
				out = append(out, whole)
				continue
			}
			least, most := r, r
			least.Name, most.Name = r.Name+" least", r.Name+" most"
			out = append(out, oneRow{Row: least, kind: "G", side: r.Lo}, oneRow{Row: most, kind: "L", side: r.Hi})
		}
	}
	return out, nil
}

// exactRange returns a row with a width if a reader, which adds the width in floating point,
// gets the second side exactly.
func exactRange(r problem.Row) (oneRow, bool) {
	width := r.Hi - r.Lo
	switch {
	case math.IsInf(width, 0):
		return oneRow{}, false
	case r.Lo+width == r.Hi:
		return oneRow{Row: r, kind: "G", side: r.Lo, width: width}, true
	case r.Hi-width == r.Lo:
		return oneRow{Row: r, kind: "L", side: r.Hi, width: width}, true
	}
	return oneRow{}, false
}

func columnName(c *problem.Column) string { return c.Name }
func rowName(r *oneRow) string            { return r.Name }
func setName(s *problem.SOS1) string      { return s.Name }
