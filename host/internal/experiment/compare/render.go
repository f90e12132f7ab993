package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/view"
)

// one is what tables call an arm.
const one = "arm"

// Document shows the comparison.
func (c *Comparison) Document() *view.Document {
	var refuted view.Warning
	for i := range c.Disagreements {
		refuted = append(refuted, "DISAGREEMENT "+c.Disagreements[i].String())
	}
	d := view.Of(c.main(), c.beyond())
	if len(c.Ranking) > 0 {
		d.Add(c.Standings.Table(c.Title("ranking over networks"), one), c.Sentences(one))
	}
	d.Add(c.matrix(), refuted)
	d.Data = c.data()
	return d
}

// paperCells are the paper's four columns, paperColumns.
func (r *Row) paperCells() []view.Cell {
	return []view.Cell{experiment.Shown(&r.ID, 1), experiment.Shown(&r.T1st, 2), experiment.Shown(&r.K1st, 1), experiment.Shown(&r.MaxK, 1)}
}

var paperColumns = []string{"#ID", "T.1st (s)", "#K.1st", "#K"}

// lines are the rows as tables begin them.
func (c *Comparison) lines() *experiment.Rows {
	t := &experiment.Rows{Arms: len(c.Arms)}
	for i := range c.Rows {
		t.Rows = append(t.Rows, &c.Rows[i].Row)
	}
	return t
}

// main is the paper's table with a line for each arm.
func (c *Comparison) main() *view.Table {
	t := c.lines().Table(c.Title("discriminated individuals found"), one, append(slices.Clone(paperColumns), "found in"), func(i int) []view.Cell {
		return append(c.Rows[i].paperCells(), view.Texts(c.Rows[i].FoundOf())...)
	})
	t.Notes, t.Paper = c.notes(), c.paper()
	return t
}

