package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// one is what tables call an arm.
const one = "arm"

// Document shows the comparison.
func (c *Comparison) Document() *view.Document {
	var refuted []string
	for i := range c.Disagreements {
		refuted = append(refuted, c.Disagreements[i].String())
	}
	d := view.Of(c.tables()...)
	d.Add(c.Only(c.Chosen).Blocks(c.Title("ranking over networks"), one)...)
	d.Add(c.matrix())
	d.Disagree(refuted)
	d.Data = c.data()
	return d
}

// lines are the rows as tables begin them.
func (c *Comparison) lines() *experiment.Rows {
	t := &experiment.Rows{Arms: len(c.Arms)}
	for i := range c.Rows {
		t.Rows = append(t.Rows, &c.Rows[i].Row)
	}
	return t
}

// Columns are the names of those that the tables can have.
func Columns() []string {
	c := &Comparison{}
	return append(experiment.Names(c.main()), experiment.Names(c.beyond())...)
}

// Choose picks the columns to show, by their names.
func (c *Comparison) Choose(columns []string) error { return c.Head.Choose(columns, Columns()) }

// tables are the paper's table and what it only mentions, or one of the chosen columns.
func (c *Comparison) tables() (out []view.Block) {
	add := func(what string, columns []experiment.Column, notes []string) *view.Table {
		t := c.lines().Table(c.Title(what), one, columns)
		t.Notes = notes
		out = append(out, t)
		return t
	}
	main, beyond := c.main(), c.beyond()
	if len(c.Chosen) == 0 {
		t := add("discriminated individuals found", main, c.notes())
		t.Paper = c.paper(t, main[:len(main)-1])
		add("how spread out, how much proved, at what cost", beyond, c.beyondNotes())
		return out
	}
	notes := c.notes()
	if len(experiment.Choose(beyond, c.Chosen)) > 0 {
		notes = append(notes, c.beyondNotes()...)
	}
	chosen := experiment.Choose(append(main, beyond...), c.Chosen)
	t := add(strings.Join(experiment.Names(chosen), ", "), chosen, notes)
	t.Paper = c.paper(t, chosen)
	return out
}

// main are the columns of the paper's table.
func (c *Comparison) main() []experiment.Column {
	measured := func(name, title string, digits int, cell func(*Row) *statistics.Cell) experiment.Column {
		return experiment.Measured(name, title, digits, func(i int) *statistics.Cell { return cell(&c.Rows[i]) })
	}
	return []experiment.Column{
		measured("#ID", "#ID", 1, func(r *Row) *statistics.Cell { return &r.ID }), measured(first, "T.1st (s)", 2, func(r *Row) *statistics.Cell { return &r.T1st }),
		measured("#K.1st", "#K.1st", 1, func(r *Row) *statistics.Cell { return &r.K1st }), measured("#K", "#K", 1, func(r *Row) *statistics.Cell { return &r.MaxK }),
		c.lines().FoundIn(),
	}
}

// first is the name of the time to the first individual.
const first = "T.1st"

// paper is a table as the paper has it: a line for each model, the arms side by side, and
// beside the time to the first individual in how many runs there was one.
func (c *Comparison) paper(t *view.Table, columns []experiment.Column) *view.Table {
	columns = slices.Clone(columns)
	for k := range columns {
		if cell := columns[k].Cell; columns[k].Name == first {
			columns[k].Cell = func(i int) view.Cell {
				out := cell(i)
				if r := &c.Rows[i]; r.Found < r.Runs {
					out.Text += " (" + r.FoundOf() + ")"
				}
				return out
			}
		}
	}
	out := c.lines().Beside(t.Title, columns)
	out.Notes = t.Notes
	return out
}

// beyond are the columns of what the paper only mentions.
func (c *Comparison) beyond() []experiment.Column {
	over := func(name, title string, digits int) experiment.Column {
		return experiment.Measured(name, title, digits, func(i int) *statistics.Cell { return c.Rows[i].Over[name] })
	}
	share := func(v *float64) string {
		if v == nil {
			return view.NA
		}
		return strconv.FormatFloat(100**v, 'g', 4, 64)
	}
	certified := over("certified", "certified %", 0)
	certified.Over = experiment.Mean(func(i int) *float64 { return c.Rows[i].Certified }, share)
	certified.Cell = func(i int) view.Cell {
		of := c.Rows[i].Over["certified"]
		out := view.Cell{Text: share(of.Mean), Bold: of.Bold}
		if of.SD != nil {
			out.Text += " ± " + strconv.FormatFloat(100**of.SD, 'g', 2, 64)
		}
		return out
	}
	return []experiment.Column{
		over("diversity", "diversity", 3), over("regions", "regions", 1), certified, over("fair", "fair", 1), over("unfair", "unfair", 1), over("undecided", "undecided", 1),
		over("spurious", "spurious", 1), experiment.Counted("faults", "faults", func(i int) int { return c.Rows[i].Faults }), over("asked", "asked", 1),
		over("cpu_seconds", "CPU s", 1), over("seconds", "wall s", 1),
	}
}

