package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// figure is a figure with everything in it.
func figure() *Figure {
	return &Figure{
		Title: "study & model <1>", X: Axis{Label: "time (s)", Min: 0.1, Max: 10, Log: true}, Y: Axis{Label: "share with k ≥ 3", Max: 1.02},
		Series: []Series{
			{Name: "one", Steps: []Point{{0.1, 0}, {0.5, 0.5}, {2, 1}, {10, 1}}, Low: []float64{0, 0.2, 0.8, 1}, High: []float64{0, 0.7, 1, 1}},
			{Name: "two p=0.5", Steps: []Point{{0.1, 0}, {3, 0.25}, {10, 0.25}}},
			{Name: "nobody"},
		},
	}
}

func written(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// svg reads a file's texts, how many paths have each colour, and how many are
// transparent.
func svg(t *testing.T, text []byte) (texts map[string]int, paths map[string]int) {
	t.Helper()
	texts, paths = map[string]int{}, map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, paths
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			if words := strings.TrimSpace(string(token)); words != "" {
				texts[words]++
			}
		case xml.StartElement:
			for _, a := range token.Attr {
				for _, c := range []string{"#0072B2", "#D55E00", "#009E73", "fill-opacity"} {
					if token.Name.Local == "path" && (strings.EqualFold(a.Value, c) || strings.EqualFold(a.Name.Local, c)) {
						paths[c]++
					}
				}
			}
		}
	}
}

func TestSVG(t *testing.T) {
	texts, paths := svg(t, written(t, figure(), SVG))
	for _, want := range []string{"study & model <1>", "time (s)", "share with k ≥ 3", "one", "two p=0.5", "nobody", "0.1", "1", "10", "0.5"} {
		if texts[want] == 0 {
			t.Errorf("no %q among %v", want, texts)
		}
	}
	// A line with marks and an entry of the legend, which is all of who has no data; a band.
	if paths["#0072B2"] < 7 || paths["#D55E00"] < 6 || paths["#009E73"] != 2 || paths["fill-opacity"] != 1 {
		t.Errorf("paths by colour: %v", paths)
	}
}

// Names in any script are distinguishable, even without glyphs in the font.
func TestNamesInAnyScript(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"ε", "δ", "Ж", "中", "文", "☃", "a"} {
		f := figure()
		f.Title, f.Series[1].Name = name, name
		for _, format := range FigureFormats {
			file := string(written(t, f, format))
			if other, known := files[file]; known {
				t.Errorf("%s: %s looks like %s", format, name, other)
			}
			files[file] = name
		}
		if texts, _ := svg(t, written(t, f, SVG)); texts[name] == 0 {
			t.Errorf("%s is not in %v", name, texts)
		}
	}
	if got := drawable("ε 中\n"); got != "ε \\u4E2D\\uFFFD" {
		t.Errorf("%q", got)
	}
}

func TestBars(t *testing.T) {
	f := &Figure{
		Title: "t", X: Axis{Label: "n", Max: 40, Whole: true}, Y: Axis{Min: 0.5, Max: 2.5, Names: []string{"low", "high"}}, Caption: "what to know",
		Series: []Series{{Name: "a", Bars: []Point{{10, 1}, {21, 2}}}, {Name: "b", Bars: []Point{{17, 1}}}, {Name: "c", Bars: []Point{}}},
	}
	texts, _ := svg(t, written(t, f, SVG))
	for _, want := range []string{"0", "10", "20", "40", "17", "21", "a", "b", "c", "low", "high", "what to know"} {
		if texts[want] == 0 {
			t.Errorf("no %q among %v", want, texts)
		}
	}
	// b begins where a ends.
	l := f.layout(Printable, sheet{width: width})
	c := &recorder.Canvas{}
	area := draw.NewCanvas(c, 460, 200)
	p := l.plot(area)
	at := func(x, y float64) vg.Point { return vg.Point{X: vg.Length(10 * x), Y: vg.Length(y)} }
	for i, want := range []vg.Length{0, 100} {
		c.Reset()
		drawn{l, i}.bar(&area, f.Series[i].Bars[0], at)
		if fill := c.Actions[1].(*recorder.Fill); fill.Path[0].Pos.X != want {
			t.Errorf("bar %d begins at %v", i, fill.Path[0].Pos)
		}
	}
	if p.Y.Min != 0.5 || p.Y.Max != 2.5 {
		t.Errorf("%v to %v", p.Y.Min, p.Y.Max)
	}
}

