package view

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func lead() *Lead {
	return &Lead{
		Kicker: "study · model <1>", Headline: Said{"4 of 5 people would", "evaluated"}, Alarm: true, Verdict: "Not blind.", Text: []Said{{"A sentence.", ""}, {"Another.", "proved, exact"}},
		Cards: []Card{{"80 %", Said{"of the people", "estimate"}, "4 of 5"}, {"0.5", Said{"impact ratio", ""}, "0.4–0.6"}},
	}
}

// TestLead: a page begins with the lead, whose headline is its heading, and the blocks up to the first heading;
// then come the contents. Other formats have the same sentences and figures.
func TestLead(t *testing.T) {
	d := Of(lead(), figure(), Heading("First"), Paragraph{"in the first"}, Heading("Second"), Paragraph{"x"}, Heading("Third"), Paragraph{"y"})
	_, root := pageOf(t, d, Options{Title: "what it is"})
	if h, title := elements(root, "h1"), elements(root, "title"); len(h) != 1 || words(h[0]) != "4 of 5 people would evaluated" || words(title[0]) != "what it is" {
		t.Errorf("%d first heads, %s", len(h), words(title[0]))
	}
	var order []string
	for n := range elements(root, "main")[0].Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch class := attribute(n, "class"); {
		case class == "kicker" || class == "cards" || class == "verdict bad":
			order = append(order, class)
		case n.Data == "h1" || n.Data == "figure" || n.Data == "nav" || n.Data == "h2":
			order = append(order, n.Data)
		}
	}
	if got := strings.Join(order, ", "); got != "kicker, h1, verdict bad, cards, figure, nav, h2, h2, h2" {
		t.Error(got)
	}
	var tags []string
	for _, span := range elements(root, "span") {
		tags = append(tags, attribute(span, "class"))
	}
	if got := strings.Join(tags, ", "); got != "tag evaluated, tag proved, tag estimate" {
		t.Error(got)
	}
	for _, format := range []string{Text, Markdown, LaTeX} {
		var b bytes.Buffer
		if err := d.Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"4 of 5 people would", "evaluated", "Not blind.", "Another.", "80 ", "of the people", "4 of 5", "impact ratio"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s does not say %q:\n%s", format, want, b.String())
			}
		}
	}
	// Of several documents in one, each lead is a part.
	_, root = pageOf(t, Of(Heading("Run 1"), lead(), Heading("Run 2"), lead()), Options{Title: "two"})
	if h := elements(root, "h1"); len(h) != 1 || words(h[0]) != "two" || strings.Count(words(root), "4 of 5 people would") != 2 {
		t.Errorf("%s", words(root))
	}
}

// TestNarrowDrawings: the drawing for telephones has all texts of the wide one that fit, none smaller than 12 pixels,
// and none that leaves it.
func TestNarrowDrawings(t *testing.T) {
	const fromPoints = 4.0 / 3
	sizes, places := regexp.MustCompile(`font-size="([0-9.]+)`), regexp.MustCompile(`<text textLength="([0-9.]+)"[^>]* x="([-0-9.]+)"`)
	names := &Figure{
		Title: "t", X: Axis{Label: "per cent", Max: 100}, Y: Axis{Min: 0.5, Max: 3.5, Names: []string{"all possible people", "sample of 10,000", strings.Repeat("a long name ", 5)}},
		Series: []Series{{Name: "a", Bars: []Point{{10, 1}, {21, 2}}}, {Name: strings.Repeat("long ", 20), Bars: []Point{{17, 1}}}},
	}
	tree := &Tree{Root: Node{Head: strings.Repeat("a question ", 10), Detail: strings.Repeat("much ", 30), Share: 0.5, Branches: []Branch{{"yes", Node{Head: "HIGH"}}, {"no", Node{Head: "low"}}}}}
	for _, p := range []Picture{figure(), names, tree} {
		var b bytes.Buffer
		if err := p.write(&b, SVG, sheet{narrow, true}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.Contains(text, `width="246pt"`) {
			t.Errorf("%.200s", text)
		}
		found := sizes.FindAllStringSubmatch(text, -1)
		for _, s := range found {
			if size, err := strconv.ParseFloat(s[1], 64); err != nil || size*fromPoints < 12 {
				t.Errorf("%s", s[0])
			}
		}
		inside := places.FindAllStringSubmatch(text, -1)
		for _, s := range inside {
			length, _ := strconv.ParseFloat(s[1], 64)
			if x, err := strconv.ParseFloat(s[2], 64); err != nil || !strings.Contains(s[0], "rotate") && x+length > float64(narrow)+0.1 {
				t.Errorf("%s", s[0])
			}
		}
		if len(found) < 3 || len(inside) < 3 {
			t.Errorf("%d sizes, %d places: %.900s", len(found), len(inside), text)
		}
	}
}
