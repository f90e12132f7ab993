package ablate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/view"
)

// sheet holds the tables that the ablation shows.
func (a *Ablation) sheet() *experiment.Sheet {
	s := &experiment.Sheet{
		Course: experiment.Course{Terms: &a.Terms, Conditions: &a.Conditions, Source: &a.Source, Done: a.Done, Failed: a.Failed, Retried: a.Retried, Tasks: a.Tasks},
		Head:   &a.Head, Standings: &a.Standings, Rows: a.lines(), One: "search", Aside: a.boundNotes(),
		Paper:  []string{measureMaxK, "bound", "Avg.K", "N.1st", "T.1st", measureID, measureNTarget, measureTTarget, "found"},
		Main:   experiment.Part{Title: "what the searches found"},
		Beyond: experiment.Part{Title: "entropy of the outcomes, spread of the individuals, cost", Notes: beyondNotes},
	}
	s.Main.Columns, s.Beyond.Columns = a.main(), a.beyond()
	if a.in != seconds { // measures puts times beyond the paper's table
		s.Paper = slices.DeleteFunc(s.Paper, func(name string) bool { return strings.HasPrefix(name, "T.") })
	}
	s.Main.Notes, s.Lost = a.notes(), "N/A counts as the worst"
	s.Main.Short = append(slices.Clone(s.Main.Notes[:2]), a.boundNotes()...)
	return s
}

// Document shows the ablation.
func (a *Ablation) Document() *view.Document {
	a.in = a.judgedIn()
	var failed, uncounted view.Warning
	for i := range a.Cells {
		c := &a.Cells[i]
		where := a.lines().Label(&c.Row) + ", " + c.Arm
		if c.Failed > 0 {
			failed = append(failed, fmt.Sprintf("FAILED %s: %d of %d tasks: %s", where, c.Failed, c.Failed+c.Runs, view.FirstLine(c.Errors[len(c.Errors)-1])))
		}
		if c.Uncounted > 0 {
			uncounted = append(uncounted, fmt.Sprintf("%s: %s (%d of %d runs)", where, search.Uncounted, c.Uncounted, c.Runs))
		}
	}
	var between []view.Block
	if uncounted != nil {
		between = append(between, view.Close{Block: uncounted})
	}
	d := a.sheet().Document(between...)
	d.Add(view.Aside{Block: view.Close{Block: failed}})
	d.Disagree(a.Disagreements)
	d.Data = a.data()
	return d
}

// lines returns the cells as rows of a table of arms.
func (a *Ablation) lines() *experiment.Rows {
	return &experiment.Rows{Rows: experiment.Each(a.Cells, func(c *Cell) *experiment.Row { return &c.Row }), Arms: len(a.Arms)}
}

// Columns lists the names that Choose accepts.
func Columns() []string {
	return (&Ablation{in: evaluations, Bounds: []Bound{{}}}).sheet().Columns()
}

// Choose selects the columns to show by their names, one list per table.
func (a *Ablation) Choose(tables [][]string) error {
	a.in = a.judgedIn()
	return a.sheet().Choose(tables)
}

