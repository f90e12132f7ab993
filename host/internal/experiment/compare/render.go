package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Document shows the comparison.
func (c *Comparison) Document() *view.Document {
	var refuted view.Warning
	for i := range c.Disagreements {
		refuted = append(refuted, "DISAGREEMENT "+c.Disagreements[i].String())
	}
	d := view.Of(c.main(), c.beyond(), c.matrix(), refuted)
	d.Data = c.data()
	return d
}

func (c *Comparison) title(what string) string {
	if c.Name != "" {
		return c.Name + ": " + what
	}
	return what
}

func shown(c *statistics.Cell, digits int) view.Cell {
	return view.Cell{Text: view.MeanSD(c.Mean, c.SD, digits), Bold: c.Bold}
}

// paperCells are the paper's four columns.
func (r *Row) paperCells() []view.Cell {
	return []view.Cell{shown(&r.ID, 1), shown(&r.T1st, 2), shown(&r.K1st, 1), shown(&r.MaxK, 1)}
}

// foundOf is how many runs found an individual.
func (r *Row) foundOf() string { return fmt.Sprintf("%d/%d", r.Found, r.Runs) }

// main is the paper's table with a line for each arm.
func (c *Comparison) main() *view.Table {
	t := &view.Table{
		Title: c.title("discriminated individuals found"),
		Columns: []view.Column{
			{Title: "model"}, {Title: "arm"}, {Title: "#ID", Right: true}, {Title: "T.1st (s)", Right: true},
			{Title: "#K.1st", Right: true}, {Title: "#K", Right: true}, {Title: "found in", Right: true},
		},
		Notes: c.notes(),
		Paper: c.paper(),
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		c.separate(t, i)
		line := append(view.Texts(c.model(r), r.Arm), r.paperCells()...)
		t.Rows = append(t.Rows, append(line, view.Texts(r.foundOf())...))
	}
	return t
}

// separate draws a line between models.
func (c *Comparison) separate(t *view.Table, i int) {
	if i > 0 && (c.Rows[i].Model != c.Rows[i-1].Model || c.Rows[i].Study != c.Rows[i-1].Study) {
		t.Rows = append(t.Rows, nil)
	}
}

// model names a row's model, with its study where there are several.
func (c *Comparison) model(r *Row) string {
	for i := range c.Rows {
		if c.Rows[i].Study != r.Study && c.Rows[i].Model == r.Model {
			return r.Study + "/" + r.Model
		}
	}
	return r.Model
}

