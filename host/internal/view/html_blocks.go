package view

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// pageMaker renders blocks until its room, in bytes, is used up.
type pageMaker struct{ room int }

// blocks converts blocks for the template; those that show nothing become nil. Long tables
// get the room that the other blocks leave.
func blocks(list []Block) []*block {
	m, out := &pageMaker{room: roomForBlocks}, make([]*block, len(list))
	for _, long := range []bool{false, true} {
		for i, b := range list {
			b, _, _ = bare(b)
			if t, ok := b.(*Table); (ok && len(t.Rows) > manyRows) != long {
				continue
			}
			if made, ok := m.block(b); ok {
				out[i] = &made
			}
		}
	}
	return out
}

// block converts a block for the template; ok is false if it shows nothing.
func (m *pageMaker) block(b Block) (out block, ok bool) {
	switch b := b.(type) {
	case *Lead:
		out.Lead = b.plain()
		return out, true
	case Paragraph:
		out.Lines = plainLines(b)
	case Warning:
		out.Lines, out.Warning = plainLines(b), true
	case *List:
		out.List = &List{Title: plainLine(b.Title), Items: plainLines(b.Items)}
		return out, len(out.List.Items) > 0
	case *Facts:
		out.Table = m.table(b.table(), true)
	case *Table:
		out.Table = m.table(b.withoutBars(), false)
	case *Tree:
		out.Tree = m.tree(b)
		return out, true
	case *Figure:
		out.Figure = m.figure(b)
		return out, true
	}
	return out, len(out.Lines) > 0 || out.Table != nil && out.Table.Rows > 0
}

// cellBytes estimates the bytes of a cell's markup.
const cellBytes = 12

// table renders a table with the rows that fit into the room. Facts have names instead of
// column heads.
func (m *pageMaker) table(t *Table, facts bool) *htmlTable {
	out := &htmlTable{Title: plainLine(t.Title), Plain: t.Plain || facts, Wide: len(t.Columns) >= manyColumns, Bodies: [][][]htmlCell{nil}}
	if !facts && t.headed() {
		for c, head := range t.heads() {
			out.Heads = append(out.Heads, t.cell(&head, c, "col"))
		}
	}
	left := 0
	for _, row := range t.Rows {
		if len(row) == 0 {
			out.Bodies = append(out.Bodies, nil)
			continue
		}
		line := make([]htmlCell, len(row))
		size := 0
		for c := range row {
			scope := ""
			if c == 0 && !t.Columns[0].Right {
				scope = "row"
			}
			line[c] = t.cell(&row[c], c, scope)
			size += len(template.HTMLEscapeString(line[c].Text)) + cellBytes
		}
		if m.room < size {
			left++
			continue
		}
		m.room -= size
		last := &out.Bodies[len(out.Bodies)-1]
		*last = append(*last, line)
		out.Rows++
	}
	out.Bodies = slices.DeleteFunc(out.Bodies, func(rows [][]htmlCell) bool { return len(rows) == 0 })
	if left > 0 {
		out.LeftOut = fmt.Sprintf("%s more rows have no room in this page; --json has them.", Count(left))
	}
	for _, note := range t.Notes {
		out.Notes = append(out.Notes, plainLines([]string{strings.ReplaceAll(note, BoldMark, "bold:")})...)
	}
	out.Folded = out.Rows > manyRows
	return out
}

// cell converts a cell of a column; an empty cell is not a heading.
func (t *Table) cell(c *Cell, column int, scope string) htmlCell {
	out := htmlCell{Text: strings.TrimSpace(plainLine(c.Text)), Scope: scope, Right: t.Columns[column].Right, Bold: c.Bold, Alarm: c.Alarm}
	if out.Text == "" {
		out.Scope = ""
	}
	return out
}

// draw draws a picture for pages of each width, while room is left.
func (m *pageMaker) draw(p Picture) (out drawings) {
	out.Page = m.svg(p, width)
	if out.Page == "" {
		return out
	}
	out.Narrow = m.svg(p, narrow)
	if f, ok := p.(*Figure); ok && f.Full {
		out.Full = m.svg(p, full)
	}
	return out
}

// svg is a drawing of this width; empty if there is no room for it.
func (m *pageMaker) svg(p Picture, width vg.Length) template.HTML {
	var b bytes.Buffer
	if err := p.write(&b, SVG, sheet{width, true}); err != nil || b.Len() > m.room {
		return ""
	}
	m.room -= b.Len()
	return template.HTML(b.String()) // made by this package, which escapes names
}

func (m *pageMaker) figure(f *Figure) *htmlFigure {
	out := &htmlFigure{drawings: m.draw(f), Title: plainLine(f.Title), Caption: plainLine(f.Caption), Of: plainLine(f.Y.Label)}
	if numbers := m.table(f.numbers(), false); numbers.Rows > 0 {
		numbers.Folded, numbers.Title = false, "" // the figure has the title, and folds the table
		out.Numbers = numbers
	}
	return out
}

func (m *pageMaker) tree(t *Tree) *htmlTree {
	var text strings.Builder
	t.Root.text(&text, "", "", 0)
	out := &htmlTree{drawings: m.draw(t), Title: plainLine(t.title()), Folded: t.fold().said(), Text: text.String()}
	if out.Text = Steerless(out.Text); len(out.Text) > m.room {
		out.Text = strings.ToValidUTF8(out.Text[:max(0, m.room)], "") + "\n…" // without the half of a character
	}
	m.room -= len(out.Text)
	return out
}
