package ablate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// one is what tables call an arm.
const one = "search"

// Document shows the ablation.
func (a *Ablation) Document() *view.Document {
	a.in = a.judgedIn()
	var failed view.Warning
	for i := range a.Cells {
		if c := &a.Cells[i]; c.Failed > 0 {
			failed = append(failed, fmt.Sprintf("FAILED %s, %s: %d of %d tasks: %s",
				a.lines().Label(&c.Row), c.Arm, c.Failed, c.Failed+c.Runs, view.FirstLine(c.Errors[len(c.Errors)-1])))
		}
	}
	var uncounted view.Warning
	for i := range a.Cells {
		if c := &a.Cells[i]; c.Uncounted > 0 {
			uncounted = append(uncounted, fmt.Sprintf("%s, %s: %s (%d of %d runs)", a.lines().Label(&c.Row), c.Arm, search.Uncounted, c.Uncounted, c.Runs))
		}
	}
	d := view.Of(a.tables()...)
	if uncounted != nil {
		d.Add(view.Close{Block: uncounted})
	}
	d.Add(a.Only(a.Chosen).Blocks(a.Title("ranking over networks"), one)...)
	d.Add(view.Close{Block: failed})
	d.Disagree(a.Disagreements)
	d.Data = a.data()
	return d
}

// lines are the cells as tables begin their lines.
func (a *Ablation) lines() *experiment.Rows {
	t := &experiment.Rows{Arms: len(a.Arms)}
	for i := range a.Cells {
		t.Rows = append(t.Rows, &a.Cells[i].Row)
	}
	return t
}

// Columns are the names of those that the tables can have.
func Columns() []string {
	a := &Ablation{in: evaluations, Bounds: []Bound{{}}}
	return append(experiment.Names(a.main()), experiment.Names(a.beyond())...)
}

// Choose picks the columns to show, by their names.
func (a *Ablation) Choose(columns []string) error {
	a.in = a.judgedIn()
	return a.Head.Choose(columns, experiment.Names(append(a.main(), a.beyond()...)))
}

// tables are the paper's Table 2 and what it has not, or one of the chosen columns.
func (a *Ablation) tables() (out []view.Block) {
	add := func(what string, columns []experiment.Column, notes []string) {
		t := a.lines().Table(a.Title(what), one, columns)
		t.Notes = notes
		out = append(out, t)
	}
	main, beyond := a.main(), a.beyond()
	if len(a.Chosen) == 0 {
		add("what the searches found", main, a.notes())
		add("how uneven the outcomes, how spread out the individuals, at what cost", beyond, beyondNotes)
		return out
	}
	chosen, notes := experiment.Choose(append(main, beyond...), a.Chosen), a.notes()
	if len(experiment.Choose(beyond, a.Chosen)) > 0 {
		notes = append(notes, beyondNotes...)
	}
	add(strings.Join(experiment.Names(chosen), ", "), chosen, notes)
	return out
}

// main are the columns of the paper's Table 2.
func (a *Ablation) main() (out []experiment.Column) {
	for _, m := range a.in.measures() {
		if !m.beyond {
			out = append(out, a.column(m))
		}
		if m.name == measureMaxK && (a.bounded || len(a.Bounds) > 0) {
			out = append(out, experiment.Column{Name: "bound", Title: "proved", Cell: func(i int) view.Cell { return a.proved(&a.Cells[i]) }, Over: func([]int) string { return "" }})
		}
	}
	target := &out[len(out)-1].Cell
	times := *target
	*target = func(i int) view.Cell {
		cell := times(i)
		if c := &a.Cells[i]; c.Target > 0 {
			cell.Text += fmt.Sprintf(" (k≥%d: %d/%d)", c.Target, c.Reached, c.Runs)
		}
		return cell
	}
	found := a.lines().FoundIn()
	found.Cell = func(i int) view.Cell {
		c := &a.Cells[i]
		cell := view.Cell{Text: c.FoundOf()}
		if c.Failed > 0 {
			cell.Text += fmt.Sprintf(", %d failed", c.Failed)
			cell.Alarm = true
		}
		return cell
	}
	return append(out, found)
}

// column is that of a measure.
func (a *Ablation) column(m measure) experiment.Column {
	title := m.name
	if strings.HasPrefix(title, "T.") {
		title += " (s)"
	} else if strings.HasPrefix(title, "N.") {
		title += " (" + a.in.String() + ")"
	} else if title == "Succ.rate" {
		title += " (%)"
	}
	c := experiment.Measured(m.name, title, m.decimals, func(i int) *statistics.Cell { return m.cell(&a.Cells[i]) })
	if over := c.Over; m.name == measureTTarget || m.name == measureNTarget {
		c.Over = func(rows []int) string { // a mean is of times to one k
			target := 0
			for _, i := range rows {
				if c := &a.Cells[i]; m.cell(c).Mean != nil {
					if target != 0 && c.Target != target {
						return "–"
					}
					target = c.Target
				}
			}
			return over(rows)
		}
	}
	return c
}

