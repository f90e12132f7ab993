package view

import (
	"strings"
	"testing"
)

// A name with commands to a terminal, or with marks of direction, steers nothing, whichever block it stands in.
func TestTextSteersNothing(t *testing.T) {
	const name = "a\x1b[31mb\u202ec\rd\x07e"
	d := &Document{}
	d.Add(Heading(name), Paragraph{name + "\nnext"}, Warning{name}, &List{Title: name, Items: []string{name}},
		&Facts{Title: name, Rows: []Fact{{Name: name, Values: []string{name}}}},
		&Table{Title: name, Columns: []Column{{Title: name}}, Rows: [][]Cell{{{Text: name, Bold: true}}}, Notes: []string{name}},
		&Tree{Title: name, Root: Node{Head: name, Branches: []Branch{{Answer: name, Node: Node{Head: name}}}}})
	var out strings.Builder
	if err := d.Write(&out, Text, Options{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u202e\r\x07") {
		t.Errorf("%q", out.String())
	}
	const shown = "a\uFFFD[31mb\uFFFDc\uFFFDd\uFFFDe"
	if n := strings.Count(out.String(), shown); n != 16 {
		t.Errorf("%d times, want 16: %s", n, out.String())
	}
}