// paper is the main table as the paper has it: a line for each model, the arms
// side by side.
func (c *Comparison) paper() *view.Table {
	t := &view.Table{Title: c.Title("discriminated individuals found"), Columns: []view.Column{{Title: "DNN"}}, Groups: []view.Group{{Span: 1}}, Notes: c.notes()}
	for i := range c.Arms {
		t.Groups = append(t.Groups, view.Group{Title: c.Arms[i].Name, Span: 4})
		for _, name := range paperColumns {
			t.Columns = append(t.Columns, view.Column{Title: name, Right: true})
		}
	}
	for i := 0; i < len(c.Rows); i += len(c.Arms) {
		line := view.Texts(c.lines().Label(&c.Rows[i].Row))
		for k := range c.Arms {
			r := &c.Rows[i+k]
			cells := r.paperCells()
			if r.Found < r.Runs {
				cells[1].Text += " (" + r.FoundOf() + ")"
			}
			line = append(line, cells...)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// beyond is what the paper only mentions.
func (c *Comparison) beyond() *view.Table {
	columns := []string{"diversity", "regions", "certified %", "fair", "unfair", "undecided", "spurious", "faults", "asked", "CPU s", "wall s"}
	t := c.lines().Table(c.Title("how spread out, how much proved, at what cost"), one, columns, func(i int) []view.Cell {
		r := &c.Rows[i]
		shown := func(name string, digits int) view.Cell { return experiment.Shown(r.Over[name], digits) }
		certified := view.Cell{Text: view.NA, Bold: r.Over["certified"].Bold}
		if r.Certified != nil {
			certified.Text = strconv.FormatFloat(100**r.Certified, 'g', 4, 64)
			if sd := r.Over["certified"].SD; sd != nil {
				certified.Text += " ± " + strconv.FormatFloat(100**sd, 'g', 2, 64)
			}
		}
		return []view.Cell{shown("diversity", 3), shown("regions", 1), certified, shown("fair", 1), shown("unfair", 1), shown("undecided", 1),
			shown("spurious", 1), {Text: strconv.Itoa(r.Faults)}, shown("asked", 1), shown("cpu_seconds", 1), shown("seconds", 1)}
	})
	for i := range c.Rows {
		t.Notes = append(t.Notes, c.trouble(&c.Rows[i])...)
	}
	t.Notes = append(t.Notes,
		"diversity: mean Gower distance of two individuals found; regions: parts of the yardstick partition they lie in;",
		"certified: share of the space proved fair by the arm's notion; CPU time is that of the worker and its solver",
		"tested as above: diversity, regions; where no proof was refuted also certified, of arms with one notion and ε, and fair, of arms with one partition besides")
	return t
}

// trouble tells which runs of an arm did not end as they should.
func (c *Comparison) trouble(r *Row) (lines []string) {
	who := fmt.Sprintf("%s, %s", c.lines().Label(&r.Row), r.Arm)
	if n := len(r.Errors); n > 0 {
		lines = append(lines, fmt.Sprintf("%s: ended early in %d of %d runs: %s", who, n, r.Runs, view.FirstLine(r.Errors[0])))
	}
	if r.Killed > 0 {
		lines = append(lines, fmt.Sprintf("%s: had to be ended from outside in %d of %d runs, after the budget", who, r.Killed, r.Runs))
	}
	return lines
}

// matrix counts disagreements, the proving arm in the line.
func (c *Comparison) matrix() *view.Table {
	t := &view.Table{Title: c.Title("disagreements: proofs of the arm on the left refuted by a replayed witness of the arm above"), Columns: []view.Column{{Title: ""}}}
	for i := range c.Arms {
		t.Columns = append(t.Columns, view.Column{Title: c.Arms[i].Name, Right: true})
		line := view.Texts(c.Arms[i].Name)
		for _, n := range c.Matrix[i] {
			line = append(line, view.Cell{Text: strconv.Itoa(n), Alarm: n > 0, Bold: n > 0})
		}
		t.Rows = append(t.Rows, line)
	}
	if len(c.Disagreements) == 0 {
		t.Notes = []string{"No proof was refuted."}
	}
	return t
}

// notes say under which rules the figures came about.
func (c *Comparison) notes() []string {
	notes := []string{
		fmt.Sprintf("mean ± sd over the runs that found an individual (#ID: over all); budget %s, %s", c.BudgetOf(" of wall time"), &c.Terms),
	}
	notes = append(notes, experiment.Tested(len(c.Arms), c.Runs, one, "a run that found no individual counts as the budget, or as k = 0")...)
	notes = append(notes, c.Conditions.Notes(&c.Terms, c.Done)...)
	if c.Done < c.Tasks {
		notes = append(notes, fmt.Sprintf("INCOMPLETE: %d of %d tasks are done", c.Done, c.Tasks))
	}
	return append(notes, c.Source.Notes()...)
}

// data has a line for each model and arm, with everything.
func (c *Comparison) data() *view.Table {
	columns := []string{"study", "model", "arm", "runs", "found"}
	for _, m := range measures {
		columns = append(columns, experiment.DataColumns(m.name)...)
	}
	t := &view.Table{Columns: view.Columns(append(columns, "diversity", "regions", "certified", "fair", "unfair", "undecided", "spurious",
		"faults", "killed", "asked", "solves", "cpu_seconds", "seconds", "refuted_by")...)}
	for _, m := range beyond {
		t.Columns = append(t.Columns, view.Columns(m.extra(experiment.DataColumns(m.name))...)...)
	}
	for _, m := range all {
		t.Columns = append(t.Columns, view.Columns(experiment.IntervalColumns(m.name)...)...)
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		line := []string{r.Study, r.Model, r.Arm, strconv.Itoa(r.Runs), strconv.Itoa(r.Found)}
		for _, m := range measures {
			line = append(line, experiment.Data(m.cell(r), " ")...)
		}
		line = append(line, view.Exact(r.Diversity), view.Exact(r.Regions), view.Exact(r.Certified), view.Exact(r.Fair), view.Exact(r.Unfair), view.Exact(r.Undecided), view.Exact(r.Spurious),
			strconv.Itoa(r.Faults), strconv.Itoa(r.Killed), view.Exact(r.Asked), view.Exact(r.Solves), view.Exact(r.CPU), view.Exact(r.Seconds), c.refutedBy(r))
		for _, m := range beyond {
			line = append(line, m.extra(experiment.Data(m.cell(r), " "))...)
		}
		for _, m := range all {
			line = append(line, experiment.Intervals(m.cell(r))...)
		}
		t.Rows = append(t.Rows, view.Texts(line...))
	}
	return t
}

// refutedBy is a row's line of its model's disagreement matrix: who refuted the
// arm's proofs, and how often.
func (c *Comparison) refutedBy(r *Row) string {
	var counts []string
	tell := func(finder string, always bool) {
		n := 0
		for k := range c.Disagreements {
			if d := &c.Disagreements[k]; d.Study == r.Study && d.Model == r.Model && d.Prover == r.Arm && d.Finder == finder {
				n += d.Count
			}
		}
		if n > 0 || always {
			counts = append(counts, fmt.Sprintf("%s:%d", finder, n))
		}
	}
	for i := range c.Arms {
		tell(c.Arms[i].Name, true)
	}
	tell(theHost, false)
	return strings.Join(counts, " ")
}
