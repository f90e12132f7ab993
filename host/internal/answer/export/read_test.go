package export_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/problem"
)

// readModel is what a file says, by name: what the two readers below, which follow
// the formats' definitions and not the writers, make of it.
type readModel struct {
	maximise  bool
	offset    float64
	objective map[string]float64
	rows      map[string]*readRow
	columns   map[string]*readColumn
	sets      map[string][]string
}

type readRow struct {
	lo, hi float64
	terms  map[string]float64
}

type readColumn struct {
	lo, hi  float64
	integer bool
}

func newModel() *readModel {
	return &readModel{objective: map[string]float64{}, rows: map[string]*readRow{}, columns: map[string]*readColumn{}, sets: map[string][]string{}}
}

// column finds or adds one with the default bounds of both formats.
func (m *readModel) column(name string) *readColumn {
	if m.columns[name] == nil {
		m.columns[name] = &readColumn{hi: math.Inf(1)}
	}
	return m.columns[name]
}

func parse(t fataler, text string) float64 {
	t.Helper()
	switch text {
	case "-infinity":
		return math.Inf(-1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("no number: %q", text)
	}
	return v
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// readMPS reads free MPS.
func readMPS(t fataler, text string) *readModel {
	t.Helper()
	m := newModel()
	section, set, integer := "", "", false
	kinds := map[string]string{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "*") {
			continue
		}
		f := strings.Fields(line)
		if !strings.HasPrefix(line, " ") {
			section = f[0]
			continue
		}
		switch section {
		case "OBJSENSE":
			m.maximise = f[0] == "MAX"
		case "ROWS":
			kinds[f[1]] = f[0]
			if f[0] != "N" {
				r := &readRow{terms: map[string]float64{}}
				if f[0] == "L" {
					r.lo = math.Inf(-1)
				}
				if f[0] == "G" {
					r.hi = math.Inf(1)
				}
				m.rows[f[1]] = r
			}
		case "COLUMNS":
			if f[1] == "'MARKER'" {
				integer = f[2] == "'INTORG'"
				continue
			}
			m.column(f[0]).integer = integer
			switch v := parse(t, f[2]); {
			case f[1] == "obj" && v != 0:
				m.objective[f[0]] = v
			case m.rows[f[1]] != nil:
				m.rows[f[1]].terms[f[0]] = v
			case kinds[f[1]] != "N":
				t.Fatalf("no row %q", f[1])
			}
		case "RHS":
			v := parse(t, f[2])
			switch r := m.rows[f[1]]; kinds[f[1]] {
			case "N":
				m.offset = -v
			case "E":
				r.lo, r.hi = v, v
			case "L":
				r.hi = v
			case "G":
				r.lo = v
			}
		case "RANGES":
			v := math.Abs(parse(t, f[2]))
			switch r := m.rows[f[1]]; kinds[f[1]] {
			case "L":
				r.lo = r.hi - v
			case "G":
				r.hi = r.lo + v
			default:
				t.Fatalf("a range on a row of kind %s", kinds[f[1]])
			}
		case "BOUNDS":
			c := m.columns[f[2]]
			if c == nil {
				t.Fatalf("bound of no column %q", f[2])
			}
			switch f[0] {
			case "FR":
				c.lo, c.hi = math.Inf(-1), math.Inf(1)
			case "MI":
				c.lo = math.Inf(-1)
			case "PL":
				c.hi = math.Inf(1)
			case "LO":
				c.lo = parse(t, f[3])
			case "UP":
				c.hi = parse(t, f[3])
			case "FX":
				c.lo = parse(t, f[3])
				c.hi = c.lo
			default:
				t.Fatalf("bound of kind %s", f[0])
			}
		case "SOS":
			if f[0] == "S1" {
				set = f[1]
				m.sets[set] = nil
				continue
			}
			m.sets[set] = append(m.sets[set], f[0])
		default:
			t.Fatalf("line %q in section %q", line, section)
		}
	}
	if section != "ENDATA" {
		t.Fatalf("the file ends in section %s", section)
	}
	return m
}

// readLP reads the LP format: tokens, in sections that a word of their own
// begins.
func readLP(t fataler, text string) *readModel {
	t.Helper()
	m := newModel()
	section := ""
	statements := map[string][][]string{} // by section; those of rows begin with their name
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, `\`) {
			continue
		}
		if len(line) > 510 {
			t.Fatalf("a line of %d characters", len(line))
		}
		if !strings.HasPrefix(line, " ") {
			section = strings.TrimSpace(line)
			continue
		}
		f := strings.Fields(line)
		if last := len(statements[section]) - 1; strings.HasPrefix(line, "  ") && last >= 0 {
			statements[section][last] = append(statements[section][last], f...)
		} else {
			statements[section] = append(statements[section], f)
		}
	}
	if section != "End" {
		t.Fatalf("the file ends in section %s", section)
	}
	sum := func(tokens []string) (terms map[string]float64, constant float64, rest []string) {
		terms = map[string]float64{}
		sign := 1.0
		for i := 0; i < len(tokens); i++ {
			switch tok := tokens[i]; tok {
			case "+":
				sign = 1
			case "-":
				sign = -1
			case "=", "<=", ">=":
				return terms, constant, tokens[i:]
			default:
				v := sign * parse(t, tok)
				if i+1 == len(tokens) || strings.Contains("+-<=>=", tokens[i+1]) {
					constant += v
					continue
				}
				m.column(tokens[i+1])
				if v != 0 {
					terms[tokens[i+1]] = v
				}
				i++
			}
		}
		return terms, constant, nil
	}
	for _, sense := range []string{"Maximize", "Minimize"} {
		for _, s := range statements[sense] {
			m.maximise = sense == "Maximize"
			m.objective, m.offset, _ = sum(s[1:])
		}
	}
	for _, s := range statements["Subject To"] {
		r := &readRow{lo: math.Inf(-1), hi: math.Inf(1)}
		var rest []string
		r.terms, _, rest = sum(s[1:])
		v := parse(t, rest[1])
		if rest[0] != "<=" {
			r.lo = v
		}
		if rest[0] != ">=" {
			r.hi = v
		}
		m.rows[strings.TrimSuffix(s[0], ":")] = r
	}
	for _, s := range statements["Bounds"] {
		switch {
		case s[1] == "free":
			c := m.column(s[0])
			c.lo, c.hi = math.Inf(-1), math.Inf(1)
		case len(s) == 5:
			c := m.column(s[2])
			c.lo, c.hi = parse(t, s[0]), parse(t, s[4])
		case s[1] == "=":
			c := m.column(s[0])
			c.lo = parse(t, s[2])
			c.hi = c.lo
		default:
			m.column(s[0]).lo = parse(t, s[2])
		}
	}
	for _, s := range statements["General"] {
		m.column(s[0]).integer = true
	}
	for _, s := range statements["SOS"] {
		if s[1] != "S1::" {
			t.Fatalf("set of kind %s", s[1])
		}
		var list []string
		for _, member := range s[2:] {
			name, _, _ := strings.Cut(member, ":")
			list = append(list, name)
		}
		m.sets[strings.TrimSuffix(s[0], ":")] = list
	}
	return m
}

// sameModel compares a model read back with the one written. rowOrder lists the file's rows; a
// row with two sides may be two of them.
func sameModel(t fataler, want *problem.MILP, columns []string, got *readModel, rowOrder []string) {
	t.Helper()
	if len(got.columns) != len(want.Columns) || len(columns) != len(want.Columns) {
		t.Fatalf("%d columns, want %d", len(got.columns), len(want.Columns))
	}
	for j, c := range want.Columns {
		g := got.columns[columns[j]]
		if g == nil || g.lo != c.Lo || g.hi != c.Hi || g.integer != c.Integer {
			t.Fatalf("column %d (%s): %+v, want %+v", j, columns[j], g, c)
		}
	}
	if got.maximise != want.Objective.Maximise || got.offset != want.Objective.Offset {
		t.Fatalf("objective: maximise %v, offset %v", got.maximise, got.offset)
	}
	sameTerms(t, "objective", want.Objective.Terms, columns, got.objective)
	at := 0
	next := func() *readRow {
		if at == len(rowOrder) {
			t.Fatalf("%d rows are too few", at)
		}
		at++
		return got.rows[rowOrder[at-1]]
	}
	for i, r := range want.Rows {
		if math.IsInf(r.Lo, -1) && math.IsInf(r.Hi, 1) {
			continue // asks nothing
		}
		g := next()
		sameTerms(t, rowOrder[at-1], r.Terms, columns, g.terms)
		if (g.lo != r.Lo || g.hi != r.Hi) && g.lo == r.Lo && math.IsInf(g.hi, 1) { // in two
			second := next()
			sameTerms(t, rowOrder[at-1], r.Terms, columns, second.terms)
			g = &readRow{lo: g.lo, hi: second.hi}
		}
		if g.lo != r.Lo || g.hi != r.Hi {
			t.Fatalf("row %d (%s): %v to %v, want %v to %v", i, r.Name, g.lo, g.hi, r.Lo, r.Hi)
		}
	}
	if at != len(rowOrder) {
		t.Fatalf("%d rows, want %d", len(rowOrder), at)
	}
}

func sameTerms(t fataler, where string, want []problem.Term, columns []string, got map[string]float64) {
	t.Helper()
	n := 0
	for _, term := range want {
		if term.Coef == 0 {
			continue
		}
		n++
		if got[columns[term.Column]] != term.Coef {
			t.Fatalf("%s: %v at %s, want %v", where, got[columns[term.Column]], columns[term.Column], term.Coef)
		}
	}
	if len(got) != n {
		t.Fatalf("%s: %d terms, want %d", where, len(got), n)
	}
}

var _ fataler = (*testing.T)(nil)