func (c *Comparison) beyondNotes() (notes []string) {
	for i := range c.Rows {
		notes = append(notes, c.trouble(&c.Rows[i])...)
	}
	return append(notes,
		"diversity: mean Gower distance of two individuals found; regions: parts of the yardstick partition they lie in;",
		"certified: share of the space proved fair by the arm's notion; CPU time is that of the worker and its solver",
		"tested as above: diversity, regions; where no proof was refuted also certified, of arms with one notion and ε, and fair, of arms with one partition besides")
}

// trouble tells which runs of an arm did not end as they should.
func (c *Comparison) trouble(r *Row) (lines []string) {
	who := fmt.Sprintf("%s, %s", c.lines().Label(&r.Row), r.Arm)
	if n := len(r.Errors); n > 0 {
		lines = append(lines, fmt.Sprintf("%s: ended early in %d of %s: %s", who, n, english.Plural(r.Runs, "run", ""), view.FirstLine(r.Errors[0])))
	}
	if r.Killed > 0 {
		lines = append(lines, fmt.Sprintf("%s: had to be ended from outside in %d of %s, after the budget", who, r.Killed, english.Plural(r.Runs, "run", "")))
	}
	if r.Faults > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s of the solver, the first: %s", who, english.Plural(r.Faults, "fault", ""), view.FirstLine(r.Fault)))
	}
	return lines
}

// matrix counts disagreements, the proving arm in the line, and what the host refuted.
func (c *Comparison) matrix() *view.Table {
	t := &view.Table{Title: c.Title("disagreements: proofs of the arm on the left refuted by a replayed witness of the arm above"), Columns: []view.Column{{Title: ""}}}
	byHost := slices.ContainsFunc(c.Disagreements, func(d Disagreement) bool { return d.Finder == theHost })
	for i := range c.Arms {
		t.Columns = append(t.Columns, view.Column{Title: c.Arms[i].Name, Right: true})
	}
	if byHost {
		t.Columns = append(t.Columns, view.Column{Title: theHost, Right: true})
	}
	for i := range c.Arms {
		line, counts := view.Texts(c.Arms[i].Name), slices.Clone(c.Matrix[i])
		if byHost {
			counts = append(counts, c.refutations(c.Arms[i].Name, theHost, nil))
		}
		for _, n := range counts {
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
	if _, note := c.lines().Means(); note != "" {
		notes = append(notes, note)
	}
	notes = append(notes, c.Conditions.Notes(&c.Terms, c.Done, c.Done)...)
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
	t.Columns = append(t.Columns, view.Columns("fault")...)
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
		line = append(line, r.Fault)
		t.Rows = append(t.Rows, view.Texts(line...))
	}
	return t
}

// refutations counts what a finder refutes of an arm: on a row's network, nil on all.
func (c *Comparison) refutations(prover, finder string, r *Row) (n int) {
	for k := range c.Disagreements {
		if d := &c.Disagreements[k]; d.Prover == prover && d.Finder == finder && (r == nil || d.Study == r.Study && d.Model == r.Model) {
			n += d.Count
		}
	}
	return n
}

// refutedBy is a row's line of its model's disagreement matrix: who refuted the
// arm's proofs, and how often.
func (c *Comparison) refutedBy(r *Row) string {
	var counts []string
	tell := func(finder string, always bool) {
		if n := c.refutations(r.Arm, finder, r); n > 0 || always {
			counts = append(counts, fmt.Sprintf("%s:%d", finder, n))
		}
	}
	for i := range c.Arms {
		tell(c.Arms[i].Name, true)
	}
	tell(theHost, false)
	return strings.Join(counts, " ")
}

// Page shows the comparison with its figures.
func (c *Comparison) Page() *view.Document {
	figures, without := c.Figures()
	return experiment.Page(c.Document(), figures, without)
}
