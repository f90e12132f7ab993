package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Course is how the tasks of an experiment went.
type Course struct {
	Terms      *Terms
	Conditions *Conditions
	Source     *Source
	// Done and Failed of Tasks; Retried failed once.
	Done, Failed, Retried, Tasks int
}

// Notes end those of every experiment's table: under which conditions tasks were done, how many,
// and where their results are.
func (c *Course) Notes() []string {
	notes := c.Conditions.Notes(c.Terms, c.Done, c.Done+c.Failed)
	if c.Retried > 0 {
		notes = append(notes, fmt.Sprintf("%d task(s) were lost once and tried again", c.Retried))
	}
	if c.Failed > 0 {
		notes = append(notes, fmt.Sprintf("FAILED: %d of %d tasks, twice each; they count nowhere, and the same command tries them again", c.Failed, c.Tasks))
	}
	if c.Done+c.Failed < c.Tasks {
		notes = append(notes, fmt.Sprintf("INCOMPLETE: %d of %d tasks are done", c.Done, c.Tasks))
	}
	return append(notes, c.Source.Notes()...)
}

// Sheet is what an experiment shows whose arms are held against each other.
type Sheet struct {
	Course
	Head      *Head
	Standings *Standings
	Rows      *Rows
	// One is what tables call an arm.
	One string
	// Main is the paper's table, Beyond what the paper has not. The notes of Main begin with
	// its own; Lost says how runs without a value count in tests, and Aside is noted after the
	// tests.
	Main, Beyond Part
	Lost         string
	Aside        []string
	// Paper, if not nil, are the columns of the main table as papers have it, with the arms side
	// by side. chosen: the user chose them.
	Paper func(columns []Column, chosen bool) []Column
}

// Part is one of a sheet's tables.
type Part struct {
	Title   string
	Columns []Column
	Notes   []string
}

// Columns are the names of those that the tables can have.
func (s *Sheet) Columns() []string { return names(slices.Concat(s.Main.Columns, s.Beyond.Columns)) }

// Choose picks the columns to show, by their names.
func (s *Sheet) Choose(columns []string) error {
	have := s.Columns()
	for _, name := range columns {
		if !slices.Contains(have, name) {
			return fmt.Errorf("no column %q in this experiment; %s", name, yamlfile.Suggest(name, have))
		}
	}
	s.Head.Chosen = columns
	return nil
}

// Document shows the tables, what stands between, and the ranking.
func (s *Sheet) Document(between ...view.Block) *view.Document {
	main, chosen := s.Main, s.Head.Chosen
	main.Notes = append(main.Notes, tested(s.Rows.Arms, s.Terms.Runs, s.Standings.Control, s.One, s.Lost)...)
	if _, note := s.Rows.Means(); note != "" {
		main.Notes = append(main.Notes, note)
	}
	main.Notes = slices.Concat(main.Notes, s.Aside, s.Course.Notes())
	d := &view.Document{}
	if len(chosen) == 0 {
		d.Add(s.table(main, s.Paper), s.table(s.Beyond, nil))
	} else {
		if len(choose(s.Beyond.Columns, chosen)) > 0 {
			main.Notes = append(main.Notes, s.Beyond.Notes...)
		}
		main.Columns = choose(slices.Concat(main.Columns, s.Beyond.Columns), chosen)
		main.Title = strings.Join(names(main.Columns), ", ")
		d.Add(s.table(main, s.Paper))
	}
	d.Add(between...)
	standings := s.Standings.only(chosen)
	for _, b := range standings.Blocks(s.Head.Title("ranking over networks"), s.One, s.Rows.name) {
		d.Add(s.Head.Asking(b))
	}
	if len(standings.Effects) > 0 {
		d.Add(s.Head.Asking(standings.effectsTable(s.Head.Title("effects of the grid's keys"))))
	}
	return d
}

// table is one of the tables, with the paper's form where there is one.
func (s *Sheet) table(p Part, paper func([]Column, bool) []Column) *view.Table {
	t := s.Rows.table(s.Head.Title(p.Title), s.One, p.Columns)
	t.Notes = p.Notes
	s.Head.Asking(t)
	if paper != nil {
		t.Paper = s.Rows.beside(t.Title, paper(p.Columns, len(s.Head.Chosen) > 0))
		t.Paper.Notes = t.Notes
	}
	return t
}

// Asking is a block that says, if it is a table, below it what was asked.
func (h *Head) Asking(b view.Block) view.Block {
	if t, ok := b.(*view.Table); ok && h.Asked != "" {
		t.Notes = append([]string{h.Asked}, t.Notes...)
	}
	return b
}

// choose picks columns by their names, in the order of those.
func choose(columns []Column, names []string) (out []Column) {
	for _, name := range names {
		if i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name }); i >= 0 {
			out = append(out, columns[i])
		}
	}
	return out
}

func names(columns []Column) (out []string) {
	for _, c := range columns {
		out = append(out, c.Name)
	}
	return out
}