// paper is the main table as the paper has it: a line for each model, the arms
// side by side.
func (c *Comparison) paper() *view.Table {
	t := &view.Table{Title: c.title("discriminated individuals found"), Columns: []view.Column{{Title: "DNN"}}, Groups: []view.Group{{Span: 1}}, Notes: c.notes()}
	for i := range c.Arms {
		t.Groups = append(t.Groups, view.Group{Title: c.Arms[i].Name, Span: 4})
		for _, name := range []string{"#ID", "T.1st (s)", "#K.1st", "#K"} {
			t.Columns = append(t.Columns, view.Column{Title: name, Right: true})
		}
	}
	for i := 0; i < len(c.Rows); i += len(c.Arms) {
		line := view.Texts(c.model(&c.Rows[i]))
		for k := range c.Arms {
			r := &c.Rows[i+k]
			cells := r.paperCells()
			if r.Found < r.Runs {
				cells[1].Text += " (" + r.foundOf() + ")"
			}
			line = append(line, cells...)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// beyond is what the paper only mentions.
func (c *Comparison) beyond() *view.Table {
	t := &view.Table{Title: c.title("how spread out, how much proved, at what cost (means over runs)"), Columns: []view.Column{{Title: "model"}, {Title: "arm"}}}
	for _, name := range []string{"diversity", "regions", "certified %", "fair", "unfair", "undecided", "spurious", "faults", "asked", "CPU s", "wall s"} {
		t.Columns = append(t.Columns, view.Column{Title: name, Right: true})
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		c.separate(t, i)
		certified := view.NA
		if r.Certified != nil {
			certified = strconv.FormatFloat(100**r.Certified, 'g', 4, 64)
		}
		line := view.Texts(c.model(r), r.Arm, view.Number(r.Diversity, 3), view.Number(r.Regions, 1), certified, view.Number(r.Fair, 1), view.Number(r.Unfair, 1),
			view.Number(r.Undecided, 1), view.Number(r.Spurious, 1), strconv.Itoa(r.Faults), view.Number(r.Asked, 1), view.Number(r.CPU, 1), view.Number(r.Seconds, 1))
		t.Rows = append(t.Rows, line)
		t.Notes = append(t.Notes, c.trouble(r)...)
	}
	t.Notes = append(t.Notes,
		"diversity: mean Gower distance of two individuals found; regions: parts of the yardstick partition they lie in;",
		"certified: share of the space proved fair by the arm's notion; CPU time is that of the worker and its solver")
	return t
}

// trouble tells which runs of an arm did not end as they should.
func (c *Comparison) trouble(r *Row) (lines []string) {
	if n := len(r.Errors); n > 0 {
		lines = append(lines, fmt.Sprintf("%s, %s: ended early in %d of %d runs: %s", c.model(r), r.Arm, n, r.Runs, FirstLine(r.Errors[0])))
	}
	if r.Killed > 0 {
		lines = append(lines, fmt.Sprintf("%s, %s: had to be ended from outside in %d of %d runs, after the budget", c.model(r), r.Arm, r.Killed, r.Runs))
	}
	return lines
}

// FirstLine is what of a long message fits a line.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// matrix counts disagreements, the proving arm in the line.
func (c *Comparison) matrix() *view.Table {
	t := &view.Table{Title: c.title("disagreements: proofs of the arm on the left refuted by a replayed witness of the arm above"), Columns: []view.Column{{Title: ""}}}
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
	seeds := fmt.Sprint(c.Seeds[0])
	if n := len(c.Seeds); n > 1 {
		seeds = fmt.Sprintf("%d to %d", c.Seeds[0], c.Seeds[n-1])
	}
	memory := "no limit of memory"
	if c.Memory > 0 {
		memory = fmt.Sprintf("%.4g MiB of memory", float64(c.Memory)/(1<<20))
	}
	notes := []string{
		fmt.Sprintf("mean ± sd over the runs that found somebody (#ID: over all); budget %s of wall time, %d thread(s), %s; %d run(s), seed(s) %s",
			c.Budget, c.Threads, memory, c.Runs, seeds),
	}
	if c.Runs >= statistics.MinRunsForBold && len(c.Arms) > 1 {
		notes = append(notes, view.BoldMark+" better than every other arm: Mann-Whitney U, p < 0.05 after Holm; a run that found nobody counts as the budget, or as k = 0")
	} else {
		notes = append(notes, fmt.Sprintf("no cell is marked as significantly better: that takes %d runs and two arms", statistics.MinRunsForBold))
	}
	if c.Jobs > 1 {
		notes = append(notes, fmt.Sprintf("%d tasks ran side by side and shared the machine: times are longer than alone", c.Jobs))
	}
	if c.Done < c.Tasks {
		notes = append(notes, fmt.Sprintf("INCOMPLETE: %d of %d tasks are done", c.Done, c.Tasks))
	}
	if c.Run != "" {
		notes = append(notes, "run "+c.Run+" of the journal")
	}
	return notes
}

// data has a line for each model and arm, with everything.
func (c *Comparison) data() *view.Table {
	t := &view.Table{}
	column := func(names ...string) {
		for _, n := range names {
			t.Columns = append(t.Columns, view.Column{Title: n})
		}
	}
	column("study", "model", "arm", "runs", "found")
	for _, m := range measures {
		column(m.name, m.name+".sd", m.name+".bold", m.name+".p", m.name+".a12")
	}
	column("diversity", "regions", "certified", "fair", "unfair", "undecided", "spurious", "faults", "killed", "asked", "solves", "cpu_seconds", "seconds", "refuted_by")
	for i := range c.Rows {
		r := &c.Rows[i]
		line := []string{r.Study, r.Model, r.Arm, strconv.Itoa(r.Runs), strconv.Itoa(r.Found)}
		for _, m := range measures {
			cell := m.cell(r)
			var p, a12 []string
			for _, a := range cell.Against {
				p = append(p, fmt.Sprintf("%s:%.3g", a.Arm, a.PHolm))
				a12 = append(a12, fmt.Sprintf("%s:%.3f", a.Arm, a.A12))
			}
			line = append(line, view.Exact(cell.Mean), view.Exact(cell.SD), strconv.FormatBool(cell.Bold), strings.Join(p, " "), strings.Join(a12, " "))
		}
		line = append(line, view.Exact(r.Diversity), view.Exact(r.Regions), view.Exact(r.Certified), view.Exact(r.Fair), view.Exact(r.Unfair), view.Exact(r.Undecided), view.Exact(r.Spurious),
			strconv.Itoa(r.Faults), strconv.Itoa(r.Killed), view.Exact(r.Asked), view.Exact(r.Solves), view.Exact(r.CPU), view.Exact(r.Seconds), c.refutedBy(r))
		t.Rows = append(t.Rows, view.Texts(line...))
	}
	return t
}

// refutedBy is a row's line of its model's disagreement matrix: who refuted the
// arm's proofs, and how often.
func (c *Comparison) refutedBy(r *Row) string {
	counts := make([]string, len(c.Arms))
	for i := range c.Arms {
		n := 0
		for k := range c.Disagreements {
			if d := &c.Disagreements[k]; d.Study == r.Study && d.Model == r.Model && d.Prover == r.Arm && d.Finder == c.Arms[i].Name {
				n += d.Count
			}
		}
		counts[i] = fmt.Sprintf("%s:%d", c.Arms[i].Name, n)
	}
	return strings.Join(counts, " ")
}
