package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the table as GitHub's flavour has it; rules are left out.
func (t *Table) Markdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	if t.Title != "" {
		fmt.Fprintf(out, "%s\n\n", markdown.Replace(t.Title))
	}
	heads := make([]Cell, len(t.Columns))
	marks := make([]string, len(t.Columns))
	for c := range t.Columns {
		heads[c].Text = t.Columns[c].Title
		marks[c] = "---"
		if t.Columns[c].Right {
			marks[c] = "---:"
		}
	}
	markdownRow(out, heads)
	fmt.Fprintf(out, "| %s |\n", strings.Join(marks, " | "))
	for _, row := range t.Rows {
		if len(row) > 0 {
			markdownRow(out, row)
		}
	}
	for _, note := range t.Notes {
		fmt.Fprintf(out, "\n%s\n", markdown.Replace(note))
	}
	return out.Flush()
}

// markdown escapes what would be markup.
var markdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "\n", " ", "\r", " ")

func markdownRow(out io.Writer, row []Cell) {
	for _, c := range row {
		text := markdown.Replace(c.Text)
		if c.Bold || c.Alarm {
			text = "**" + text + "**"
		}
		fmt.Fprintf(out, "| %s ", text)
	}
	fmt.Fprintln(out, "|")
}
