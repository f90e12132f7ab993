package view

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// leastWidth is the least width assumed of a terminal.
const leastWidth = 40

// fitted divides the table into parts, one below the other, no wider than width if their
// cells allow that: texts are wrapped between words, numbers are not. Each part begins
// with the columns of lead. 0: any width.
func (t *Table) fitted(width int) []*Table {
	if width == 0 || t.width(t.widths(t.heads())) <= width {
		return []*Table{t}
	}
	width = max(width, leastWidth)
	lead := t.lead()
	t = t.narrowed(width)
	widths := t.widths(t.heads())
	if len(lead) > 1 && t.width(pickWidths(widths, lead)) > width/2 {
		lead = lead[:1]
	}
	var groups [][]int
	for c, after := len(lead), 0; c < len(t.Columns); c = after {
		after = c + t.together(c)
		groups = append(groups, span(c, after))
	}
	var parts []*Table
	for _, columns := range pages(lead, groups, func(columns []int) bool { return t.width(pickWidths(widths, columns)) <= width }) {
		parts = append(parts, t.pick(columns))
	}
	for i, part := range parts {
		if i > 0 {
			part.Title = ""
		}
		if i < len(parts)-1 {
			part.Notes = nil
		}
	}
	return parts
}

// pages distributes groups of columns over pages that they fit, each page with the columns of
// lead first. A group that fits no page has one to itself.
func pages(lead []int, groups [][]int, fits func(columns []int) bool) [][]int {
	out := [][]int{lead}
	for _, group := range groups {
		last := &out[len(out)-1]
		if more := slices.Concat(*last, group); len(*last) == len(lead) || fits(more) {
			*last = more
		} else {
			out = append(out, slices.Concat(lead, group))
		}
	}
	return out
}

// span returns the indices of the half-open interval [first, after).
func span(first, after int) (columns []int) {
	for c := first; c < after; c++ {
		columns = append(columns, c)
	}
	return columns
}

// lead returns the first column and the text columns after it that together identify every
// row; none if the rows need no names.
func (t *Table) lead() (lead []int) {
	rows := slices.DeleteFunc(slices.Clone(t.Rows), func(row []Cell) bool { return len(row) == 0 })
	if len(rows) < 2 {
		return nil
	}
	for c := range t.Columns {
		if c > 0 && (t.Columns[c].Right || t.Columns[c].Bars) {
			break
		}
		lead = append(lead, c)
		seen := map[string]bool{}
		for _, row := range rows {
			var about []string
			for _, cell := range row[:c+1] {
				about = append(about, cell.Text)
			}
			seen[strings.Join(about, "\x00")] = true
		}
		if len(seen) == len(rows) {
			break
		}
	}
	return lead
}

// together returns the number of columns, column c first, that stay in one part: a column whose
// title is repeated belongs to the column before it.
func (t *Table) together(c int) int {
	n := 1
	for c+n < len(t.Columns) && t.repeated(c+n) {
		n++
	}
	return n
}

// repeated reports whether another column has the same title.
func (t *Table) repeated(c int) bool {
	for i := range t.Columns {
		if i != c && t.Columns[c].Title != "" && t.Columns[i].Title == t.Columns[c].Title {
			return true
		}
	}
	return false
}

func pickWidths(widths, columns []int) []int {
	out := make([]int, len(columns))
	for i, c := range columns {
		out[i] = widths[c]
	}
	return out
}

// width returns the width of a line with columns of these widths.
func (t *Table) width(widths []int) int {
	total := len(t.gap()) * max(0, len(widths)-1)
	if t.Indented {
		total += len(indent)
	}
	for _, n := range widths {
		total += n
	}
	return total
}

// narrowed returns the table with long texts on several lines: a cell of a text column takes
// at most half of the width.
func (t *Table) narrowed(width int) *Table {
	out := *t
	out.Rows = nil
	for _, row := range t.Rows {
		lines := [][]Cell{row}
		for c := range row {
			if t.Columns[c].Right || t.Columns[c].Bars {
				continue
			}
			for i, text := range linesOf(parted(row[c].Text, width/2), width/2) {
				if i == 0 {
					lines[0] = slices.Clone(lines[0])
				} else if i == len(lines) {
					lines = append(lines, make([]Cell, len(row)))
				}
				lines[i][c] = row[c]
				lines[i][c].Text, lines[i][c].Bold = text, row[c].Bold && i == 0
			}
		}
		out.Rows = append(out.Rows, lines...)
	}
	return &out
}

// parted returns a text in which words longer than width, such as lists of values, have
// blanks after | and commas.
func parted(text string, width int) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if utf8.RuneCountInString(word) > width {
			words[i] = strings.NewReplacer("|", "| ", ",", ", ").Replace(word)
		}
	}
	return strings.Join(words, " ")
}

// linesOf wraps a text at the given width, between words; longer words are not cut. Leading
// blanks indent every line.
func linesOf(text string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(text) <= width || strings.Contains(text, "\n") {
		return []string{text}
	}
	before := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var lines []string
	line := before
	for word := range strings.SplitSeq(text[len(before):], " ") {
		switch {
		case line == before:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = before + word
		}
	}
	return append(lines, line)
}
