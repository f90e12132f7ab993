package experiment

import (
	"fmt"
	"regexp"
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
	// Paper are the columns of the main table as papers have it, where no user chose them.
	Paper []string
	// Beside, if not nil, are columns as they stand in the table of a paper with the arms side by
	// side.
	Beside func(columns []Column) []Column
}

// Part is one of a sheet's tables.
type Part struct {
	Title   string
	Columns []Column
	Notes   []string
	// Short are those that the table of a paper has in place of Notes.
	Short []string
}

// Tables that stand for themselves among the columns that a user chooses.
const (
	ranking = "ranking"
	effects = "effects"
)

// Columns are the names of those that the tables can have, and of whole tables.
func (s *Sheet) Columns() []string {
	return append(names(slices.Concat(s.Main.Columns, s.Beyond.Columns)), ranking, effects)
}

// Choose picks the columns to show, a table each, by their names.
func (s *Sheet) Choose(tables [][]string) error {
	have := s.Columns()
	for _, name := range slices.Concat(tables...) {
		if !slices.Contains(have, name) {
			return fmt.Errorf("no column %q in this experiment; %s", name, yamlfile.Suggest(name, have))
		}
	}
	s.Head.Chosen = tables
	return nil
}

// Document shows the tables, what stands between, and the ranking. A paper has one table, or
// those that were chosen.
func (s *Sheet) Document(between ...view.Block) *view.Document {
	marks := tested(s.Rows.Arms, s.Terms.Runs, s.Standings.Control, s.One, s.Lost)
	main, course := s.Main, s.Course.Notes()
	main.Notes = append(main.Notes, marks...)
	if _, note := s.Rows.Means(); note != "" {
		main.Notes = append(main.Notes, note)
	}
	main.Notes, main.Short = slices.Concat(main.Notes, s.Aside, course), append(main.Short, marks[0])
	for _, note := range course {
		if shouting.MatchString(note) {
			main.Short = append(main.Short, note)
		}
	}
	d := &view.Document{}
	all, chosen := slices.Concat(main.Columns, s.Beyond.Columns), slices.Concat(s.Head.Chosen...)
	for _, table := range s.Head.Chosen {
		part := main
		if part.Columns = choose(all, table); len(part.Columns) == 0 {
			continue
		}
		if len(choose(s.Beyond.Columns, table)) > 0 {
			part.Notes = append(slices.Clone(main.Notes), s.Beyond.Notes...)
		}
		part.Title = strings.Join(names(part.Columns), ", ")
		d.Add(s.table(part, part.Columns))
	}
	aside := func(name string, b view.Block) {
		if slices.Contains(chosen, name) {
			d.Add(b)
		} else {
			d.Add(view.Aside{Block: b})
		}
	}
	columns := slices.DeleteFunc(slices.Clone(chosen), func(name string) bool { return name == ranking || name == effects })
	if len(chosen) == 0 {
		d.Add(s.table(main, choose(all, s.Paper)))
	} else if len(columns) == 0 {
		aside("", s.table(main, nil))
	}
	if len(columns) == 0 {
		aside("", s.table(s.Beyond, nil))
	}
	for _, b := range between {
		aside("", b)
	}
	standings := s.Standings.only(columns)
	for _, b := range standings.Blocks(s.Head.Title("ranking over networks"), s.One, s.Rows.name) {
		aside(ranking, s.Head.Asking(b))
	}
	if len(standings.Effects) > 0 {
		aside(effects, s.Head.Asking(standings.effectsTable(s.Head.Title("effects of the grid's keys"))))
	}
	return d
}

// shouting are notes that no table goes without: of tasks that failed, or ran otherwise than
// they should.
var shouting = regexp.MustCompile(`\b(FAILED|INCOMPLETE|NOT)\b`)

// table is one of the tables, with the paper's form of these columns, if any: the arms side by
// side where that fits a page.
func (s *Sheet) table(p Part, paper []Column) *view.Table {
	t := s.Rows.table(s.Head.Title(p.Title), s.One, p.Columns)
	t.Notes = p.Notes
	s.Head.Asking(t)
	if paper != nil {
		t.Paper = s.Rows.table(t.Title, s.One, paper)
		if s.Beside != nil {
			if wide := s.Rows.beside(t.Title, s.Beside(paper)); wide.FitsPage() {
				t.Paper = wide
			}
		}
		t.Paper.Notes = p.Short
		s.Head.Asking(t.Paper)
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
