package view

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LaTeX is the format of papers.
const LaTeX = "latex"

func init() { formats[LaTeX] = writeLaTeX }

// latexSize is a font size and what fits a page in it: the characters of a line of a page and of
// one of two columns, and the lines. Columns of a table are latexGap blanks apart, 4 pt on either side.
type latexSize struct {
	name               string
	page, column, long int
}

const latexGap = 2

// latexSizes are the font sizes of tables, the preferred one first.
var latexSizes = []latexSize{{"footnotesize", 115, 56, 55}, {"scriptsize", 128, 62, 65}}

// latexSize returns the first size in which the table fits a page, or the last one.
func (t *Table) latexSize() latexSize {
	width := t.latexWidth()
	for _, size := range latexSizes {
		if width <= size.page && len(t.Rows) <= size.long {
			return size
		}
	}
	return latexSizes[len(latexSizes)-1]
}

// latexWidth is the width of the table in characters, gaps included.
func (t *Table) latexWidth() (width int) {
	for _, n := range t.latexWidths() {
		width += n + latexGap
	}
	return width
}

// FitsPage reports whether LaTeX writes the table in one part.
func (t *Table) FitsPage() bool { return len(t.parts(t.latexSize())) == 1 }

// latexText writes LaTeX. It needs the package booktabs.
type latexText struct {
	io.Writer
	// labels counts tables by their label.
	labels map[string]int
}

// writeLaTeX writes tables and facts as floats with captions and labels, and a tree as in
// a terminal. It leaves figures out.
func writeLaTeX(w io.Writer, d *Document, _ Options) error {
	to := bufio.NewWriter(w)
	out := latexText{to, map[string]int{}}
	for _, b := range d.Blocks {
		b, _, aside := bare(b)
		switch b := b.(type) {
		case Heading:
			fmt.Fprintf(out, "\\section*{%s}\n\n", escapeLaTeX(string(b)))
		case Paragraph:
			latexTexts(out, b, aside)
		case Warning:
			latexTexts(out, b, aside)
		case *List:
			if b.Title != "" {
				latexTexts(out, []string{b.Title}, false)
			}
			fmt.Fprintln(out, `\begin{itemize}`)
			for _, item := range b.Items {
				fmt.Fprintf(out, "\\item %s\n", escapeLaTeX(item))
			}
			fmt.Fprintln(out, `\end{itemize}`)
		case *Facts:
			out.tables(b.table())
		case *Table:
			if aside {
				continue
			}
			if b.Paper != nil {
				b = b.Paper
			}
			out.tables(b.withoutBars())
		case *Tree:
			if b.Title != "" {
				latexTexts(out, []string{b.Title}, false)
			}
			var text strings.Builder
			b.Root.text(&text, "", "", 0)
			fmt.Fprintf(out, "\\begin{verbatim}\n%s\\end{verbatim}\n", verbatim.Replace(text.String()))
		}
	}
	return to.Flush()
}

// latexTexts writes texts, as comments if aside is set.
func latexTexts(out io.Writer, texts []string, aside bool) {
	for _, text := range texts {
		if aside {
			fmt.Fprintf(out, "%% %s\n", OneLine(text))
		} else {
			fmt.Fprintf(out, "%s\n", escapeLaTeX(text))
		}
	}
	if len(texts) > 0 && !aside {
		fmt.Fprintln(out)
	}
}

// tables writes a table, in parts if it is too large for a page.
func (out latexText) tables(t *Table) {
	if len(out.labels) == 0 {
		out.labels[""]++
		fmt.Fprintln(out, `% needs \usepackage{booktabs}`)
	}
	size := t.latexSize()
	parts := t.parts(size)
	for i, part := range parts {
		if part.Title != "" && len(parts) > 1 {
			part.Title += fmt.Sprintf(" (%d of %d)", i+1, len(parts))
		}
		if part.Notes = nil; i == len(parts)-1 {
			part.Notes = t.Notes
		}
		out.table(part, t.Title, size)
	}
}

// parts divides a table into parts that fit a page and that repeat its first columns, those
// of text. Columns under one head stay together if they fit.
func (t *Table) parts(size latexSize) (out []*Table) {
	var keys []int
	for len(keys) < len(t.Columns) && !t.Columns[len(keys)].Right {
		keys = append(keys, len(keys))
	}
	of, widths := t.groupOf(), t.latexWidths()
	fits := func(columns []int) bool {
		width := 0
		for _, c := range columns {
			width += widths[c] + latexGap
		}
		return width <= size.page
	}
	var groups [][]int
	for c, after := len(keys), 0; c < len(t.Columns); c = after {
		for after = c + 1; after < len(of) && of[after] == of[c]; {
			after++
		}
		each := after - c
		if !fits(slices.Concat(keys, span(c, after))) {
			each = 1
		}
		groups = slices.AppendSeq(groups, slices.Chunk(span(c, after), each))
	}
	wide := pages(keys, groups, fits)
	for from := 0; from < len(t.Rows) || from == 0; {
		after := min(from+size.long, len(t.Rows))
		if after < len(t.Rows) { // preferably at a rule
			for i := after; i > from+size.long/2; i-- {
				if len(t.Rows[i]) == 0 {
					after = i
					break
				}
			}
		}
		long := *t
		long.Rows = t.Rows[from:after]
		for _, columns := range wide {
			out = append(out, long.pick(columns))
		}
		if from = max(after, 1); from < len(t.Rows) && len(t.Rows[from]) == 0 {
			from++
		}
	}
	return out
}

