package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/view"
)

// sheet holds the tables that the comparison shows.
func (c *Comparison) sheet() *experiment.Sheet {
	s := &experiment.Sheet{
		Course: experiment.Course{Terms: &c.Terms, Conditions: &c.Conditions, Source: &c.Source, Done: c.Done, Tasks: c.Tasks},
		Head:   &c.Head, Standings: &c.Standings, Rows: c.lines(), One: "arm", Beside: c.beside,
		Main:   experiment.Part{Title: "discriminated individuals found", Notes: []string{means}, Short: []string{means}},
		Beyond: experiment.Part{Title: "spread of the individuals, share proved, cost", Notes: c.beyondNotes()},
		Lost:   "a run that found no individual counts as the budget, or as k = 0",
	}
	for i := range measures {
		m := &measures[i]
		column := m.Column(c.Rows)
		switch {
		case m.Name == leftOpen && c.Chosen == nil && len(c.Arms) > 0 && !slices.ContainsFunc(c.Arms, func(a ArmInfo) bool { return a.single() != "" }):
		case !m.Beyond:
			s.Main.Columns = append(s.Main.Columns, column)
		case m.Name == certified:
			s.Beyond.Columns = append(s.Beyond.Columns, c.percent(column))
		case m.Title != "":
			s.Beyond.Columns = append(s.Beyond.Columns, column)
		}
		if m.Name == par2 {
			s.Beyond.Columns = append(s.Beyond.Columns, experiment.UnsolvedIn(func(i int) experiment.Unsolved { return c.Rows[i].Unsolved }))
		}
		if m.Name == "spurious" {
			s.Beyond.Columns = append(s.Beyond.Columns, experiment.Counted("faults", "faults", func(i int) int { return c.Rows[i].Faults }))
		}
	}
	s.Main.Columns = append(s.Main.Columns, s.Rows.FoundIn())
	s.Paper = experiment.Each(s.Main.Columns, func(c *experiment.Column) string { return c.Name })
	if all := c.troubles(); len(all) > 1 {
		s.Main.Short = append(s.Main.Short, fmt.Sprintf("%s; %d more such notes", all[0], len(all)-1))
	} else {
		s.Main.Short = append(s.Main.Short, all...)
	}
	return s
}

const means = "mean ± sd over the runs that found an individual (#ID: over all)"

// Document shows the comparison.
func (c *Comparison) Document() *view.Document {
	refuted := experiment.Each(c.Disagreements, (*Disagreement).String)
	d := c.sheet().Document()
	if matrix := c.Asking(c.matrix()); len(refuted) > 0 {
		d.Add(matrix)
	} else {
		d.Add(view.Aside{Block: matrix})
	}
	d.Disagree(refuted)
	d.Data = c.data()
	return d
}

// lines returns the rows of a table of arms.
func (c *Comparison) lines() *experiment.Rows {
	return &experiment.Rows{Rows: experiment.Each(c.Rows, func(r *Row) *experiment.Row { return &r.Row }), Arms: len(c.Arms)}
}

// Columns lists the names that Choose accepts.
func Columns() []string { return new(Comparison).sheet().Columns() }

// Choose selects the columns to show by their names, one list per table.
func (c *Comparison) Choose(tables [][]string) error { return c.sheet().Choose(tables) }

// beside moves the number of runs that found an individual from its column to the column of the
// time to the first, unless the user chose the columns.
func (c *Comparison) beside(columns []experiment.Column) []experiment.Column {
	if columns = slices.Clone(columns); c.Chosen == nil {
		columns = columns[:len(columns)-1]
	}
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
	return columns
}

// percent shows the proved share in per cent.
func (c *Comparison) percent(column experiment.Column) experiment.Column {
	share := func(v *float64) string {
		if v == nil {
			return view.NA
		}
		return strings.TrimSuffix(view.Share(*v), " %")
	}
	column.Over = experiment.Mean(func(i int) *float64 { return c.Rows[i].Certified }, share)
	column.Cell = func(i int) view.Cell {
		of := c.Rows[i].Over[certified]
		text := share(of.Mean)
		if of.SD != nil {
			text += fmt.Sprintf(" ± %.2f", 100**of.SD)
		}
		return experiment.Marked(of, text)
	}
	return column
}