// beyond are the columns that the paper has not: how a person's outcomes are distributed,
// how far those found are apart, and what it cost.
func (a *Ablation) beyond() (out []experiment.Column) {
	for _, m := range a.in.measures() {
		if m.beyond {
			out = append(out, a.column(m))
		}
	}
	mean := func(name, title string, value func(c *Cell) *float64) experiment.Column {
		text, of := func(v *float64) string { return view.Number(v, 1) }, func(i int) *float64 { return value(&a.Cells[i]) }
		return experiment.Column{Name: name, Title: title, Cell: func(i int) view.Cell { return view.Cell{Text: text(of(i))} }, Over: experiment.Mean(of, text)}
	}
	return append(out, mean("cpu_seconds", "CPU s", func(c *Cell) *float64 { return c.CPU }), mean("seconds", "wall s", func(c *Cell) *float64 { return c.Seconds }),
		experiment.Counted("retried", "retried", func(i int) int { return a.Cells[i].Retried }))
}

var beyondNotes = []string{
	"Shannon, MinEntropy: of the distribution of an individual's outcomes over the bins, in bits, mean over individuals;",
	"Spread: mean Gower distance of two individuals found, 0 to 1; CPU time is that of worker and plugins",
}

// notes say under which rules the figures came about.
func (a *Ablation) notes() []string {
	notes := []string{
		fmt.Sprintf("mean ± sd over the runs that have a value (found in: how many found one); budget %s, %s", a.BudgetOf(""), &a.Terms),
		"T.target: seconds to the k given, of the runs that reached it; T.maxK and #ID.maxK are about each run's own largest k",
	}
	for i := range a.Cells {
		if more := search.RateNotes(a.Cells[i].SuccRate.Mean); more != nil {
			notes = append(notes, more...)
			break
		}
	}
	about := "N/A counts as the worst, T.maxK and #ID.maxK are compared among equal Max.K only, and Iter and Succ.rate not at all"
	if a.in != seconds {
		notes[1] = fmt.Sprintf("N.target: %s to the k given, of the runs that reached it; N.maxK and #ID.maxK are about each run's own largest k", a.in)
		about = "N/A counts as the worst, N.maxK and #ID.maxK are compared among equal Max.K only, and times, Iter and Succ.rate not at all"
	} else if a.counts() {
		notes = append(notes, "some results are of an earlier version, which kept times only: what the budget counts is not compared")
	}
	notes = append(notes, experiment.Tested(len(a.Arms), a.Runs, one, about)...)
	if _, note := a.lines().Means(); note != "" {
		notes = append(notes, note)
	}
	notes = append(notes, a.boundNotes()...)
	notes = append(notes, a.Conditions.Notes(&a.Terms, a.Done, a.Done+a.Failed)...)
	if a.Retried > 0 {
		notes = append(notes, fmt.Sprintf("%d task(s) were lost once and tried again", a.Retried))
	}
	if a.Failed > 0 {
		notes = append(notes, fmt.Sprintf("FAILED: %d of %d tasks, twice each; they count nowhere, and the same command tries them again", a.Failed, a.Tasks))
	}
	if missing := a.Tasks - a.Done - a.Failed; missing > 0 {
		notes = append(notes, fmt.Sprintf("INCOMPLETE: %d of %d tasks are done", a.Done, a.Tasks))
	}
	return append(notes, a.Source.Notes()...)
}

// data has a line for each network and arm, with everything.
func (a *Ablation) data() *view.Table {
	columns := []string{"study", "model", "arm", "strategy", "mode", "solver", "runs", "found", "failed", "retried"}
	for _, m := range a.in.measures() {
		columns = append(columns, experiment.DataColumns(m.name)...)
	}
	t := &view.Table{Columns: view.Columns(append(columns, "bound", "bound.certified", "bound.grade", "target", "reached", "cpu_seconds", "seconds", "errors")...)}
	for _, m := range a.in.measures() {
		t.Columns = append(t.Columns, view.Columns(experiment.IntervalColumns(m.name)...)...)
	}
	t.Columns = append(t.Columns, view.Columns("uncounted")...)
	for i := range a.Cells {
		c := &a.Cells[i]
		arm := &a.Arms[i%len(a.Arms)]
		line := []string{c.Study, c.Model, c.Arm, arm.Strategy, arm.Mode, arm.Solver, strconv.Itoa(c.Runs), strconv.Itoa(c.Found), strconv.Itoa(c.Failed), strconv.Itoa(c.Retried)}
		for _, m := range a.in.measures() {
			line = append(line, experiment.Data(m.cell(c), "; ")...)
		}
		proved := []string{"", "", ""}
		if b := a.bound(c); b != nil && b.Error == "" {
			proved = []string{strconv.Itoa(b.MaxK), strconv.FormatBool(b.Certified), b.Grade}
		}
		line = append(append(line, proved...), strconv.Itoa(c.Target), strconv.Itoa(c.Reached), view.Exact(c.CPU), view.Exact(c.Seconds), strings.Join(c.Errors, "; "))
		for _, m := range a.in.measures() {
			line = append(line, experiment.Intervals(m.cell(c))...)
		}
		line = append(line, strconv.Itoa(c.Uncounted))
		t.Rows = append(t.Rows, view.Texts(line...))
	}
	return t
}

// Page shows the ablation with its figures.
func (a *Ablation) Page() *view.Document {
	d := a.Document()
	figures, without := a.Figures()
	return experiment.Page(d, figures, without)
}
