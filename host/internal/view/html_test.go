package view

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// pageOf is a document as a page, parsed.
func pageOf(t *testing.T, d *Document, o Options) (text string, root *html.Node) {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b, HTML, o); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), root
}

// elements are those of a name; words are all that is said in one.
func elements(root *html.Node, name string) (out []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			out = append(out, n)
		}
	}
	return out
}

func words(n *html.Node) string {
	var b strings.Builder
	for n := range n.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestPage(t *testing.T) {
	d := everything()
	d.Add(Heading("First"), Paragraph{"in the first"}, figure(), Heading("Second"), Paragraph{"in the second"}, Heading("Third"), Paragraph{"in the third"})
	text, root := pageOf(t, d, Options{Title: "what it is", Made: []string{"by this"}, Result: func(w io.Writer) error {
		_, err := io.WriteString(w, `{"a": "</script><!--&"}`)
		return err
	}})
	if h := elements(root, "h1"); len(h) != 1 || words(h[0]) != "what it is" {
		t.Errorf("%d first heads", len(h))
	}
	var heads []string
	for _, h := range elements(root, "h2") {
		heads = append(heads, words(h))
	}
	if got := strings.Join(heads, ", "); got != "First, Second, Third" || len(elements(elements(root, "nav")[0], "a")) != 3 {
		t.Errorf("parts %s", got)
	}
	// Each drawing comes in two widths, and has its table or text, which a reader without eyes for it takes.
	for _, f := range elements(root, "figure")[1:] { // the first is empty
		if len(elements(f, "svg")) != 2 || len(elements(f, "table"))+len(elements(f, "pre")) != 1 || words(elements(elements(f, "svg")[0], "title")[0]) == "" {
			t.Errorf("a figure says %q", words(f))
		}
	}
	if n := len(elements(root, "figure")); n != 3 {
		t.Errorf("%d figures", n)
	}
	scripts := elements(root, "script")
	if len(scripts) != 1 || attribute(scripts[0], "type") != "application/json" || words(scripts[0]) != `{"a": "\u003c/script\u003e\u003c!--\u0026"}` {
		t.Errorf("scripts: %v", scripts)
	}
	if found := regexp.MustCompile(`(?i)\s(on\w+|style|src|href|xlink:href)="?[^# ]{9}`).FindString(text); found != "" {
		t.Errorf("the page has a handler, a style of its own, or an address: %s", found)
	}
	for _, want := range []string{"default-src 'none'", "style-src 'sha256-"} {
		if policy := attribute(elements(root, "meta")[1], "content"); !strings.Contains(policy, want) {
			t.Errorf("the policy is %s", policy)
		}
	}
	for _, want := range []string{"One_sentence.", "seed=1", "12.5 %", "bold: better", "LOOK", "HIGH", "by this"} {
		if !strings.Contains(words(root), want) {
			t.Errorf("no %q", want)
		}
	}
}

// Names are what they are and do nothing, wherever they stand.
func TestHostilePage(t *testing.T) {
	const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>` + "\u202Eright to left\u2066\u0000\x1b[31m"
	f := figure()
	f.Title, f.Caption, f.X.Label, f.Series[0].Name = evil, evil, evil, evil
	table := &Table{Title: evil, Columns: Columns(evil, evil), Notes: []string{evil}}
	table.Add(evil, evil)
	facts := &Facts{Title: evil}
	facts.Add(evil, evil)
	_, root := pageOf(t, Of(Heading(evil), Paragraph{evil}, Warning{evil}, &List{evil, []string{evil}}, facts, table, f,
		&Tree{Title: evil, Root: Node{Head: evil, Detail: evil, Branches: []Branch{{evil, Node{Head: evil}}, {"no", Node{Head: "low"}}}}}),
		Options{Title: evil, Made: []string{evil}, Result: func(w io.Writer) error { return JSON(w, map[string]string{evil: evil}, "") }})
	if n := len(elements(root, "script")); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if n := len(elements(root, "img")); n != 0 {
		t.Errorf("%d pictures", n)
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s has %s", n.Data, a.Key)
			}
		}
		if n.Type == html.TextNode && n.Parent.Data != "script" && strings.ContainsAny(n.Data, "\u202E\u2066\x00\x1b") {
			t.Errorf("%q turns its surroundings around", n.Data)
		}
	}
}

// A page stays small: what has no room is left out, and said to be.
func TestPageOfMuch(t *testing.T) {
	table := &Table{Title: "much", Columns: Columns("name", "n")}
	for i := range 200_000 {
		table.Add(fmt.Sprintf("category %d <<<<\"\"\"\"", i), "1")
	}
	f := &Figure{Name: "dots", Title: "dots", X: Axis{Max: 1}, Y: Axis{Max: 1}}
	var dots []Point
	for i := range 20_000 {
		dots = append(dots, Point{float64(i) / 20_000, 0.5})
	}
	f.Series = []Series{{Name: "all", Dots: dots}}
	text, root := pageOf(t, Of(f, table), Options{})
	if len(text) > MostHTML {
		t.Errorf("%d bytes", len(text))
	}
	said := words(root)
	for _, want := range []string{"more rows have no room in this page", "There is no room for this drawing"} {
		if !strings.Contains(said, want) {
			t.Errorf("does not say: %s", want)
		}
	}
}

// A drawing of a tree is as wide as a page, says what was folded, and shows the rest.
func TestTreeFitsAPage(t *testing.T) {
	var grow func(depth, n int) Node
	grow = func(depth, n int) Node {
		if depth == 0 {
			return Node{Head: []string{"HIGH", "low"}[n%2], Detail: "(1)", Share: 0.5}
		}
		return Node{Head: fmt.Sprintf("x%d < %d", depth, n), Branches: []Branch{{"yes", grow(depth-1, 2*n)}, {"no", grow(depth-1, 2*n+1)}}}
	}
	alike := grow(3, 0)
	for i := range alike.Branches {
		alike.Branches[i].Node = Node{Head: "HIGH"}
	}
	for _, c := range []struct {
		root        Node
		alike, deep int
	}{{grow(3, 0), 0, 0}, {alike, 2, 0}, {grow(12, 0), 0, 4096}, {Node{Head: "low"}, 0, 0}} {
		tree := &Tree{Root: c.root}
		f := tree.fold()
		if f.alike != c.alike || f.deep != c.deep || f.root.lines() > mostLines {
			t.Errorf("%d alike, %d deep, %d lines", f.alike, f.deep, f.root.lines())
		}
		for _, format := range FigureFormats {
			var b bytes.Buffer
			if err := tree.Write(&b, format); err != nil {
				t.Errorf("%s: %v", format, err)
			}
			if format == SVG && !strings.Contains(b.String(), `width="481.89pt"`) {
				t.Errorf("%.200s", b.String())
			}
		}
	}
}

// Names at the axis have room: where they are too many, some of them stand for all.
func TestNamesSideBySide(t *testing.T) {
	fits := func(columns int) func(string) bool { return func(s string) bool { return len(s) <= 2*columns } }
	for _, c := range []struct{ names, want string }{
		{"a b c", "a b c"}, {"aaa bbb ccc ddd eee", "aaa - ccc - eee"},
	} {
		got := spaced(strings.Fields(c.names), fits)
		for i := range got {
			if got[i] == "" {
				got[i] = "-"
			}
		}
		if s := strings.Join(got, " "); len(got) != len(strings.Fields(c.names)) || s != c.want {
			t.Errorf("%s: %s", c.names, s)
		}
	}
}

func TestBoxes(t *testing.T) {
	f := &Figure{
		Title: "t", X: Axis{Label: "across", Names: []string{"a", "", "c"}, Min: 0.5, Max: 3.5}, Y: Axis{Min: 0.5, Max: 1.5, Names: []string{"only"}},
		Series: []Series{{Name: "none", Boxes: []Box{{Point{0.5, 0.5}, Point{1.5, 1.5}}}}, {Name: "all", Shade: 1, Boxes: []Box{{Point{2.5, 0.5}, Point{3.5, 1.5}}}}},
	}
	texts, _ := svg(t, written(t, f, SVG))
	for _, want := range []string{"a", "c", "only", "none", "all", "across"} {
		if texts[want] == 0 {
			t.Errorf("no %q among %v", want, texts)
		}
	}
	if got := f.numbers().Rows; len(got) != 2 || got[1][0].Text != "all" || got[1][1].Text != "c" || got[1][2].Text != "only" {
		t.Errorf("%v", got)
	}
}

// The numbers of a figure are those that its makers gave, and their heads are words.
func TestNumbersOfAHistogram(t *testing.T) {
	f := Histogram("gap", "t", Axis{Label: "gap"}, Axis{Label: "people"}, GapBins([]float64{0, 0.01, 0.07, 1}))
	var got []string
	for _, row := range f.numbers().Rows {
		got = append(got, row[0].Text+": "+row[1].Text)
	}
	if s := strings.Join(got, ", "); s != "0 to 0.05: 2, 0.05 to 0.1: 1, 0.95 to 1: 1" {
		t.Error(s)
	}
	bars := &Figure{X: Axis{Label: "people"}, Y: Axis{Names: []string{"sex"}}, Series: []Series{{Name: "a", Bars: []Point{{3, 1}}}}}
	if c := bars.numbers().Columns; c[1].Title != "people" || c[2].Title != "" {
		t.Errorf("%+v", c)
	}
}

// A page with 10,000 rows stays below MostHTML, keeps what stands beside them, and says how many
// rows it has no room for and where they are.
func TestPageOfManyRows(t *testing.T) {
	long := &Table{Title: "everybody", Columns: Columns("who", "a", "b", "c", "d", "e", "f", "g", "h", "i")}
	for i := range 10_000 {
		row := []string{fmt.Sprintf("person %d", i)}
		for c := range 9 {
			row = append(row, fmt.Sprintf("%d.%04d", c, i))
		}
		long.Add(row...)
	}
	text, root := pageOf(t, Of(long, Paragraph{"what stands below"}), Options{Title: "many"})
	if len(text) > MostHTML || !strings.Contains(text, "what stands below") {
		t.Errorf("%d bytes", len(text))
	}
	rows := len(elements(root, "tr")) - 1
	if said := fmt.Sprintf("%s more rows have no room in this page; --json has them.", Count(10_000-rows)); rows < 1000 || !strings.Contains(text, said) {
		t.Errorf("%d rows are there, and it does not say %q", rows, said)
	}
}
