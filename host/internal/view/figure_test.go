package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
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

func drawn(t *testing.T, f *Figure, format string) []byte {
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
				for _, c := range []string{"#0072B2", "#D55E00", "#009E73", "FILL-OPACITY"} {
					if token.Name.Local == "path" && a.Name.Local == "style" && strings.Contains(strings.ToUpper(a.Value), c) {
						paths[c]++
					}
				}
			}
		}
	}
}

func TestSVG(t *testing.T) {
	texts, paths := svg(t, drawn(t, figure(), SVG))
	for _, want := range []string{"study & model <1>", "time (s)", "share with k ≥ 3", "one", "two p=0.5", "nobody", "0.1", "1", "10", "0.5"} {
		if texts[want] == 0 {
			t.Errorf("no %q among %v", want, texts)
		}
	}
	// A line and its mark in the legend, and a band; nothing of who has no data.
	if paths["#0072B2"] != 2 || paths["#D55E00"] != 2 || paths["#009E73"] != 0 || paths["FILL-OPACITY"] != 1 {
		t.Errorf("paths by colour: %v", paths)
	}
}

func TestBars(t *testing.T) {
	f := &Figure{
		Title: "t", X: Axis{Label: "k", Min: 1, Max: 5, Whole: true}, Y: Axis{Label: "n", Min: 0.5, Max: 2000, Log: true},
		Series: []Series{{Name: "a", Bars: []Point{{2, 10}, {3, 1000}}}, {Name: "b", Bars: []Point{{4, 1}}}},
	}
	texts, paths := svg(t, drawn(t, f, SVG))
	for _, want := range []string{"2", "3", "4", "10", "100", "1000", "a", "b"} {
		if texts[want] == 0 {
			t.Errorf("no %q among %v", want, texts)
		}
	}
	if paths["#0072B2"] < 2 || paths["#D55E00"] < 2 {
		t.Errorf("paths by colour: %v", paths)
	}
}

// Equal figures give equal files; a PNG has the size it should have.
func TestFilesAreDeterministic(t *testing.T) {
	for _, format := range FigureFormats {
		if !bytes.Equal(drawn(t, figure(), format), drawn(t, figure(), format)) {
			t.Errorf("%s: two drawings differ", format)
		}
	}
	config, err := png.DecodeConfig(bytes.NewReader(drawn(t, figure(), PNG)))
	if err != nil || config.Width < 900 || config.Height < 500 {
		t.Errorf("%+v, %v", config, err)
	}
	if err := figure().Write(io.Discard, "gif"); err == nil {
		t.Error("gif was drawn")
	}
}

// A series with every colour and dash is told from all others.
func TestLinesAreTold(t *testing.T) {
	seen := map[[2]int]bool{}
	for i := range len(colours) * len(dashes) {
		key := [2]int{i % len(colours), i % len(dashes)}
		if seen[key] {
			t.Fatalf("line %d looks like one before", i)
		}
		seen[key] = true
	}
}
