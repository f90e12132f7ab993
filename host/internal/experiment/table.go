package experiment

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Head is what tables of arms begin with.
type Head struct {
	Name string `json:"name,omitempty"`
	Source
	// Tidy are the tasks, a row each.
	Tidy Tidy `json:"-"`
}

// Keep notes where the journal has the experiment.
func (h *Head) Keep(where Kept) {
	h.Source.Keep(where)
	h.Tidy.from = where
}

// Records are the tasks as data.
func (h *Head) Records() view.Records { return h.Tidy.Records() }

// Source is where the results of an experiment are from.
type Source struct {
	// Run is its name in Journal, both empty where that has it not.
	Run     string `json:"run,omitempty"`
	Journal string `json:"journal,omitempty"`
	// Machine did the tasks, but those whose results were Taken from other runs.
	Machine *record.Machine `json:"machine,omitempty"`
	Taken   []Taken         `json:"taken,omitempty"`
}

// Keep notes where the journal has the experiment.
func (s *Source) Keep(where Kept) { *s = where.Source }

// Notes say it in words.
func (s *Source) Notes() (notes []string) {
	if s.Machine != nil {
		notes = append(notes, "on "+s.Machine.String())
	}
	if s.Run != "" {
		notes = append(notes, "run "+s.Run+" of the journal")
	}
	for _, t := range s.Taken {
		note := fmt.Sprintf("results taken over from run %s", t.Run)
		if t.Journal != "" {
			note += " of " + t.Journal
		}
		if note += fmt.Sprintf(": %d", t.Tasks); s.Machine != nil && !t.Machine.Same(*s.Machine) {
			note += ", of another machine: " + t.Machine.String()
		}
		notes = append(notes, note)
	}
	return notes
}

// Title is what a table shows, with the experiment's name before it.
func (h *Head) Title(what string) string {
	if h.Name != "" {
		return h.Name + ": " + what
	}
	return what
}

// Row is one arm on one network, over its runs.
type Row struct {
	Study string `json:"study"`
	Model string `json:"model"`
	Arm   string `json:"arm"`
	// Runs that were done, and Found those of them that found an individual.
	Runs  int `json:"runs"`
	Found int `json:"found"`
}

// FoundOf is how many runs found an individual.
func (r *Row) FoundOf() string { return fmt.Sprintf("%d/%d", r.Found, r.Runs) }

// Rows begin the lines of a table: network by network, as many arms each.
type Rows struct {
	Rows []*Row
	Arms int
}

// Label names a row's network, with its study where there are several.
func (t *Rows) Label(r *Row) string {
	for _, o := range t.Rows {
		if o.Study != r.Study && o.Model == r.Model {
			return r.Study + "/" + r.Model
		}
	}
	return r.Model
}

// Table has a line for each row, with these columns after network and arm, and a rule
// between networks.
func (t *Rows) Table(title, arm string, columns []string, line func(i int) []view.Cell) *view.Table {
	out := &view.Table{Title: title, Columns: []view.Column{{Title: "model"}, {Title: arm}}}
	for _, c := range columns {
		out.Columns = append(out.Columns, view.Column{Title: c, Right: true})
	}
	for i, r := range t.Rows {
		if i > 0 && i%t.Arms == 0 {
			out.Rows = append(out.Rows, nil)
		}
		out.Rows = append(out.Rows, append(view.Texts(t.Label(r), r.Arm), line(i)...))
	}
	return out
}

// Shown is a cell in a table.
func Shown(c *statistics.Cell, digits int) view.Cell {
	return view.Cell{Text: view.MeanSD(c.Mean, c.SD, digits), Bold: c.Bold}
}

// DataColumns are those of a measure in tables for programs.
func DataColumns(measure string) []string {
	return []string{measure, measure + ".sd", measure + ".bold", measure + ".p", measure + ".a12"}
}

// Data is a measure there, with separator between arms.
func Data(c *statistics.Cell, separator string) []string {
	var p, a12 []string
	for _, a := range c.Against {
		p = append(p, fmt.Sprintf("%s:%.3g", a.Arm, a.PHolm))
		a12 = append(a12, fmt.Sprintf("%s:%.3f", a.Arm, a.A12))
	}
	return []string{view.Exact(c.Mean), view.Exact(c.SD), strconv.FormatBool(c.Bold), strings.Join(p, separator), strings.Join(a12, separator)}
}

// IntervalColumns are those of a measure's median and bootstrapped intervals there.
func IntervalColumns(measure string) []string {
	return []string{measure + ".median", measure + ".mean.lo", measure + ".mean.hi", measure + ".median.lo", measure + ".median.hi"}
}

// Intervals are a measure's median and intervals there.
func Intervals(c *statistics.Cell) []string {
	line := []string{view.Exact(c.Median)}
	for _, i := range []*statistics.Interval{c.MeanCI, c.MedianCI} {
		if i == nil {
			line = append(line, "", "")
		} else {
			line = append(line, view.Exact(&i[0]), view.Exact(&i[1]))
		}
	}
	return line
}

// Tested are notes on which cells stand out, and on whether any can. one is what the
// table calls an arm, and lost how runs count that have no value.
func Tested(arms, runs int, one, lost string) []string {
	if arms < 2 {
		return []string{"no cell is marked as significantly better: that takes two arms"}
	}
	var notes []string
	if runs >= statistics.MinRunsForBold {
		notes = append(notes, fmt.Sprintf("%s better than every other %s: Mann-Whitney U, p < 0.05 after Holm over all pairs; %s", view.BoldMark, one, lost))
	} else {
		notes = append(notes, fmt.Sprintf("no cell is marked as significantly better: that takes %d runs", statistics.MinRunsForBold))
	}
	return append(notes, statistics.Power(arms, runs))
}
