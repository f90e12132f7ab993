package ablate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/view"
)

// one is what tables call an arm.
const one = "search"

// Document shows the ablation.
func (a *Ablation) Document() *view.Document {
	var failed view.Warning
	for i := range a.Cells {
		if c := &a.Cells[i]; c.Failed > 0 {
			failed = append(failed, fmt.Sprintf("FAILED %s, %s: %d of %d tasks: %s",
				a.lines().Label(&c.Row), c.Arm, c.Failed, c.Failed+c.Runs, view.FirstLine(c.Errors[len(c.Errors)-1])))
		}
	}
	standings := a.standings()
	d := view.Of(a.paper(), a.beyond(), standings.Table(a.Title("ranking over networks"), one))
	if sums := standings.Sentences(one); len(sums) > 0 {
		d.Add(sums)
	}
	d.Add(view.Close{Block: failed})
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

// paper is the paper's Table 2, a line for each arm.
func (a *Ablation) paper() *view.Table {
	var columns []string
	for _, m := range a.in.measures() {
		if m.beyond {
			continue
		}
		title := m.name
		if strings.HasPrefix(title, "T.") {
			title += " (s)"
		} else if strings.HasPrefix(title, "N.") {
			title += " (" + a.in.String() + ")"
		} else if title == "Succ.rate" {
			title += " (%)"
		}
		columns = append(columns, title)
		if m.name == measureMaxK && len(a.Bounds) > 0 {
			columns = append(columns, "proved")
		}
	}
	t := a.lines().Table(a.Title("what the searches found"), one, append(columns, "found in"), func(i int) (line []view.Cell) {
		c := &a.Cells[i]
		for _, m := range a.in.measures() {
			if !m.beyond {
				line = append(line, experiment.Shown(m.cell(c), m.decimals))
			}
			if m.name == measureMaxK && len(a.Bounds) > 0 {
				line = append(line, a.proved(c))
			}
		}
		if c.Target > 0 {
			line[len(line)-1].Text += fmt.Sprintf(" (k≥%d: %d/%d)", c.Target, c.Reached, c.Runs)
		}
		found := view.Cell{Text: c.FoundOf()}
		if c.Failed > 0 {
			found.Text += fmt.Sprintf(", %d failed", c.Failed)
			found.Alarm = true
		}
		return append(line, found)
	})
	t.Notes = a.notes()
	return t
}

// beyond is what the paper has not: how a person's outcomes are distributed, how
// far those found are apart, and what it cost.
func (a *Ablation) beyond() *view.Table {
	var columns []string
	for _, m := range a.in.measures() {
		if m.beyond && strings.HasPrefix(m.name, "T.") {
			columns = append(columns, m.name+" (s)")
		} else if m.beyond {
			columns = append(columns, m.name)
		}
	}
	t := a.lines().Table(a.Title("how uneven the outcomes, how spread out the individuals, at what cost"), one, append(columns, "CPU s", "wall s", "retried"), func(i int) (line []view.Cell) {
		c := &a.Cells[i]
		for _, m := range a.in.measures() {
			if m.beyond {
				line = append(line, experiment.Shown(m.cell(c), m.decimals))
			}
		}
		return append(line, view.Texts(view.Number(c.CPU, 1), view.Number(c.Seconds, 1), strconv.Itoa(c.Retried))...)
	})
	t.Notes = []string{
		"Shannon, MinEntropy: of the distribution of an individual's outcomes over the bins, in bits, mean over individuals;",
		"Spread: mean Gower distance of two individuals found, 0 to 1; CPU time is that of worker and plugins",
	}
	return t
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
	notes = append(notes, a.boundNotes()...)
	notes = append(notes, a.Conditions.Notes(&a.Terms, a.Done)...)
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
		t.Rows = append(t.Rows, view.Texts(line...))
	}
	return t
}
