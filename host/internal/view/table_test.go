package view

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() *Table {
	return &Table{
		Title:   "Arms & their 100 % _cells_",
		Columns: []Column{{Title: "model"}, {Title: "#ID", Right: true}},
		Groups:  []Group{{"", 1}, {"z3", 1}},
		Rows: [][]Cell{
			{{Text: "AC-1"}, {Text: "1.0 ± 0.5", Bold: true}},
			nil,
			{{Text: `a "b", c\d`}, {Text: "N/A", Alarm: true}},
		},
		Notes: []string{"ε ≤ 0.05"},
	}
}

func TestTerminal(t *testing.T) {
	var b strings.Builder
	if err := Of(sample()).Write(&b, Text, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `Arms & their 100 % _cells_
model              #ID
──────────────────────
AC-1        1.0 ± 0.5*
──────────────────────
a "b", c\d         N/A
ε ≤ 0.05
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// Colours change nothing but colours.
func TestColour(t *testing.T) {
	var without, with strings.Builder
	if err := Of(sample()).Write(&without, Text, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := Of(sample()).Write(&with, Text, Options{Colour: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(with.String(), "\x1b[31mN/A\x1b[0m") {
		t.Errorf("the alarm is not red: %q", with.String())
	}
	bare := strings.NewReplacer("\x1b[31m", "", "\x1b[1m", "", "\x1b[0m", "").Replace(with.String())
	if d := cmp.Diff(without.String(), bare); d != "" {
		t.Error(d)
	}
}

func TestCSV(t *testing.T) {
	var b strings.Builder
	if err := Of(sample()).Write(&b, CSV, Options{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"model", "#ID"}, {"AC-1", "1.0 ± 0.5"}, {`a "b", c\d`, "N/A"}}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}

func TestLaTeX(t *testing.T) {
	var b strings.Builder
	if err := Of(sample()).Write(&b, LaTeX, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `% needs \usepackage{booktabs}
\begin{table}
\centering\footnotesize\setlength{\tabcolsep}{4pt}
\caption{Arms \& their 100 \% \_cells\_}
\label{tab:arms-their-100-cells}
\vspace{3pt}
\begin{tabular}{lr}
\toprule
\multicolumn{1}{c}{} & \multicolumn{1}{c}{z3} \\
\cmidrule(lr){2-2}
model & \#ID \\
\midrule
AC-1 & \textbf{1.0 $\pm$ 0.5} \\
\midrule
a "b", c\textbackslash{}d & N/A \\
\bottomrule
\end{tabular}
\begin{flushleft}
$\varepsilon$ $\leq$ 0.05\par
\end{flushleft}
\end{table}
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// large is a table of some groups of three columns each, and of lines in blocks of four.
func large(groups, blocks int) *Table {
	t := &Table{Title: "Arms [side by side]", Columns: []Column{{Title: "DNN"}}, Groups: []Group{{"", 1}}, Notes: []string{"a -- note"}}
	for g := range groups {
		t.Groups = append(t.Groups, Group{fmt.Sprintf("arm_%d", g), 3})
		for k := range 3 {
			t.Columns = append(t.Columns, Column{Title: fmt.Sprintf("m%d.%d", g, k), Right: true})
		}
	}
	for b := range blocks {
		if b > 0 {
			t.Rows = append(t.Rows, nil)
		}
		for i := range 4 {
			row := Texts(fmt.Sprintf("[%d.%d]", b, i))
			for c := range t.Columns[1:] {
				row = append(row, Cell{Text: fmt.Sprintf("%d|%d|%d", b, i, c)})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// A table too wide or too long for a page comes in parts that have every cell once: the
// first column is in all of them, and arms and networks stay whole.
func TestLaTeXOfLargeTables(t *testing.T) {
	for _, c := range []struct{ groups, blocks, parts int }{{2, 2, 1}, {9, 2, 2}, {2, 20, 2}, {9, 20, 6}, {1, 1, 1}} {
		table := large(c.groups, c.blocks)
		var b strings.Builder
		if err := Of(table, table).Write(&b, LaTeX, Options{}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if n := strings.Count(text, `\begin{table`); n != 2*c.parts || strings.Count(text, `\end{table`) != n || strings.Count(text, `a -{}- note\par`) != 2 {
			t.Fatalf("%+v: %d parts\n%.500s", c, n, text)
		}
		labels := map[string]bool{}
		for i, float := range strings.Split(text, `\end{table`)[:2*c.parts] {
			_, label, _ := strings.Cut(float, `\label{`)
			label, _, _ = strings.Cut(label, "}")
			if !strings.HasPrefix(label, "tab:arms-side-by-side") || labels[label] {
				t.Errorf("%+v: label %q", c, label)
			}
			labels[label] = true
			caption := `\caption{Arms {[}side by side]}`
			if c.parts > 1 {
				caption = fmt.Sprintf(`\caption{Arms {[}side by side] (%d of %d)}`, i%c.parts+1, c.parts)
			}
			_, spec, _ := strings.Cut(float, `\begin{tabular}{l`)
			columns := 1 + len(spec[:strings.Index(spec, "}")])
			_, body, _ := strings.Cut(float, `\toprule`)
			body, _, _ = strings.Cut(body, `\bottomrule`)
			width := 0
			for line := range strings.Lines(body) {
				if strings.Contains(line, `\multicolumn`) {
					if n := strings.Count(line, `\multicolumn{3}{c}{arm\_`); columns != 1+3*n {
						t.Errorf("%+v: %d columns below %s", c, columns, line)
					}
				} else if n := strings.Count(line, "&"); n > 0 && n+1 != columns {
					t.Errorf("%+v: %d columns, and %s", c, columns, line)
				} else {
					width = max(width, len(strings.NewReplacer(`\textbar{}`, "|", ` \\`, "", "{[}", "[", " & ", "  ").Replace(line)))
				}
			}
			if !strings.Contains(float, caption) || width > latexSizes[1].page || strings.Contains(body, "\\midrule\n\\midrule") || strings.HasSuffix(body, "\\midrule\n") {
				t.Errorf("%+v, part %d: %d wide:\n%.500s", c, i, width, float)
			}
		}
		for _, row := range table.Rows {
			for _, cell := range row[min(1, len(row)):] {
				if n := strings.Count(text, " & "+escapeLaTeX(cell.Text)+" "); n != 2 {
					t.Errorf("%+v: %s stands there %d times", c, cell.Text, n)
				}
			}
		}
	}
	// A column that is as wide as a page has one to itself.
	wide := &Table{Columns: Columns("key", strings.Repeat("x", 200), "b", strings.Repeat("y", 200))}
	if parts := wide.parts(latexSizes[0]); len(parts) != 3 || parts[1].Columns[0].Title != "key" || parts[1].Columns[1].Title != "b" {
		t.Errorf("%+v", parts)
	}
}

// What means something to LaTeX, in a text, a title or a cell that begins a line, does not.
func TestLaTeXEscapes(t *testing.T) {
	for text, want := range map[string]string{
		`a_b^c~d\e`: `a\_b\textasciicircum{}c\textasciitilde{}d\textbackslash{}e`, `{x} # $5 & 7 %`: `\{x\} \# \$5 \& 7 \%`,
		"[1, 2] * x": "{[}1, 2] {*} x", "--fresh": "-{}-fresh", "p < 0.05 > |q|": `p \textless{} 0.05 \textgreater{} \textbar{}q\textbar{}`,
		"χ² ≤ 2² … 5 – 6 → ε·δ": `$\chi^2$ $\leq$ 2$^2$ \ldots{} 5 -- 6 $\rightarrow$ $\varepsilon$$\cdot$$\delta$`, "«a»\nb": "``a'' b",
	} {
		if got := escapeLaTeX(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
