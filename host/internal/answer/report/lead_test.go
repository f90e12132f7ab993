package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// lenders is a study with 60 rows and a threshold of 0.4. The logit is (a − 10) + 2.5·b − 0.4.
func lenders() map[string]string {
	rows := "a,c,b,paid\n"
	for i := range 60 {
		rows += fmt.Sprintf("%d,%s,%s,%s\n", i%20, []string{"x", "y"}[i%2], []string{"m", "f"}[i/30], []string{"no", "yes"}[i%3/2])
	}
	return map[string]string{
		"study.yaml": "model: net.json\nepsilon: 0.1\ndecision: {threshold: 0.4}\ndata: {files: [d.csv], label: {column: paid, positive: \"yes\"}}\n" +
			"features: {a: {integer: 0..19}, c: {categories: [x, y]}, b: {categories: [m, f]}}\nprotected: {b: all}\n",
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
			"layers": [{"name": "out", "inputs": 3, "units": 1, "activation": "linear", "weights": [[1, 0, 2.5]], "bias": [-10.4]}]}`,
		"d.csv": rows,
	}
}

// TestFirstScreen: the figures of the first screen are those of JSON and of brute force, in their order; no row of the
// data is shown, not even as the example.
func TestFirstScreen(t *testing.T) {
	tier.NeedUsual(t)
	out, text := report(t, lenders())
	d := out.Document()
	lead, ok := d.Blocks[0].(*view.Lead)
	if !ok || len(lead.Cards) != 4 || !lead.Alarm || lead.Verdict != "Not blind to b." {
		t.Fatalf("%+v", d.Blocks[0])
	}
	// Above 0.4 the logit is above −0.405…: a ≥ 10 with m, a ≥ 8 with f.
	yes := func(a int, f bool) bool { return a >= 10 || f && a >= 8 }
	flips, toYes, selected := 0, 0, map[bool]int{}
	for i := range 60 {
		a, f := i%20, i/30 == 1
		if yes(a, f) {
			selected[f]++
		}
		if yes(a, true) != yes(a, false) {
			if flips++; !f {
				toYes++
			}
		}
	}
	sum, rates := &out.Audit.Summary, out.Audit.Rates
	if sum.Flips != flips || sum.ToYes != toYes || rates.Attributes[0].Groups[0].Selection.Hits != selected[false] || rates.Attributes[0].Groups[1].Selection.Hits != selected[true] {
		t.Errorf("%+v, %+v", sum, rates.Attributes[0].Groups)
	}
	if want := fmt.Sprintf("%d of 60 people in the data would get the other decision with another b", flips); lead.Headline != (view.Said{Text: want, Grade: "evaluated"}) {
		t.Errorf("%+v", lead.Headline)
	}
	low := &rates.Attributes[0].Groups[0]
	for i, want := range []view.Card{
		{Figure: view.SmallShare(sum.FlipsShare), Label: view.Said{Text: "of the people in the data would get the other decision", Grade: "evaluated"}, Detail: fmt.Sprintf("%d of 60: %d to positive, %d to negative", flips, toYes, flips-toYes)},
		{Figure: fmt.Sprintf("%.2f", float64(selected[false])/float64(selected[true])), Label: view.Said{Text: "impact ratio by b, m to f", Grade: "evaluated"}, Detail: fmt.Sprintf("%.2f–%.2f (95 %%), of positive decisions; ", *low.Low, *low.High)},
		{Figure: view.SmallShare(*out.Plausible.Unfair), Label: view.Said{Text: "of plausible people would get the other decision", Grade: "proved, rigorous"}, Detail: "a mixture of 16 classes, fitted to 54 rows; all combinations of values alike: "},
		{Figure: fmt.Sprint(out.Worst.K), Label: view.Said{Text: "different outcomes for the worst-treated person", Grade: "evaluated"}, Detail: "an outcome is a range of scores 0.1 wide; 2 copies score "},
	} {
		got := lead.Cards[i]
		if got.Figure != want.Figure || got.Label != want.Label || !strings.HasPrefix(got.Detail, want.Detail) {
			t.Errorf("card %d: %+v, want %+v", i, got, want)
		}
	}
	// The population knows of each a what the rows do, but for the weight of one row a class.
	if p := out.Plausible; p.Notion != fairness.Decision.String() || p.Interval.Lo < 0.05 || p.Interval.Hi > 0.2 {
		t.Errorf("%+v", p)
	}
	// The curve passes the study's threshold, which is on the grid, and counts as brute force does.
	var curve *view.Figure
	for _, b := range d.Blocks {
		if _, ok := b.(view.Heading); ok {
			break
		}
		if f, ok := b.(*view.Figure); ok {
			curve = f
		}
	}
	if curve == nil || !curve.Full || !slices.Contains(curve.Series[0].Lines[0], view.Point{X: 0.4, Y: 100 * float64(flips) / 60}) || len(curve.Series[0].Lines[0]) != 49 || curve.Series[1].Name != "the study's: 0.4, "+view.SmallShare(sum.FlipsShare) {
		t.Errorf("%+v", curve)
	}
	if w := out.Worst; w.K < 2 || w.N != 2 || w.High <= w.Low {
		t.Errorf("%+v", w)
	}
	p := out.Person
	if p == nil || p.Distance == nil || *p.Distance <= 0 || *p.Distance >= 1 || p.Of < 1 {
		t.Fatalf("%+v", p)
	}
	for i := range 60 {
		if p.Labels["a"] == fmt.Sprint(i%20) && p.Labels["c"] == []string{"x", "y"}[i%2] {
			t.Errorf("the example is row %d", i)
		}
	}
	var json bytes.Buffer
	if err := view.JSON(&json, out, ""); err != nil || strings.Contains(json.String(), "d.csv") || !strings.Contains(text, "No row of the data is shown") {
		t.Errorf("%v, %s", err, json.String())
	}
	for _, want := range []string{"Rates by b", "of the impact ratio depends on b itself", "k is the number of different outcomes of a person's copies: how many bins of width ε = 0.1", "hyfair audit"} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q", want)
		}
	}
}

// TestPeopleShown: rows of the data are shown for who asks for it.
func TestPeopleShown(t *testing.T) {
	tier.NeedUsual(t)
	out, text := reportAs(t, lenders(), Request{Budget: LeastBudget, Seed: 1, People: Show})
	var json bytes.Buffer
	if err := view.JSON(&json, out, ""); err != nil || strings.Count(json.String(), `"file":"d.csv"`) != top || strings.Contains(text, "No row of the data is shown") || !strings.Contains(text, "The people whose copies are treated most differently") {
		t.Errorf("%v, %s\n%s", err, json.String(), text)
	}
}

// TestClasses: of a model of several classes, the first screen counts people whose class changes, without a direction.
func TestClasses(t *testing.T) {
	sum := audit.Summary{Tally: audit.Tally{People: 10, Decisions: audit.Decisions{Flips: 2, FlipsShare: 0.2}}}
	classes := []audit.Class{{Class: 0, People: 6, Leave: 2, LeaveShare: 1. / 3, Enter: []int{0, 2, 0}}, {Class: 1, People: 4, Enter: []int{0, 0, 0}}, {Class: 2, Enter: []int{0, 0, 0}}}
	r := &Result{Study: "s", Model: "m", Protected: []string{"b"}, Notion: "decision", Audit: &audit.Result{Summary: sum, Classes: &audit.Classes{Classes: classes}}}
	d := r.Document()
	lead := d.Blocks[0].(*view.Lead)
	if lead.Headline.Text != "2 of 10 people in the data would get another class with another b" || len(lead.Cards) != 1 || lead.Cards[0].Figure != "20.0 %" || lead.Cards[0].Detail != "2 of 10" {
		t.Errorf("%+v", lead)
	}
	var text bytes.Buffer
	if err := d.Write(&text, view.Text, view.Options{}); err != nil || strings.Contains(text.String(), "score above") || strings.Contains(text.String(), "k is") || !strings.Contains(text.String(), "would leave") {
		t.Errorf("%v, %s", err, text.String())
	}
}

// TestFewerCards: what was not asked, or has no answer, has no card and no made-up number.
func TestFewerCards(t *testing.T) {
	for name, r := range map[string]*Result{
		"nothing":  {Study: "s", Model: "m", Protected: []string{"b"}, Notion: "score", Epsilon: "0.1", Budget: "5s", Provenance: Provenance{Begun: time.Now()}},
		"a number": {Study: "s", Model: "m", Protected: []string{"b"}, Notion: "logit", Limit: "3", Number: true, Provenance: Provenance{Begun: time.Now()}},
	} {
		d := r.Document()
		lead := d.Blocks[0].(*view.Lead)
		if len(lead.Cards) != 0 || lead.Alarm || lead.Verdict != "" || !strings.HasPrefix(lead.Headline.Text, "No verdict on all possible people: it was not asked") || lead.Headline.Grade != "" {
			t.Errorf("%s: %+v", name, lead)
		}
		var page bytes.Buffer
		if err := d.Write(&page, view.HTML, view.Options{Title: r.Title()}); err != nil || !strings.Contains(page.String(), "<title>s: m by b</title>") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
