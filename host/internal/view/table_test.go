package view

import (
	"encoding/csv"
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
	want := `\begin{table*}
\centering
\caption{Arms \& their 100 \% \_cells\_}
\begin{tabular}{|l|r|}
\hline
\multicolumn{1}{|c|}{} & \multicolumn{1}{c|}{z3} \\ \hline
model & \#ID \\ \hline
AC-1 & \textbf{1.0 $\pm$ 0.5} \\
\hline
a "b", c\textbackslash{}d & N/A \\
\hline
\end{tabular}
\par\smallskip\footnotesize $\varepsilon$ $\leq$ 0.05
\end{table*}
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
