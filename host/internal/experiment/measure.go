package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Measure is a quantity that every run has, and a column of tables. Row is an arm on one
// network, Run one of its runs.
type Measure[Row, Run any] struct {
	// Name is the name in --columns and in tables for programs.
	Name     string
	Title    string
	Decimals int
	// Cell returns the row's cell for the measure.
	Cell func(*Row) *statistics.Cell
	// Of is the value of a run; nil if it lacks the measure.
	Of func(*Run) *float64
	// Worth orders runs from worse to better, lexicographically. If Worth is nil, Of orders
	// them, with 0 for a missing value.
	Worth func(*Run) []float64
	// Amount is a run's value in means over the arms of a grid. If Amount is nil, Of is used,
	// with 0 for a missing value.
	Amount func(*Run) float64
	// Beyond: the measure is not in the paper's table.
	Beyond bool
	// Neutral: neither more nor less is better, so the measure is not tested.
	Neutral bool
}

// Fill sets the cells of a row from its runs. Without runs the cells have no values.
func Fill[Row, Run any](measures []Measure[Row, Run], row *Row, runs []Run) {
	for _, m := range measures {
		*m.Cell(row) = statistics.Of(Each(runs, m.Of))
	}
}

// Values are the measures of a run as tidy data.
func Values[Row, Run any](measures []Measure[Row, Run], run *Run) view.Record {
	return Each(measures, func(m *Measure[Row, Run]) view.Value { return view.Value{Name: m.Name, Of: m.Of(run)} })
}

// Worths returns, per arm, the ranks of its runs among the runs of all arms: larger is better,
// and ties share their mean rank. Rank tests use them in place of the values.
func (m *Measure[Row, Run]) Worths(arms [][]Run) [][]float64 {
	of := m.Worth
	if of == nil {
		of = func(r *Run) []float64 { return []float64{OrZero(m.Of(r))} }
	}
	all := slices.Concat(arms...)
	ranks := statistics.RanksFunc(Each(all, of), slices.Compare[[]float64])
	out := make([][]float64, len(arms))
	for a, runs := range arms {
		out[a], ranks = ranks[:len(runs)], ranks[len(runs):]
	}
	return out
}

// amounts returns the runs' values in means over the arms of a grid.
func (m *Measure[Row, Run]) amounts(runs []Run) []float64 {
	of := m.Amount
	if of == nil {
		of = func(r *Run) float64 { return OrZero(m.Of(r)) }
	}
	return Each(runs, of)
}

// OrZero returns *v, or 0 if v is nil.
func OrZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// Penalised returns the moment of an event, or twice the budget if the event did not come.
func Penalised(at *float64, budget float64) float64 {
	if at == nil {
		return 2 * budget
	}
	return *at
}

// Tests compare arms by measures, network by network.
type Tests[Row, Run any] struct {
	Arms     []string
	Measures []Measure[Row, Run]
	// Ranked are the names of the measures by which arms are ranked over networks, the most
	// important first.
	Ranked []string
	// Control is the arm that every other one is tested against; empty: all pairs are tested.
	Control string
	// Points are the arms' positions in grids; nil if there is no grid.
	Points  []GridPoint
	matches map[string][]match // by measure
}

// Add tests the rows of a network, one per arm, by all measures except those that are neutral,
// in general or on this network.
func (t *Tests[Row, Run]) Add(study, model string, rows []Row, runs [][]Run, neutral func(measure string) bool) {
	if t.matches == nil {
		t.matches = map[string][]match{}
	}
	for _, m := range t.Measures {
		if m.Neutral || neutral != nil && neutral(m.Name) {
			continue
		}
		on := match{study: study, model: model, runs: m.Worths(runs)}
		for i := range rows {
			on.cells, on.values = append(on.cells, m.Cell(&rows[i])), append(on.values, m.amounts(runs[i]))
		}
		statistics.Test(on.cells, t.Arms, on.runs, t.control())
		t.matches[m.Name] = append(t.matches[m.Name], on)
	}
}

// Column is the measure as a column of a table of rows.
func (m *Measure[Row, Run]) Column(rows []Row) Column {
	return Column{
		m.Name, m.Title, func(i int) view.Cell { return Shown(m.Cell(&rows[i]), m.Decimals) },
		Mean(func(i int) *float64 { return m.Cell(&rows[i]).Mean }, func(v *float64) string { return view.Number(v, m.Decimals) }),
	}
}

// Data are columns of a table for programs: their names, and their texts in a row.
type Data struct {
	Names []string
	Of    func(row int) []string
}

// DataOf returns columns with these names. Their texts in a row are those that the function returns
// for it.
func DataOf[Row any](rows []Row, of func(*Row) []string, names ...string) Data {
	return Data{names, func(row int) []string { return of(&rows[row]) }}
}

// Part returns some of the columns: the half-open interval [from, to).
func (d Data) Part(from, to int) Data {
	return Data{d.Names[from:to], func(row int) []string { return d.Of(row)[from:to] }}
}

// Data are the measure's mean, standard deviation and tests, with separator between arms.
func (m *Measure[Row, Run]) Data(rows []Row, separator string) Data {
	return Data{[]string{m.Name, m.Name + ".sd", m.Name + ".bold", m.Name + ".p", m.Name + ".a12"}, func(row int) []string {
		c := m.Cell(&rows[row])
		var p, a12 []string
		for _, a := range c.Against {
			p = append(p, fmt.Sprintf("%s:%.3g", a.Arm, a.PHolm))
			a12 = append(a12, fmt.Sprintf("%s:%.3f", a.Arm, a.A12))
		}
		return []string{view.Exact(c.Mean), view.Exact(c.SD), strconv.FormatBool(c.Bold), strings.Join(p, separator), strings.Join(a12, separator)}
	}}
}

// Intervals are the measure's median and bootstrapped intervals.
func (m *Measure[Row, Run]) Intervals(rows []Row) Data {
	return Data{[]string{m.Name + ".median", m.Name + ".mean.lo", m.Name + ".mean.hi", m.Name + ".median.lo", m.Name + ".median.hi"}, func(row int) []string {
		c := m.Cell(&rows[row])
		line := []string{view.Exact(c.Median)}
		for _, i := range []*statistics.Interval{c.MeanCI, c.MedianCI} {
			if i == nil {
				line = append(line, "", "")
			} else {
				line = append(line, view.Exact(&i[0]), view.Exact(&i[1]))
			}
		}
		return line
	}}
}

// DataTable is a table for programs.
func DataTable(rows int, all []Data) *view.Table {
	var names []string
	for _, d := range all {
		names = append(names, d.Names...)
	}
	t := &view.Table{Columns: view.Columns(names...)}
	for i := range rows {
		var line []string
		for _, d := range all {
			line = append(line, d.Of(i)...)
		}
		t.Add(line...)
	}
	return t
}
