// Package view writes tables: for a terminal, as CSV, Markdown and LaTeX. What the
// cells mean is their maker's business.
package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

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
	// Notes follow the table, one a line.
	Notes []string
}

// Texts are cells without marks.
func Texts(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, t := range texts {
		row[i].Text = t
	}
	return row
}

// Escape sequences of ECMA-48.
const (
	red   = "\x1b[31m"
	bold  = "\x1b[1m"
	plain = "\x1b[0m"
)

// Terminal writes the table with aligned columns. colour allows escape
// sequences; what they show is there without them, too.
func (t *Table) Terminal(w io.Writer, colour bool) error {
	out := bufio.NewWriter(w)
	if t.Title != "" {
		fmt.Fprintln(out, t.Title)
	}
	heads := make([]Cell, len(t.Columns))
	for c := range t.Columns {
		heads[c].Text = t.Columns[c].Title
	}
	widths := t.widths(heads)
	t.line(out, heads, widths, false)
	total := max(0, 2*(len(widths)-1))
	for _, n := range widths {
		total += n
	}
	rule := strings.Repeat("─", total)
	fmt.Fprintln(out, rule)
	for _, row := range t.Rows {
		if len(row) == 0 {
			fmt.Fprintln(out, rule)
			continue
		}
		t.line(out, row, widths, colour)
	}
	for _, note := range t.Notes {
		fmt.Fprintln(out, note)
	}
	return out.Flush()
}

// shown is a cell's text in a terminal.
func (c *Cell) shown() string {
	if c.Bold {
		return c.Text + "*"
	}
	return c.Text
}

func (t *Table) widths(heads []Cell) []int {
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]Cell{heads}, t.Rows...) {
		for c := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c].shown()))
		}
	}
	return widths
}

func (t *Table) line(out io.Writer, row []Cell, widths []int, colour bool) {
	var b strings.Builder
	for c := range row {
		if c > 0 {
			b.WriteString("  ")
		}
		text := row[c].shown()
		pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(text))
		switch {
		case colour && row[c].Alarm:
			text = red + text + plain
		case colour && row[c].Bold:
			text = bold + text + plain
		}
		if t.Columns[c].Right {
			text = pad + text
		} else {
			text += pad
		}
		b.WriteString(text)
	}
	fmt.Fprintln(out, strings.TrimRight(b.String(), " "))
}

// Alarm is a line that must not be overlooked: red where there are colours.
func Alarm(text string, colour bool) string {
	if colour {
		return red + text + plain
	}
	return text
}
