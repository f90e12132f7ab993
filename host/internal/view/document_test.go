package view

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everything is a document with a block of each kind.
func everything() *Document {
	facts := &Facts{Title: "solver bnb"}
	facts.Add("serves", "a|b")
	facts.Add("", "second\nthird")
	facts.Add("option", "seed=1", "of every choice")
	facts.Add("none found")
	shares := &Table{Plain: true, Columns: []Column{{Width: 10}, {Right: true, Width: 7}, {}}}
	shares.Add("fair", "12.5 %", "proved")
	shares.Add("open", "0 %", "")
	return Of(
		Paragraph{"One_sentence.", "Another."},
		facts,
		Close{Warning{"LOOK"}},
		shares,
		&List{Title: "what to do", Items: []string{"this", "that"}},
		&Figure{Title: "not in texts"},
		&Table{Dense: true, Indented: true, Columns: []Column{{Title: "k", Right: true}, {Title: "n"}, {Bars: true}}, Rows: [][]Cell{Texts("10", "3", "■■"), {{Text: "2", Bold: true}, {Text: "x"}, {}}},
			Notes: []string{BoldMark + " better"}},
		&Tree{Root: Node{Head: "a < 3", Detail: "(7)", Branches: []Branch{{"yes", Node{Head: "HIGH", Detail: "(3)"}}, {"no", Node{Head: "low", Detail: "(4)"}}}}},
		Warning{},
	)
}

func TestFormats(t *testing.T) {
	want := map[string]string{
		Text: `One_sentence.
Another.

solver bnb
  serves  a|b
          second
          third
  option  seed=1  of every choice
  none found
LOOK

fair         12.5 %  proved
open            0 %

what to do
  - this
  - that

   k n
  ───────
  10 3 ■■
  2* x
* better

a < 3?  (7)
├─ yes: HIGH  (3)
└─ no:  low  (4)

`,
		CSV: `name,value,
serves,a|b,
,"second
third",
option,seed=1,of every choice
none found,,

,,
fair,12.5 %,proved
open,0 %,

k,n
10,3
2,x
`,
		Markdown: `One\_sentence.
Another.

solver bnb

| name | value |  |
| --- | --- | --- |
| serves | a\|b |  |
|  | second third |  |
| option | seed=1 | of every choice |
| none found |  |  |

**LOOK**

|  |  |  |
| --- | ---: | --- |
| fair | 12.5 % | proved |
| open | 0 % |  |

what to do

- this
- that

| k | n |
| ---: | --- |
| 10 | 3 |
| **2** | x |

**bold**: better

` + "```" + `
a < 3?  (7)
├─ yes: HIGH  (3)
└─ no:  low  (4)
` + "```" + `

`,
		LaTeX: `One\_sentence.
Another.

% needs \usepackage{booktabs}
\begin{table}
\centering\footnotesize\setlength{\tabcolsep}{4pt}
\caption{solver bnb}
\label{tab:solver-bnb}
\vspace{3pt}
\begin{tabular}{lll}
\toprule
name & value &  \\
\midrule
serves & a\textbar{}b &  \\
 & second third &  \\
option & seed=1 & of every choice \\
none found &  &  \\
\bottomrule
\end{tabular}
\end{table}
LOOK

\begin{table}
\centering\footnotesize\setlength{\tabcolsep}{4pt}
\begin{tabular}{lrl}
\toprule
fair & 12.5 \% & proved \\
open & 0 \% &  \\
\bottomrule
\end{tabular}
\end{table}
what to do

\begin{itemize}
\item this
\item that
\end{itemize}
\begin{table}
\centering\footnotesize\setlength{\tabcolsep}{4pt}
\begin{tabular}{rl}
\toprule
k & n \\
\midrule
10 & 3 \\
\textbf{2} & x \\
\bottomrule
\end{tabular}
\begin{flushleft}
bold: better\par
\end{flushleft}
\end{table}
\begin{verbatim}
a < 3?  (7)
|- yes: HIGH  (3)
|- no:  low  (4)
\end{verbatim}
`,
	}
	if formats := Formats(); formats[0] != Text || !slices.IsSorted(formats[1:]) {
		t.Errorf("formats %v", formats)
	}
	for format, want := range want {
		var b strings.Builder
		if err := everything().Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Errorf("%s: %s", format, d)
		}
	}
	if err := Of().Write(nil, "none", Options{}); err == nil || !strings.Contains(err.Error(), "want table, csv") {
		t.Errorf("an unknown format: %v", err)
	}
}

// What is for programs stands in for what is for people.
func TestData(t *testing.T) {
	d := everything()
	d.Data = &Table{Columns: Columns("measure", "value"), Rows: [][]Cell{Texts("share", "0.125")}}
	var b strings.Builder
	if err := d.Write(&b, CSV, Options{}); err != nil || b.String() != "measure,value\nshare,0.125\n" {
		t.Errorf("%v\n%s", err, &b)
	}
}