// troubles lists the runs that did not end as planned, over all rows.
func (c *Comparison) troubles() (lines []string) {
	for i := range c.Rows {
		r := &c.Rows[i]
		who := fmt.Sprintf("%s, %s", c.lines().Label(&r.Row), r.Arm)
		if n := len(r.Errors); n > 0 {
			lines = append(lines, fmt.Sprintf("%s: ended early in %d of %s: %s", who, n, english.Plural(r.Runs, "run", ""), view.FirstLine(r.Errors[0])))
		}
		if r.Killed > 0 {
			lines = append(lines, fmt.Sprintf("%s: the worker was killed after the budget in %d of %s", who, r.Killed, english.Plural(r.Runs, "run", "")))
		}
		if r.Faults > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s of the solver, the first: %s", who, english.Plural(r.Faults, "fault", ""), view.FirstLine(r.Fault)))
		}
	}
	return lines
}

func (c *Comparison) beyondNotes() []string {
	notes := c.troubles()
	if slices.ContainsFunc(c.Arms, func(a ArmInfo) bool { return a.single() != "" }) {
		notes = append(notes, "of arms that ask one question, T.proof, PAR-2 and unsolved are about this question; left open: bound less best value, or the undecided share")
	}
	return append(notes,
		"diversity: mean Gower distance between two found individuals; regions: parts of the yardstick partition that hold one",
		"certified: share of the space proved fair by the arm's notion; T.proof: time until the entire space was; CPU time: the worker and its solver",
		"PAR-2: mean time to an individual or to the proof of the entire space, or twice the budget without either; unsolved: runs with neither, and why",
		"tested as above: diversity and regions; if all arms have the same notion, ε and question, PAR-2; if moreover no proof was refuted, certified and T.proof, and with the same partition fair")
}

// matrix counts disagreements by proving arm (row) and finder (column), with a column for the
// host if it refuted a proof.
func (c *Comparison) matrix() *view.Table {
	t := &view.Table{Title: c.Title("disagreements: proofs of the arm on the left refuted by a replayed witness of the arm above"), Columns: []view.Column{{Title: ""}}}
	finders := experiment.Each(c.Arms, func(a *ArmInfo) string { return a.Name })
	if slices.ContainsFunc(c.Disagreements, func(d Disagreement) bool { return d.Finder == theHost }) {
		finders = append(finders, theHost)
	}
	for _, name := range finders {
		t.Columns = append(t.Columns, view.Column{Title: name, Right: true})
	}
	for i := range c.Arms {
		line := view.Texts(c.Arms[i].Name)
		for _, finder := range finders {
			n := c.refutations(c.Arms[i].Name, finder, nil)
			line = append(line, view.Cell{Text: strconv.Itoa(n), Alarm: n > 0, Bold: n > 0})
		}
		t.Rows = append(t.Rows, line)
	}
	if len(c.Disagreements) == 0 {
		t.Notes = []string{"No proof was refuted."}
	}
	return t
}

// data is the table for programs: a line per model and arm, with all values.
func (c *Comparison) data() *view.Table {
	out := []experiment.Data{experiment.DataOf(c.Rows, func(r *Row) []string {
		return []string{r.Study, r.Model, r.Arm, strconv.Itoa(r.Runs), strconv.Itoa(r.Found)}
	}, "study", "model", "arm", "runs", "found")}
	var means, more, intervals []experiment.Data
	for _, m := range measures {
		data := m.Data(c.Rows, " ")
		switch intervals = append(intervals, m.Intervals(c.Rows)); {
		case !m.Beyond:
			out = append(out, data)
			continue
		case m.Neutral:
			more = append(more, data.Part(1, 2))
		default:
			more = append(more, data.Part(1, 5))
		}
		if means = append(means, data.Part(0, 1)); m.Name == "spurious" {
			means = append(means, experiment.DataOf(c.Rows, func(r *Row) []string { return []string{strconv.Itoa(r.Faults), strconv.Itoa(r.Killed)} }, "faults", "killed"))
		}
	}
	out = append(append(out, means...), experiment.DataOf(c.Rows, func(r *Row) []string { return []string{c.refutedBy(r)} }, "refuted_by"))
	out = append(append(out, more...), intervals...)
	return experiment.DataTable(len(c.Rows), append(out, experiment.DataOf(c.Rows, func(r *Row) []string { return []string{r.Fault, r.Unsolved.String(), c.Asked} }, "fault", "unsolved", "asked")))
}

// refutations counts an arm's proofs and claims that a finder refuted, on the network of r, or on
// all networks if r is nil.
func (c *Comparison) refutations(prover, finder string, r *Row) (n int) {
	for k := range c.Disagreements {
		if d := &c.Disagreements[k]; d.Prover == prover && d.Finder == finder && (r == nil || d.Study == r.Study && d.Model == r.Model) {
			n += d.Count
		}
	}
	return n
}

// refutedBy lists, for a row's arm on its model, how often each finder refuted its proofs.
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
func (c *Comparison) Page() *view.Document { return experiment.Page(c) }
