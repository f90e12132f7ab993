package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown is the format of issues and READMEs.
const Markdown = "markdown"

func init() { formats[Markdown] = writeMarkdown }

// writeMarkdown writes GitHub's flavour, without rules and figures. A tree becomes a code
// block.
func writeMarkdown(w io.Writer, d *Document, _ Options) error {
	out := bufio.NewWriter(w)
	for i, b := range d.Blocks {
		b, _, _ = bare(b)
		if _, ok := b.(*Figure); ok {
			continue
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		switch b := b.(type) {
		case Heading:
			fmt.Fprintf(out, "## %s\n", markdown.Replace(string(b)))
		case Paragraph:
			markdownLines(out, "", "", b)
		case Warning:
			markdownLines(out, "**", "**", b)
		case *List:
			markdownTitle(out, b.Title)
			markdownLines(out, "- ", "", b.Items)
		case *Facts:
			b.table().markdown(out)
		case *Table:
			b.withoutBars().markdown(out)
		case *Tree:
			markdownTitle(out, b.Title)
			fmt.Fprintln(out, "```")
			b.Root.text(out, "", "", 0)
			fmt.Fprintln(out, "```")
		}
	}
	return out.Flush()
}

func markdownTitle(out io.Writer, text string) {
	if text != "" {
		fmt.Fprintf(out, "%s\n\n", markdown.Replace(text))
	}
}

func markdownLines(out io.Writer, before, after string, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(out, "%s%s%s\n", before, markdown.Replace(strings.TrimSpace(text)), after)
	}
}

func (t *Table) markdown(out io.Writer) {
	markdownTitle(out, t.Title)
	marks := make([]string, len(t.Columns))
	for c := range t.Columns {
		marks[c] = "---"
		if t.Columns[c].Right {
			marks[c] = "---:"
		}
	}
	markdownRow(out, t.heads())
	fmt.Fprintf(out, "| %s |\n", strings.Join(marks, " | "))
	for _, row := range t.Rows {
		if len(row) > 0 {
			markdownRow(out, row)
		}
	}
	for _, note := range t.Notes {
		fmt.Fprintf(out, "\n%s\n", strings.ReplaceAll(markdown.Replace(note), BoldMark, "**bold**:"))
	}
}

// markdown escapes the characters of markup.
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