// Equal figures give equal files; a PNG has the size it should have.
func TestFilesAreDeterministic(t *testing.T) {
	for _, format := range FigureFormats {
		if !bytes.Equal(written(t, figure(), format), written(t, figure(), format)) {
			t.Errorf("%s: two drawings differ", format)
		}
	}
	config, err := png.DecodeConfig(bytes.NewReader(written(t, figure(), PNG)))
	if err != nil || config.Width < 900 || config.Height < 500 {
		t.Errorf("%+v, %v", config, err)
	}
	if text := written(t, figure(), PDF); !bytes.HasPrefix(text, []byte("%PDF-")) || !bytes.Contains(text, []byte("/CreationDate (D:19700101000000)")) {
		t.Errorf("%.200s", text)
	}
	if err := figure().Write(io.Discard, "gif"); err == nil {
		t.Error("gif was drawn")
	}
}

// Twelve series are distinguishable in grey, by marks and dashes, and in colour without marks;
// a legend of twelve fits next to the plot.
func TestLinesAreTold(t *testing.T) {
	grey, bare := map[string]bool{}, map[string]bool{}
	f := &Figure{}
	for i := range 12 {
		f.Series = append(f.Series, Series{Name: fmt.Sprintf("number %d", i)})
		look := f.look(i)
		grey[fmt.Sprint(*look.mark)] = true
		bare[fmt.Sprint(look.Color, look.Dashes)] = true
	}
	if len(grey) != 12 || len(bare) != 12 {
		t.Errorf("%d marks, %d lines", len(grey), len(bare))
	}
	f.Series = slices.Repeat(f.Series, 5)
	if l := f.layout(Printable, sheet{width: width}); l.height < vg.Length(len(l.names)*lineHeight) {
		t.Errorf("%v high for %d names", l.height, len(l.names))
	}
	// The same look wherever it stands.
	f.Series[3].Look = 1
	if f.look(3).mark != f.look(0).mark {
		t.Error("look 1 is not that of the first series")
	}
}

// Entries of lines stand at their ends, in their order and apart; of more than seven lines there
// are several panels, each with what belongs to all.
func TestLinesAreLabelled(t *testing.T) {
	f := &Figure{Name: "f", Title: "t", X: Axis{Max: 1}, Y: Axis{Max: 100}, Series: []Series{{Name: "all", Look: Ideal, Steps: []Point{{0, 0}, {1, 100}}}}}
	for i, end := range []float64{10, 90, 89, 0, 1, 50, 20, 30, 40, 60} {
		f.Series = append(f.Series, Series{Name: fmt.Sprint("number ", i), Look: i + 1, Steps: []Point{{0, 0}, {1, end}}})
	}
	panels := f.Panels()
	if len(panels) != 2 || panels[1].Name != "f-2" || panels[0].Title != "t (1 of 2)" || len(panels[0].Series) != 6 || len(panels[1].Series) != 6 || panels[1].Series[0].Name != "all" || panels[1].Series[1].Look != 6 {
		t.Errorf("%+v", panels)
	}
	if short := panels[0].Panels(); len(short) != 1 || short[0] != panels[0] {
		t.Errorf("%+v", short)
	}
	l := panels[0].layout(Printable, sheet{width: width})
	c := draw.NewCanvas(&recorder.Canvas{}, 460, 200)
	places := l.entries(l.plot(c), c)
	order := []int{0, 2, 3, 1, 5, 4} // all, 90, 89, 10, 1, 0
	for i, n := range order[1:] {
		if above := places[order[i]]; above.at-places[n].at < lineHeight-1e-9 || above.end < places[n].end {
			t.Errorf("%d: %+v below %+v", n, places[n], above)
		}
	}
	if last := places[4]; last.at < c.Min.Y || last.at-last.end > 2*lineHeight {
		t.Errorf("%+v", places)
	}
}