// main are the columns of the paper's Table 2.
func (a *Ablation) main() (out []experiment.Column) {
	for _, m := range a.in.measures() {
		if !m.Beyond {
			out = append(out, a.column(m))
		}
		if m.Name == measureMaxK && (a.bounded || len(a.Bounds) > 0) {
			out = append(out, experiment.Column{Name: "bound", Title: "proved", Cell: func(i int) view.Cell { return a.proved(&a.Cells[i]) }, Over: func([]int) string { return "" }})
		}
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

// column returns the table column of a measure. The column of the target shows the expected
// running time, not the mean of the runs that reached it.
func (a *Ablation) column(m measure) experiment.Column {
	c := m.Column(a.Cells)
	if m.Name != measureTTarget && m.Name != measureNTarget {
		return c
	}
	ert := func(i int) *float64 {
		if m.Name == measureNTarget {
			return a.Cells[i].NERT
		}
		return a.Cells[i].TERT
	}
	c.Cell = func(i int) view.Cell {
		c := &a.Cells[i]
		text := view.Number(ert(i), m.Decimals)
		if c.Target > 0 {
			if c.Runs > 0 && c.Reached == 0 {
				text = "∞"
			}
			text += fmt.Sprintf(" (k≥%d: %d/%d)", c.Target, c.Reached, c.Runs)
		}
		return experiment.Marked(m.Cell(c), text)
	}
	over := experiment.Mean(ert, func(v *float64) string { return view.Number(v, m.Decimals) })
	c.Over = func(rows []int) string { // times to different k have no common mean
		target := 0
		for _, i := range rows {
			if c := &a.Cells[i]; ert(i) != nil {
				if target != 0 && c.Target != target {
					return "–"
				}
				target = c.Target
			}
		}
		return over(rows)
	}
	return c
}

// beyond are the columns that the paper does not have: the entropy of an individual's outcomes,
// the spread of the individuals, and costs.
func (a *Ablation) beyond() (out []experiment.Column) {
	for _, m := range a.in.measures() {
		if m.Beyond {
			out = append(out, a.column(m))
		}
	}
	mean := func(name, title string, value func(c *Cell) *float64) experiment.Column {
		text, of := func(v *float64) string { return view.Number(v, 1) }, func(i int) *float64 { return value(&a.Cells[i]) }
		return experiment.Column{Name: name, Title: title, Cell: func(i int) view.Cell { return view.Cell{Text: text(of(i))} }, Over: experiment.Mean(of, text)}
	}
	return append(out, mean("cpu_seconds", "CPU s", func(c *Cell) *float64 { return c.CPU }), mean("seconds", "wall s", func(c *Cell) *float64 { return c.Seconds }),
		experiment.UnsolvedIn(func(i int) experiment.Unsolved { return a.Cells[i].Unsolved }),
		experiment.Counted("retried", "retried", func(i int) int { return a.Cells[i].Retried }))
}

var beyondNotes = []string{
	"Shannon, MinEntropy: entropy of an individual's outcomes over the bins, in bits, mean over individuals",
	"Spread: mean Gower distance between two found individuals, 0 to 1; CPU time: worker and plugins",
	"unsolved: runs that did not reach the k of the target, and why",
}

// notes explains the figures. The first two notes belong to every table.
func (a *Ablation) notes() []string {
	letter, times, old := "T", "", ""
	if a.in != seconds {
		letter, times = "N", ", times"
	} else if unitOf(a.Budget, nil) != seconds {
		old = "some results are from an earlier version, which recorded times only: times are compared instead of the budget's unit"
	}
	unit := a.in.String()
	if a.in == seconds {
		unit = "seconds"
	}
	notes := []string{
		"mean ± sd over the runs that have a value (found in: the number of runs that found an individual)",
		fmt.Sprintf("%s.target: expected running time (ERT) to the given k: %s of all runs until they reached it or ended, over the number that reached it", letter, unit),
		fmt.Sprintf("%s.maxK and #ID.maxK refer to each run's largest k, and are compared among runs of equal Max.K only; Iter%s and Succ.rate are not compared", letter, times),
	}
	for i := range a.Cells {
		if more := search.RateNotes(a.Cells[i].SuccRate.Mean); more != nil {
			notes = append(notes, more...)
			break
		}
	}
	if old != "" {
		notes = append(notes, old)
	}
	return notes
}

// data is the table for programs: a line per network and arm, with all values.
func (a *Ablation) data() *view.Table {
	out := []experiment.Data{
		experiment.DataOf(a.Cells, func(c *Cell) []string { return []string{c.Study, c.Model, c.Arm} }, "study", "model", "arm"),
		{Names: []string{"strategy", "mode", "solver"}, Of: func(i int) []string {
			arm := &a.Arms[i%len(a.Arms)]
			return []string{arm.Strategy, arm.Mode, arm.Solver}
		}},
		experiment.DataOf(a.Cells, func(c *Cell) []string {
			return []string{strconv.Itoa(c.Runs), strconv.Itoa(c.Found), strconv.Itoa(c.Failed), strconv.Itoa(c.Retried)}
		}, "runs", "found", "failed", "retried"),
	}
	var intervals []experiment.Data
	for _, m := range a.in.measures() {
		out, intervals = append(out, m.Data(a.Cells, "; ")), append(intervals, m.Intervals(a.Cells))
	}
	out = append(out, experiment.DataOf(a.Cells, func(c *Cell) []string {
		if b := a.bound(c); b != nil && b.Error == "" {
			return []string{strconv.Itoa(b.MaxK), strconv.FormatBool(b.Certified), b.Grade}
		}
		return []string{"", "", ""}
	}, "bound", "bound.certified", "bound.grade"), experiment.DataOf(a.Cells, func(c *Cell) []string {
		return []string{strconv.Itoa(c.Target), strconv.Itoa(c.Reached), view.Exact(c.CPU), view.Exact(c.Seconds), strings.Join(c.Errors, "; ")}
	}, "target", "reached", "cpu_seconds", "seconds", "errors"))
	out = append(append(out, intervals...), experiment.DataOf(a.Cells, func(c *Cell) []string {
		return []string{strconv.Itoa(c.Uncounted), view.Exact(c.TERT), view.Exact(c.NERT), c.Unsolved.String(), a.Asked}
	}, "uncounted", "T.ert", "N.ert", "unsolved", "asked"))
	return experiment.DataTable(len(a.Cells), out)
}

// Page shows the ablation with its figures.
func (a *Ablation) Page() *view.Document { return experiment.Page(a) }
