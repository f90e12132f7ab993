package view

import "slices"

// Cell is one field of a table.
type Cell struct {
	// Text for people, unescaped: formats escape %, &, _ and the like.
	Text string
	// Bold marks a cell that stands out among its peers: an asterisk in a terminal.
	Bold bool
	// Alarm marks what must not be overlooked: red if there are colours.
	Alarm bool
}

// Column is a column's head and how its cells are aligned.
type Column struct {
	Title string
	// Right aligns numbers.
	Right bool
	// Bars: the cells are bars of characters, for a terminal only.
	Bars bool
	// Width is the least number of characters in a terminal.
	Width int
}

// Group heads several neighbouring columns.
type Group struct {
	Title string
	Span  int
}

// Table is a table. The zero value is empty.
type Table struct {
	Title   string
	Columns []Column
	// Groups head the columns from the left, for LaTeX only; spans add up to the
	// number of columns. Empty: none.
	Groups []Group
	// Rows have one cell per column. A row without cells is a rule.
	Rows [][]Cell
	// Notes follow the table, one per line. BoldMark in them stands for the look of bold cells.
	Notes []string
	// Paper, if not nil, is the table that LaTeX writes instead.
	Paper *Table

	// In a terminal a Plain table has no rule below its heads, and no line of heads if all
	// are empty; an Indented one begins further right, and the columns of a Dense one are
	// one blank apart.
	Plain, Indented, Dense bool
}

// BoldMark in notes is replaced by the way a format marks bold cells.
const BoldMark = "\uE000"

// Columns returns columns with these titles; all except the first are aligned right.
func Columns(titles ...string) []Column {
	columns := make([]Column, len(titles))
	for i, title := range titles {
		columns[i] = Column{Title: title, Right: i > 0}
	}
	return columns
}

// Texts returns cells without marks.
func Texts(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, t := range texts {
		row[i].Text = t
	}
	return row
}

// Add appends a row of cells without marks.
func (t *Table) Add(texts ...string) { t.Rows = append(t.Rows, Texts(texts...)) }

// heads returns the columns' titles as a row.
func (t *Table) heads() []Cell {
	row := make([]Cell, len(t.Columns))
	for c := range t.Columns {
		row[c].Text = t.Columns[c].Title
	}
	return row
}

// headed reports whether a column has a title.
func (t *Table) headed() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Title != "" })
}

// withoutBars returns the table without its columns of bars, which only a terminal shows.
func (t *Table) withoutBars() *Table {
	var columns []int
	for c := range t.Columns {
		if !t.Columns[c].Bars {
			columns = append(columns, c)
		}
	}
	return t.pick(columns)
}

// groupOf returns each column's index in Groups; empty without groups.
func (t *Table) groupOf() (groups []int) {
	for g := range t.Groups {
		for range t.Groups[g].Span {
			groups = append(groups, g)
		}
	}
	return groups
}

// pick returns the table with some of its columns.
func (t *Table) pick(columns []int) *Table {
	out := *t
	out.Columns, out.Groups, out.Rows = nil, nil, make([][]Cell, len(t.Rows))
	of := t.groupOf()
	for i, c := range columns {
		out.Columns = append(out.Columns, t.Columns[c])
		switch {
		case len(of) == 0:
		case i > 0 && of[c] == of[columns[i-1]]:
			out.Groups[len(out.Groups)-1].Span++
		default:
			out.Groups = append(out.Groups, Group{t.Groups[of[c]].Title, 1})
		}
		for r, row := range t.Rows {
			if len(row) > 0 {
				out.Rows[r] = append(out.Rows[r], row[c])
			}
		}
	}
	return &out
}