// latexWidths returns the columns' widths in characters; the last column of a group makes
// room for the group's head.
func (t *Table) latexWidths() []int {
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]Cell{t.heads()}, t.Rows...) {
		for c := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c].Text))
		}
	}
	c := -1
	for _, g := range t.Groups {
		c += g.Span
		room := 0
		for _, n := range widths[c+1-g.Span : c+1] {
			room += n + latexGap
		}
		widths[c] += max(0, utf8.RuneCountInString(g.Title)+latexGap-room)
	}
	return widths
}

// label returns a table's label: words of its title, made unique.
func (out latexText) label(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return r > 'z' || !(unicode.IsLetter(r) || unicode.IsDigit(r)) })
	name := "tab:" + strings.Join(words[:min(6, len(words))], "-")
	if out.labels[name]++; out.labels[name] > 1 {
		name += fmt.Sprintf("-%d", out.labels[name])
	}
	return name
}

// table writes a part of a table; title is that of the entire table.
func (out latexText) table(t *Table, title string, size latexSize) {
	float := "table*"
	columns, heads := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for c := range t.Columns {
		columns[c] = "l"
		if t.Columns[c].Right {
			columns[c] = "r"
		}
		heads[c] = escapeLaTeX(t.Columns[c].Title)
	}
	if t.latexWidth() <= size.column {
		float = "table"
	}
	fmt.Fprintf(out, "\\begin{%s}\n\\centering\\%s\\setlength{\\tabcolsep}{4pt}\n", float, size.name)
	if t.Title != "" {
		fmt.Fprintf(out, "\\caption{%s}\n\\label{%s}\n\\vspace{3pt}\n", escapeLaTeX(t.Title), out.label(title))
	}
	fmt.Fprintf(out, "\\begin{tabular}{%s}\n\\toprule\n", strings.Join(columns, ""))
	if len(t.Groups) > 0 {
		var groups, rules []string
		from := 1
		for _, g := range t.Groups {
			groups = append(groups, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, g.Span, escapeLaTeX(g.Title)))
			if g.Title != "" {
				rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, from, from+g.Span-1))
			}
			from += g.Span
		}
		fmt.Fprintf(out, "%s \\\\\n%s\n", strings.Join(groups, " & "), strings.Join(rules, " "))
	}
	if t.headed() {
		fmt.Fprintf(out, "%s \\\\\n\\midrule\n", strings.Join(heads, " & "))
	}
	for _, row := range t.Rows {
		if len(row) == 0 {
			fmt.Fprintln(out, `\midrule`)
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
	fmt.Fprintln(out, "\\bottomrule\n\\end{tabular}")
	if len(t.Notes) > 0 {
		fmt.Fprintln(out, `\begin{flushleft}`)
		for _, note := range t.Notes {
			fmt.Fprintf(out, "%s\\par\n", escapeLaTeX(strings.ReplaceAll(note, BoldMark, "bold:")))
		}
		fmt.Fprintln(out, `\end{flushleft}`)
	}
	fmt.Fprintf(out, "\\end{%s}\n", float)
}

// latex escapes LaTeX's special characters, and replaces characters that its fonts lack.
var latex = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `#`, `\#`, `$`, `\$`, `%`, `\%`, `&`, `\&`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `[`, `{[}`, `*`, `{*}`, `--`, `-{}-`, "\n", " ",
	`±`, `$\pm$`, `≤`, `$\leq$`, `≥`, `$\geq$`, `×`, `$\times$`, `−`, `$-$`, `∞`, `$\infty$`, `–`, `--`, `·`, `$\cdot$`, `→`, `$\rightarrow$`, `…`, `\ldots{}`,
	`²`, `$^2$`, `⁻`, `$^-$`, `⁰`, `$^0$`, `¹`, `$^1$`, `³`, `$^3$`, `⁴`, `$^4$`, `⁵`, `$^5$`, `⁶`, `$^6$`, `⁷`, `$^7$`, `⁸`, `$^8$`, `⁹`, `$^9$`, `χ²`, `$\chi^2$`, `χ`, `$\chi$`, `ε`, `$\varepsilon$`, `δ`, `$\delta$`, `α`, `$\alpha$`, `σ`, `$\sigma$`, `¼`, `1/4`, `«`, "``", `»`, `''`,
)

func escapeLaTeX(text string) string { return latex.Replace(text) }

// verbatim replaces characters of trees that LaTeX's fonts lack; in verbatim text none is special.
var verbatim = strings.NewReplacer(`├─`, `|-`, `└─`, `|-`, `│`, `|`, `≤`, `<=`, `≥`, `>=`, `…`, `...`, `–`, `-`, `ε`, `epsilon`)
