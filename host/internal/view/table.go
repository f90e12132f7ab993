package view

// Cell is one field of a table.
type Cell struct {
	// Text as people read it; %, &, _ and the like need no care.
	Text string
	// Bold marks what stands out among its peers: an asterisk in a terminal.
	Bold bool
	// Alarm marks what must not be overlooked: red where there are colours.
	Alarm bool
}

// Column is a column's head and how its cells are aligned.
type Column struct {
	Title string
	// Right aligns numbers.
	Right bool
	// Bars: the cells are drawn with characters, for a terminal only.
	Bars bool
	// Width is the least number of characters in a terminal.
	Width int
}

// Group heads several neighbouring columns.
type Group struct {
	Title string
	Span  int
}

// Table is a table. The zero value is an empty one.
type Table struct {
	Title   string
	Columns []Column
	// Groups head the columns from the left, for LaTeX only; spans add up to the
	// number of columns. Empty: none.
	Groups []Group
	// Rows have one cell a column. A row without cells is a rule.
	Rows [][]Cell
	// Notes follow the table, one a line. BoldMark stands for how bold cells look.
	Notes []string
	// Paper is the table as papers have it, where that is another: LaTeX takes it.
	Paper *Table

	// Plain tables have no rule below their heads in a terminal, and no line of heads
	// where all are empty; Indented ones begin further right, and the columns of a
	// Dense one are one blank apart.
	Plain, Indented, Dense bool
}

// BoldMark stands in notes for the way a format marks bold cells.
const BoldMark = "\uE000"

// Columns have these titles; all except the first are aligned right.
func Columns(titles ...string) []Column {
	columns := make([]Column, len(titles))
	for i, title := range titles {
		columns[i] = Column{Title: title, Right: i > 0}
	}
	return columns
}

// Texts are cells without marks.
func Texts(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, t := range texts {
		row[i].Text = t
	}
	return row
}

// Add appends a row of cells without marks.
func (t *Table) Add(texts ...string) { t.Rows = append(t.Rows, Texts(texts...)) }

// heads are the columns' titles as a row.
func (t *Table) heads() []Cell {
	row := make([]Cell, len(t.Columns))
	for c := range t.Columns {
		row[c].Text = t.Columns[c].Title
	}
	return row
}

// withoutBars is the table without its bars, which only a terminal shows.
func (t *Table) withoutBars() *Table {
	var columns []int
	for c := range t.Columns {
		if !t.Columns[c].Bars {
			columns = append(columns, c)
		}
	}
	return t.pick(columns)
}

// groupOf tells the place in Groups of each column; nothing without groups.
func (t *Table) groupOf() (groups []int) {
	for g := range t.Groups {
		for range t.Groups[g].Span {
			groups = append(groups, g)
		}
	}
	return groups
}

// pick is the table with some of its columns.
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
