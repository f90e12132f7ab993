package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// LaTeX is the format of papers.
const LaTeX = "latex"

func init() { formats[LaTeX] = writeLaTeX }

// writeLaTeX writes tables and facts as tabular environments with their titles as
// captions, a tree as it stands in a terminal, and leaves figures out. The text
// needs no package.
func writeLaTeX(w io.Writer, d *Document, _ Options) error {
	out := bufio.NewWriter(w)
	for _, b := range d.Blocks {
		switch b := bare(b).(type) {
		case Paragraph:
			latexLines(out, b)
		case Warning:
			latexLines(out, b)
		case *List:
			if b.Title != "" {
				latexLines(out, []string{b.Title})
			}
			fmt.Fprintln(out, `\begin{itemize}`)
			for _, item := range b.Items {
				fmt.Fprintf(out, "\\item %s\n", escapeLaTeX(item))
			}
			fmt.Fprintln(out, `\end{itemize}`)
		case *Facts:
			b.table().latex(out)
		case *Table:
			if b.Paper != nil {
				b = b.Paper
			}
			b.withoutBars().latex(out)
		case *Tree:
			if b.Title != "" {
				latexLines(out, []string{b.Title})
			}
			fmt.Fprintln(out, `\begin{verbatim}`)
			b.Root.text(out, "", "")
			fmt.Fprintln(out, `\end{verbatim}`)
		}
	}
	return out.Flush()
}

func latexLines(out io.Writer, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(out, "%s\n", escapeLaTeX(text))
	}
	if len(texts) > 0 {
		fmt.Fprintln(out)
	}
}

func (t *Table) latex(out io.Writer) {
	fmt.Fprintln(out, `\begin{table*}`)
	fmt.Fprintln(out, `\centering`)
	if t.Title != "" {
		fmt.Fprintf(out, "\\caption{%s}\n", escapeLaTeX(t.Title))
	}
	columns := make([]string, len(t.Columns))
	heads := make([]string, len(t.Columns))
	for c := range t.Columns {
		columns[c] = "l"
		if t.Columns[c].Right {
			columns[c] = "r"
		}
		heads[c] = escapeLaTeX(t.Columns[c].Title)
	}
	fmt.Fprintf(out, "\\begin{tabular}{|%s|}\n\\hline\n", strings.Join(columns, "|"))
	if len(t.Groups) > 0 {
		groups := make([]string, len(t.Groups))
		for g := range t.Groups {
			lines := "c|"
			if g == 0 {
				lines = "|c|"
			}
			groups[g] = fmt.Sprintf(`\multicolumn{%d}{%s}{%s}`, t.Groups[g].Span, lines, escapeLaTeX(t.Groups[g].Title))
		}
		fmt.Fprintf(out, "%s \\\\ \\hline\n", strings.Join(groups, " & "))
	}
	fmt.Fprintf(out, "%s \\\\ \\hline\n", strings.Join(heads, " & "))
	for _, row := range t.Rows {
		if len(row) == 0 {
			fmt.Fprintln(out, `\hline`)
			continue
		}
		cells := make([]string, len(row))
		for c := range row {
			cells[c] = escapeLaTeX(row[c].Text)
			if row[c].Bold {
				cells[c] = `\textbf{` + cells[c] + `}`
			}
		}
		fmt.Fprintf(out, "%s \\\\\n", strings.Join(cells, " & "))
	}
	fmt.Fprintln(out, "\\hline\n\\end{tabular}")
	for _, note := range t.Notes {
		fmt.Fprintf(out, "\\par\\smallskip\\footnotesize %s\n", escapeLaTeX(strings.ReplaceAll(note, BoldMark, "bold:")))
	}
	fmt.Fprintln(out, `\end{table*}`)
}

// latex replaces the characters that mean something to LaTeX, and the few
// others that reports use.
var latex = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `#`, `\#`, `$`, `\$`, `%`, `\%`, `&`, `\&`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`,
	`±`, `$\pm$`, `≤`, `$\leq$`, `≥`, `$\geq$`, `ε`, `$\varepsilon$`, `×`, `$\times$`, `−`, `$-$`, `–`, `--`, `·`, `$\cdot$`, `→`, `$\rightarrow$`,
)

func escapeLaTeX(text string) string { return latex.Replace(text) }