// Names that do not fit lose what they have in common, and are different still.
func TestLongNames(t *testing.T) {
	within := func(n int) func(string) bool {
		return func(s string) bool { return utf8.RuneCountInString(s) <= n }
	}
	for _, c := range []struct {
		most        int
		names, want []string
	}{
		{10, []string{"rw", "sa p=0.5"}, []string{"rw", "sa p=0.5"}},
		{12, []string{"virtual best", "milp solver=z3 goal=decide", "milp solver=highs goal=decide"}, []string{"virtual best", "solver=z3", "solver=highs"}},
		{12, []string{"milp solver=z3 goal=decide", "milp solver=highs goal=maximise"}, []string{"z3 decide", "highs …imise"}},
		{10, []string{"sa p=0.5 and more", "sa"}, []string{"sa 0.…more", "sa"}},
		{8, []string{"alpha-1-omega", "alpha-2-omega"}, []string{"1: al…ga", "2: al…ga"}},
		{3, []string{"a very long name"}, []string{"a…e"}},
	} {
		got := shortNames(c.names, within(c.most))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Error(d)
		}
	}
	if d := cmp.Diff([]string{"one two", "three", "elev…ven"}, wrapped(" one two  three eleventyseven", within(8))); d != "" {
		t.Error(d)
	}
}

// Texts are as wide as they were measured in any font, within the picture, and steer
// nothing.
func TestTextsStayWhereTheyAre(t *testing.T) {
	f := figure()
	f.Title = strings.Repeat("A title that is far too long ", 20)
	f.Caption = strings.Repeat("and so is this caption ", 20)
	f.X.Label, f.Y.Label = f.Title, f.Title
	f.Series[0].Name = "<text x=\"1\">&\u202e\x00\n" + strings.Repeat("W", 100)
	l := f.layout(Printable, sheet{width: width})
	text := written(t, f, SVG)
	svg(t, text)
	if bytes.ContainsAny(text, "\u202e\x00") || bytes.Contains(text, []byte(" style=")) || bytes.Contains(text, []byte(`<text x=`)) || !bytes.HasPrefix(text, []byte("<svg ")) {
		t.Errorf("%s", text)
	}
	widths := regexp.MustCompile(`<text textLength="([0-9.]+)"`).FindAllSubmatch(text, -1)
	if len(widths) != bytes.Count(text, []byte("<text ")) || len(widths) < 20 {
		t.Errorf("%d of %d texts have a width", len(widths), bytes.Count(text, []byte("<text ")))
	}
	for _, w := range widths {
		if n, err := strconv.ParseFloat(string(w[1]), 64); err != nil || slack*n > float64(width) {
			t.Errorf("%s: %v", w[0], err)
		}
	}
	if beside := slack*textStyle(small).Width(l.names[0]) + sampleWidth; beside > mostLegend*width {
		t.Errorf("the legend is %v wide", beside)
	}
}

// What has no place on a logarithmic axis stands at its end.
func TestNothingIsBelowALogarithmicAxis(t *testing.T) {
	f := &Figure{X: Axis{Min: 0.1, Max: 10, Log: true}, Y: Axis{Max: 2}, Series: []Series{{Name: "a", Steps: []Point{{0, 1}, {-1, 1}, {20, 2}}, Dots: []Point{{0, 0}, {100, 100}}}, {Name: "b"}}}
	if text := written(t, f, SVG); bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Inf")) {
		t.Errorf("%s", text)
	}
}
