package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Head is the first part of the tables of arms.
type Head struct {
	// The name of the experiment's file; absent without one.
	Name string `json:"name,omitempty"`
	// The question and the terms that all arms share, in one line.
	Asked string `json:"asked,omitempty"`
	Source
	// Tidy holds the tasks, one row per task.
	Tidy *Tidy `json:"-"`
	// Chosen are the names of the columns to show, one list per table; none: all.
	Chosen [][]string `json:"-"`
}

// Records are the tasks as tidy data.
func (h *Head) Records() view.Records { return h.Tidy.Records() }

// Source tells where the results of an experiment come from.
type Source struct {
	// The run's name in the journal; absent if nothing is stored.
	Run string `json:"run,omitempty"`
	// The journal's file; absent if nothing is stored.
	Journal string `json:"journal,omitempty"`
	// The machine that did the tasks, except for those taken from other runs.
	Machine *record.Machine `json:"machine,omitempty"`
	// Results of other runs, or of the machines of a fleet.
	Taken []Taken `json:"taken,omitempty"`
}

// Notes states the source in words.
func (s *Source) Notes() (notes []string) {
	if s.Machine != nil {
		notes = append(notes, "on "+s.Machine.String())
	}
	if s.Run != "" {
		notes = append(notes, "run "+s.Run+" of the journal")
	}
	for _, t := range s.Taken {
		if t.Run == s.Run && t.Journal == "" {
			notes = append(notes, fmt.Sprintf("%d of the tasks done by a fleet, on %s; this machine evaluated the individuals that were found again, all else is as reported by the fleet", t.Tasks, t.Machine))
			continue
		}
		note := fmt.Sprintf("results reused from run %s", t.Run)
		if t.Journal != "" {
			note += " of " + t.Journal
		}
		if note += fmt.Sprintf(": %d", t.Tasks); s.Machine != nil && !t.Machine.Same(*s.Machine) {
			note += ", made on another machine: " + t.Machine.String()
		}
		notes = append(notes, note)
	}
	return notes
}

// Title is a table's title: what it shows, after the experiment's name if it has one.
func (h *Head) Title(what string) string {
	if h.Name != "" {
		return h.Name + ": " + what
	}
	return what
}

// Row is one arm on one network, over its runs.
type Row struct {
	// The study's name.
	Study string `json:"study"`
	// The model's name.
	Model string `json:"model"`
	// The arm's name.
	Arm string `json:"arm"`
	// The number of runs done.
	Runs int `json:"runs"`
	// The number of runs that found an individual.
	Found int `json:"found"`
}

// FoundOf returns the number of runs that found an individual, as "found/runs".
func (r *Row) FoundOf() string { return fmt.Sprintf("%d/%d", r.Found, r.Runs) }

// Rows are the lines of a table, network by network, with the same number of arms on each.
type Rows struct {
	Rows []*Row
	Arms int
}

// Names returns the names of the arms.
func (t *Rows) Names() []string {
	return Each(t.Rows[:min(t.Arms, len(t.Rows))], func(r **Row) string { return (*r).Arm })
}

// Label names a row's network: by the model; by study and model if another study has a model of
// that name; by the study alone if the model's name says nothing.
func (t *Rows) Label(r *Row) string { return t.name(r.Study, r.Model) }

func (t *Rows) name(study, model string) string {
	if model == "network" || model == "model" {
		return study
	}
	for _, o := range t.Rows {
		if o.Study != study && o.Model == model {
			return study + "/" + model
		}
	}
	return model
}

// Column is a column of a table of arms.
type Column struct {
	// Name is the name in --columns and in tables for programs.
	Name  string
	Title string
	Cell  func(row int) view.Cell
	// Over summarises several rows in one text.
	Over func(rows []int) string
}

// Mean returns a function that shows the mean of the rows with a value, and their number if some
// rows lack one.
func Mean(value func(row int) *float64, text func(*float64) string) func(rows []int) string {
	return func(rows []int) string {
		var values []float64
		for _, i := range rows {
			if v := value(i); v != nil {
				values = append(values, *v)
			}
		}
		mean := text(statistics.Finite(statistics.Mean(values)))
		if n := len(values); n > 0 && n < len(rows) {
			mean += fmt.Sprintf(" (%d)", n)
		}
		return mean
	}
}

// Counted is a column of counts; several rows are summarised by their sum.
func Counted(name, title string, count func(row int) int) Column {
	return Column{name, title, func(i int) view.Cell { return view.Cell{Text: strconv.Itoa(count(i))} }, func(rows []int) string {
		sum := 0
		for _, i := range rows {
			sum += count(i)
		}
		return strconv.Itoa(sum)
	}}
}

