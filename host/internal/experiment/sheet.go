package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Course summarises how the tasks of an experiment ran.
type Course struct {
	Terms      *Terms
	Conditions *Conditions
	Source     *Source
	// Numbers of tasks: Done with a result, Failed in every attempt, Retried after one failure, and
	// Tasks in all.
	Done, Failed, Retried, Tasks int
}

// Notes returns the last notes of every experiment's table: the conditions of the tasks, their
// number, and where the results are stored.
func (c *Course) Notes() []string {
	notes := c.Conditions.Notes(c.Terms, c.Done, c.Done+c.Failed)
	if c.Retried > 0 {
		notes = append(notes, fmt.Sprintf("%d task(s) failed once and were tried again", c.Retried))
	}
	if c.Failed > 0 {
		notes = append(notes, fmt.Sprintf("FAILED: %d of %d tasks, twice each; no figure includes them, and the same command tries them again", c.Failed, c.Tasks))
	}
	if c.Done+c.Failed < c.Tasks {
		notes = append(notes, fmt.Sprintf("INCOMPLETE: %d of %d tasks are done", c.Done, c.Tasks))
	}
	return append(notes, c.Source.Notes()...)
}

// Sheet holds the tables of an experiment that compares arms.
type Sheet struct {
	Course
	Head      *Head
	Standings *Standings
	Rows      *Rows
	// One is the word for an arm in tables.
	One string
	// Main is the paper's table; Beyond holds the measures that the paper does not have. The notes
	// below Main are Main.Notes, the notes on tests, and Aside. Lost is the part of the notes on
	// tests that says how runs without a value count.
	Main, Beyond Part
	Lost         string
	Aside        []string
	// Paper are the columns of the main table in --format latex unless the user chose others.
	Paper []string
	// Beside, if not nil, adapts columns to a paper's table with the arms side by side.
	Beside func(columns []Column) []Column
}

// Part is one table of a sheet.
type Part struct {
	Title   string
	Columns []Column
	Notes   []string
	// Short replaces Notes in a paper's table.
	Short []string
}

// Names of entire tables that the user may choose along with columns.
const (
	ranking = "ranking"
	effects = "effects"
)

// Columns lists the names that Choose accepts: of columns and of entire tables.
func (s *Sheet) Columns() []string {
	return append(names(slices.Concat(s.Main.Columns, s.Beyond.Columns)), ranking, effects)
}

// Choose selects the columns to show by their names, one list per table.
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

// Document shows the tables, then the given blocks, then the ranking. In --format latex it shows
// the main table only, or those that were chosen.
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

// shouting matches the notes that every table shows: on tasks that failed, are missing, or broke
// the conditions.
var shouting = regexp.MustCompile(`\b(FAILED|INCOMPLETE|NOT)\b`)

// table makes one of the tables. Its form for a paper has the columns of paper, if any, with the
// arms side by side if that fits a page.
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

// Asking adds the question and the terms to a block that is a table, as its first note.
func (h *Head) Asking(b view.Block) view.Block {
	if t, ok := b.(*view.Table); ok && h.Asked != "" {
		t.Notes = append([]string{h.Asked}, t.Notes...)
	}
	return b
}

// choose selects columns by their names, in the order of names.
func choose(columns []Column, names []string) (out []Column) {
	for _, name := range names {
		if i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name }); i >= 0 {
			out = append(out, columns[i])
		}
	}
	return out
}

func names(columns []Column) []string {
	return Each(columns, func(c *Column) string { return c.Name })
}
