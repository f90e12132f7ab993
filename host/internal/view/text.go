package view

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

// Text is the format of terminals.
const Text = "table"

func init() { formats[Text] = writeText }

// Escape sequences of ECMA-48.
const (
	red   = "\x1b[31m"
	bold  = "\x1b[1m"
	plain = "\x1b[0m"
)

const indent = "  "

// writeText writes blocks, separated by empty lines, without figures.
func writeText(w io.Writer, d *Document, o Options) error {
	out := bufio.NewWriter(w)
	first := true
	for _, b := range d.Blocks {
		b, close, _ := bare(b)
		if _, ok := b.(*Figure); ok {
			continue
		}
		if !first && !close {
			fmt.Fprintln(out)
		}
		first = false
		switch b := b.(type) {
		case Heading:
			fmt.Fprintf(out, "%s\n%s\n", coloured(Steerless(string(b)), bold, o), strings.Repeat("═", utf8.RuneCountInString(string(b))))
		case Paragraph:
			lines(out, "", b, o)
		case Warning:
			for _, text := range b {
				for _, line := range linesOf(Steerless(text), o.Width) {
					fmt.Fprintln(out, coloured(line, red, o))
				}
			}
		case *List:
			title(out, b.Title, o)
			lines(out, indent+"- ", b.Items, o)
		case *Facts:
			b.text(out, o)
		case *Table:
			for i, part := range b.fitted(o.Width) {
				if i > 0 {
					fmt.Fprintln(out)
				}
				part.text(out, o)
			}
		case *Tree:
			title(out, b.Title, o)
			var drawn strings.Builder
			b.Root.text(&drawn, "", "", o.Width)
			out.WriteString(Steerless(drawn.String()))
		}
	}
	return out.Flush()
}

// lines writes texts, each with the mark before its first line.
func lines(out io.Writer, mark string, texts []string, o Options) {
	for _, text := range texts {
		before := mark
		for _, line := range linesOf(Steerless(text), max(0, o.Width-len(mark))) {
			fmt.Fprintln(out, before+line)
			before = strings.Repeat(" ", len(mark))
		}
	}
}

// FirstLine returns the part of a long message that fits a line.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func title(out io.Writer, text string, o Options) {
	if text != "" {
		lines(out, "", []string{text}, o)
	}
}

// Steerless returns a text of several lines without control characters: marks of direction
// in a name would reverse the text around it, and a terminal would run escape sequences.
func Steerless(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// OneLine is Steerless for a text within a line.
func OneLine(text string) string {
	return strings.NewReplacer("\n", "\uFFFD", "\t", "\uFFFD", "\u2028", "\uFFFD", "\u2029", "\uFFFD").Replace(Steerless(text))
}

func coloured(text, sequence string, o Options) string {
	if o.Colour {
		return sequence + text + plain
	}
	return text
}

// text writes the facts with their values aligned; a single value is wrapped.
func (f *Facts) text(out io.Writer, o Options) {
	title(out, f.Title, o)
	before := ""
	if f.Indented || f.Title != "" {
		before = indent
	}
	names := 0
	for _, fact := range f.Rows {
		names = max(names, utf8.RuneCountInString(before+fact.Name+"  "))
	}
	var aligned bytes.Buffer
	t := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, fact := range f.Rows {
		cells := append([]string{before + fact.Name}, fact.Values...)
		if len(cells) == 2 && o.Width > 0 {
			cells[1] = strings.Join(linesOf(cells[1], max(o.Width, leastWidth)-names), "\n")
		}
		next := "\n" + before + strings.Repeat("\t", len(fact.Values))
		fmt.Fprintln(t, strings.ReplaceAll(strings.Join(cells, "\t"), "\n", next))
	}
	t.Flush() // writes to a buffer
	for line := range strings.Lines(Steerless(aligned.String())) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
}

// text writes the table with aligned columns.
func (t *Table) text(out io.Writer, o Options) {
	title(out, t.Title, o)
	heads := t.heads()
	before, gap := "", t.gap()
	if t.Indented {
		before = indent
	}
	widths := t.widths(heads)
	rule := before + strings.Repeat("─", t.width(widths)-len(before))
	line := func(row []Cell, o Options) {
		cells := make([]string, len(row))
		for c := range row {
			cells[c] = t.aligned(&row[c], c, widths[c], o)
		}
		fmt.Fprintln(out, strings.TrimRight(before+strings.Join(cells, gap), " "))
	}
	if !t.Plain || t.headed() {
		line(heads, Options{})
	}
	if !t.Plain {
		fmt.Fprintln(out, rule)
	}
	for _, row := range t.Rows {
		if len(row) == 0 {
			fmt.Fprintln(out, rule)
			continue
		}
		line(row, o)
	}
	for _, note := range t.Notes {
		lines(out, "", []string{strings.ReplaceAll(note, BoldMark, "*")}, o)
	}
}

// gap returns what separates columns.
func (t *Table) gap() string {
	if t.Dense {
		return " "
	}
	return "  "
}

// shown returns a cell's text in a terminal.
func (c *Cell) shown() string {
	text := Steerless(c.Text)
	if c.Bold {
		text += "*"
	}
	return text
}

func (t *Table) widths(heads []Cell) []int {
	widths := make([]int, len(t.Columns))
	for c := range t.Columns {
		widths[c] = t.Columns[c].Width
	}
	for _, row := range append([][]Cell{heads}, t.Rows...) {
		for c := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c].shown()))
		}
	}
	return widths
}

// aligned returns a cell's text, padded to the width of its column.
func (t *Table) aligned(cell *Cell, column, width int, o Options) string {
	text := cell.shown()
	pad := strings.Repeat(" ", width-utf8.RuneCountInString(text))
	switch {
	case cell.Alarm:
		text = coloured(text, red, o)
	case cell.Bold:
		text = coloured(text, bold, o)
	}
	if t.Columns[column].Right {
		return pad + text
	}
	return text + pad
}
