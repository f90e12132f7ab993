package view

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Of(sample()).Write(&b, Markdown, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `Arms & their 100 % \_cells\_

| model | #ID |
| --- | ---: |
| AC-1 | **1.0 ± 0.5** |
| a "b", c\\d | **N/A** |

ε ≤ 0.05
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// A cell cannot end its column or row.
func TestMarkdownCellsStayCells(t *testing.T) {
	table := &Table{Columns: []Column{{Title: "a|b"}, {Title: "c"}}, Rows: [][]Cell{Texts("x\ny", "|`*[")}}
	var b strings.Builder
	if err := Of(table).Write(&b, Markdown, Options{}); err != nil {
		t.Fatal(err)
	}
	want := "| a\\|b | c |\n| --- | --- |\n| x y | \\|\\`\\*\\[ |\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
