package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// LaTeX writes the table as a tabular environment with its title as the
// caption. It needs no package.
func (t *Table) LaTeX(w io.Writer) error {
	out := bufio.NewWriter(w)
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
		fmt.Fprintf(out, "\\par\\smallskip\\footnotesize %s\n", escapeLaTeX(note))
	}
	fmt.Fprintln(out, `\end{table*}`)
	return out.Flush()
}

// latex replaces the characters that mean something to LaTeX, and the few
// others that reports use.
var latex = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `#`, `\#`, `$`, `\$`, `%`, `\%`, `&`, `\&`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`,
	`±`, `$\pm$`, `≤`, `$\leq$`, `≥`, `$\geq$`, `ε`, `$\varepsilon$`, `×`, `$\times$`, `−`, `$-$`, `–`, `--`, `·`, `$\cdot$`, `→`, `$\rightarrow$`,
)

func escapeLaTeX(text string) string { return latex.Replace(text) }
