package export

import (
	"errors"
	"math"

	"github.com/hyfair/hyfair/sdk/problem"
)

// lineTerms is the number of terms per line: some readers take no more than 560 characters.
const lineTerms = 5

// writeLP writes the CPLEX LP format in the subset that its readers share: a row has one side
// (a row with two sides becomes two rows), all bounds are given, and integers are listed under
// General.
func writeLP(w *writer, p *problem.Problem) error {
	m := p.MILP
	if len(m.Columns) == 0 {
		return errors.New("the LP format cannot state a problem without columns: use --format mps")
	}
	rows, err := oneSided(m.Rows, func(problem.Row) (oneRow, bool) { return oneRow{}, false })
	if err != nil {
		return err
	}
	columns := legalNames(m.Columns, columnName)
	rowNames := legalNames(rows, rowName, objectiveName)
	w.renamed(columns)
	sense := "Minimize"
	if m.Objective.Maximise {
		sense = "Maximize"
	}
	w.printf("%s\n %s:", sense, objectiveName)
	w.terms(m.Objective.Terms, columns.new)
	if m.Objective.Offset != 0 {
		w.signed(m.Objective.Offset)
	}
	w.printf("\nSubject To\n")
	relation := map[string]string{"E": "=", "L": "<=", "G": ">="}
	for i := range rows {
		if rows[i].kind == "N" {
			continue // constrains nothing, and the format cannot state it
		}
		w.printf(" %s:", rowNames.new[i])
		w.terms(rows[i].Terms, columns.new)
		w.printf(" %s %s\n", relation[rows[i].kind], number(rows[i].side))
	}
	w.printf("Bounds\n")
	for j := range m.Columns {
		lpBounds(w, &m.Columns[j], columns.new[j])
	}
	lpIntegers(w, m, columns.new)
	lpSets(w, m, columns.new)
	w.printf("End\n")
	return nil
}

// terms writes a sum; an empty sum as zero times the first column.
func (w *writer) terms(terms []problem.Term, columns []string) {
	n := 0
	for _, t := range terms {
		if t.Coef == 0 {
			continue
		}
		if n > 0 && n%lineTerms == 0 {
			w.printf("\n  ")
		}
		n++
		w.signed(t.Coef)
		w.printf(" %s", columns[t.Column])
	}
	if n == 0 {
		w.printf(" 0 %s", columns[0])
	}
}

// signed writes a number with a blank after its sign.
func (w *writer) signed(v float64) {
	sign := "+"
	if math.Signbit(v) {
		sign = "-"
	}
	w.printf(" %s %s", sign, number(math.Abs(v)))
}

func lpBounds(w *writer, c *problem.Column, name string) {
	low, high := !math.IsInf(c.Lo, -1), !math.IsInf(c.Hi, 1)
	switch {
	case !low && !high:
		w.printf(" %s free\n", name)
	case c.Lo == c.Hi:
		w.printf(" %s = %s\n", name, number(c.Lo))
	case !high:
		w.printf(" %s >= %s\n", name, number(c.Lo))
	case !low:
		w.printf(" -infinity <= %s <= %s\n", name, number(c.Hi))
	default:
		w.printf(" %s <= %s <= %s\n", number(c.Lo), name, number(c.Hi))
	}
}

func lpIntegers(w *writer, m *problem.MILP, columns []string) {
	title := "General\n"
	for j := range m.Columns {
		if m.Columns[j].Integer {
			w.printf("%s %s\n", title, columns[j])
			title = ""
		}
	}
}

func lpSets(w *writer, m *problem.MILP, columns []string) {
	if len(m.SOS1) == 0 {
		return
	}
	names := legalNames(m.SOS1, setName)
	w.printf("SOS\n")
	for i := range m.SOS1 {
		w.printf(" %s: S1::", names.new[i])
		for k, j := range m.SOS1[i].Columns {
			if k > 0 && k%lineTerms == 0 {
				w.printf("\n  ")
			}
			w.printf(" %s:%d", columns[j], k+1)
		}
		w.printf("\n")
	}
}