// FoundIn is the column of the number of runs that found an individual.
func (t *Rows) FoundIn() Column {
	return Column{"found", "found in", func(i int) view.Cell { return view.Cell{Text: t.Rows[i].FoundOf()} }, func(rows []int) string {
		var sum Row
		for _, i := range rows {
			sum.Found, sum.Runs = sum.Found+t.Rows[i].Found, sum.Runs+t.Rows[i].Runs
		}
		return sum.FoundOf()
	}}
}

// networks returns the number of networks.
func (t *Rows) networks() int { return len(t.Rows) / max(1, t.Arms) }

// of returns the indices of an arm's rows.
func (t *Rows) of(arm int) (rows []int) {
	for i := arm; i < len(t.Rows); i += t.Arms {
		rows = append(rows, i)
	}
	return rows
}

// Means returns the label of the line over all networks, and a note on it; both are empty if there
// are fewer than two networks.
func (t *Rows) Means() (label, note string) {
	n := t.networks()
	if n < 2 {
		return "", ""
	}
	return fmt.Sprintf("mean of %d", n),
		fmt.Sprintf("mean of %d: over the networks on which the arm has a value, (n) if those are fewer than %d; found in, unsolved, faults and retried are sums", n, n)
}

// table makes a table with a line per row, these columns after network and arm, and a rule
// between networks; below them, a line per arm over all networks.
func (t *Rows) table(title, arm string, columns []Column) *view.Table {
	out := &view.Table{Title: title, Columns: []view.Column{{Title: "model"}, {Title: arm}}}
	for _, c := range columns {
		out.Columns = append(out.Columns, view.Column{Title: c.Title, Right: true})
	}
	for i, r := range t.Rows {
		if i > 0 && i%t.Arms == 0 {
			out.Rows = append(out.Rows, nil)
		}
		line := view.Texts(t.Label(r), r.Arm)
		for _, c := range columns {
			line = append(line, c.Cell(i))
		}
		out.Rows = append(out.Rows, line)
	}
	if label, _ := t.Means(); label != "" {
		out.Rows = append(out.Rows, nil)
		for a := range t.Arms {
			line := view.Texts(label, t.Rows[a].Arm)
			for _, c := range columns {
				line = append(line, view.Cell{Text: c.Over(t.of(a))})
			}
			out.Rows = append(out.Rows, line)
		}
	}
	return out
}

// beside makes a table with a line per network and the arms side by side, each with these columns.
func (t *Rows) beside(title string, columns []Column) *view.Table {
	long := t.table(title, "", columns)
	out := &view.Table{Title: title, Columns: long.Columns[:1:1], Groups: []view.Group{{Span: 1}}}
	for a := range t.Arms {
		out.Groups = append(out.Groups, view.Group{Title: t.Rows[a].Arm, Span: len(columns)})
		out.Columns = append(out.Columns, long.Columns[2:]...)
	}
	lines := slices.DeleteFunc(long.Rows, func(line []view.Cell) bool { return line == nil })
	for arms := range slices.Chunk(lines, t.Arms) {
		if len(out.Rows) == t.networks() {
			out.Rows = append(out.Rows, nil)
		}
		line := arms[0][:1:1]
		for _, arm := range arms {
			line = append(line, arm[2:]...)
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// Shown shows a cell's mean and standard deviation, with its marks.
func Shown(c *statistics.Cell, digits int) view.Cell {
	return Marked(c, view.MeanSD(c.Mean, c.SD, digits))
}

// worseMark follows a value that is significantly worse than the control's.
const worseMark = " −"

// Marked shows a text with the marks of a cell.
func Marked(c *statistics.Cell, text string) view.Cell {
	if c.Worse {
		text += worseMark
	}
	return view.Cell{Text: text, Bold: c.Bold}
}

// tested returns notes on the tests: first what the marks mean, or why there are none, then the
// tests' power. The last two arguments are the word for an arm, and how runs without a value count.
func tested(arms, runs int, control, one, lost string) []string {
	if arms < 2 {
		return []string{"no cell is marked as significantly better: that needs two arms"}
	}
	tests := statistics.Tests(arms, control != "")
	power := statistics.Power(arms, runs, tests)
	switch {
	case runs < statistics.MinRunsForBold:
		return []string{fmt.Sprintf("no cell is marked as significantly better: that needs %d runs", statistics.MinRunsForBold), power}
	case control != "":
		return []string{fmt.Sprintf("%s better, %s worse than %s: Mann-Whitney U, p < 0.05 after Holm over all others; %s", view.BoldMark, strings.TrimSpace(worseMark), control, lost), power}
	}
	return []string{fmt.Sprintf("%s better than every other %s: Mann-Whitney U, p < 0.05 after Holm over all pairs; %s", view.BoldMark, one, lost), power}
}
