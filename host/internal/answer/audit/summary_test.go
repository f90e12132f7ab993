package audit

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// three people of a space in which sex and age are protected.
func three() (*space.Space, [][]float64, *Outcome) {
	s := &space.Space{Features: []space.Feature{
		{Name: "income", Kind: space.Integer, Lo: 0, Hi: 9},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m, or \"so\""}, Protected: []float64{0, 1}},
		{Name: "age", Kind: space.Integer, Lo: 0, Hi: 99, Protected: []float64{20, 30, 60}},
	}}
	rows := [][]float64{{1, 0, 25}, {2, 1, 44}, {3, 0, 60}, {4, 0, 200}, {5, 1, 20}}
	r := &Outcome{
		People: []Person{
			{Index: 1, N: 8, K: 4, Gap: 0.5, Unfair: true, Score: 0.7, Positive: true, Flips: true,
				High: Copy{[]float64{1, 60}, 0.8}, Low: Copy{[]float64{0, 20}, 0.3},
				Effects: []Effect{
					{N: 2, K: 2, Gap: 0.3, Unfair: true, Best: 1, Worst: 0, BestScore: 0.7, WorstScore: 0.4, Flips: true, Advantage: 0.3},
					{N: 4, K: 1, Gap: 0.1, Unfair: true, Best: 60, Worst: 20, BestScore: 0.8, WorstScore: 0.7, Advantage: -0.05},
				}},
			{Index: 0, N: 6, K: 3, Gap: 0.4, Unfair: true, Score: 0.3, Flips: true,
				High: Copy{[]float64{1, 60}, 0.6}, Low: Copy{[]float64{0, 20}, 0.2},
				Effects: []Effect{
					{N: 2, K: 1, Gap: 0.02, Best: 0, Worst: 1, BestScore: 0.3, WorstScore: 0.28, Advantage: 0.02},
					{N: 3, K: 3, Gap: 0.4, Unfair: true, Best: 60, Worst: 20, BestScore: 0.6, WorstScore: 0.2, Flips: true, Advantage: -0.1},
				}},
			{Index: 2, N: 1, K: 1, Score: 0.9, Positive: true,
				High: Copy{[]float64{0, 60}, 0.9}, Low: Copy{[]float64{0, 60}, 0.9},
				Effects: []Effect{
					{N: 1, K: 1, Best: 0, Worst: 0, BestScore: 0.9, WorstScore: 0.9},
					{N: 1, K: 1, Best: 60, Worst: 60, BestScore: 0.9, WorstScore: 0.9},
				}},
		},
		Skipped: []Skipped{{3, 2}, {4, -1}},
	}
	return s, rows, r
}

func TestSummary(t *testing.T) {
	s, rows, r := three()
	sum := r.Summarise(s, s.Whole(), rows)
	want := &Summary{
		Tally: Tally{People: 3, Unfair: 2, UnfairShare: 2. / 3, Decisions: Decisions{Positive: 2, PositiveShare: 2. / 3, Flips: 2, FlipsShare: 2. / 3, ToYes: 1, ToNo: 1, Turns: Turns{1, 1. / 3, 1, 1. / 3}},
			MeanK: 8. / 3, MaxK: 4, MeanGap: 0.3, MaxGap: 0.5, K: []KCount{{1, 1}, {3, 1}, {4, 1}}},
		Alone: 1, Outside: map[string]int{"age": 1}, Forbidden: 1,
		Attributes: []Attribute{
			{Name: "sex", Strongest: 1,
				Tally: Tally{People: 3, Unfair: 1, UnfairShare: 1. / 3, Decisions: Decisions{Positive: 2, PositiveShare: 2. / 3, Flips: 1, FlipsShare: 1. / 3, ToNo: 1, Turns: Turns{Lose: 1, LoseShare: 1. / 3}},
					MeanK: 4. / 3, MaxK: 2, MeanGap: 0.32 / 3, MaxGap: 0.3, K: []KCount{{1, 2}, {2, 1}}},
				Groups: []Group{
					{Label: "f", Advantage: 0.01, Tally: Tally{People: 2, Unfair: 1, UnfairShare: 0.5, Decisions: Decisions{Positive: 1, PositiveShare: 0.5},
						MeanK: 2, MaxK: 3, MeanGap: 0.2, MaxGap: 0.4, K: []KCount{{1, 1}, {3, 1}}}},
					{Label: `m, or "so"`, From: 1, To: 1, Advantage: 0.3, Tally: Tally{People: 1, Unfair: 1, UnfairShare: 1, Decisions: Decisions{Positive: 1, PositiveShare: 1, Flips: 1, FlipsShare: 1, ToNo: 1, Turns: Turns{Lose: 1, LoseShare: 1}}, MeanK: 4, MaxK: 4, MeanGap: 0.5, MaxGap: 0.5, K: []KCount{{4, 1}}}},
				}},
			{Name: "age", Strongest: 1,
				Tally: Tally{People: 3, Unfair: 2, UnfairShare: 2. / 3, Decisions: Decisions{Positive: 2, PositiveShare: 2. / 3, Flips: 1, FlipsShare: 1. / 3, ToYes: 1, Turns: Turns{Gain: 1, GainShare: 1. / 3}},
					MeanK: 5. / 3, MaxK: 3, MeanGap: 0.5 / 3, MaxGap: 0.4, K: []KCount{{1, 2}, {3, 1}}},
				Groups: []Group{ // no age is nearest to 20: 25 lies on the border
					{Label: "25–44", From: 25, To: 44, Advantage: -0.075, Tally: Tally{People: 2, Unfair: 2, UnfairShare: 1, Decisions: Decisions{Positive: 1, PositiveShare: 0.5, Flips: 1, FlipsShare: 0.5, ToYes: 1, Turns: Turns{Gain: 1, GainShare: 0.5}}, MeanK: 3.5, MaxK: 4, MeanGap: 0.45, MaxGap: 0.5, K: []KCount{{3, 1}, {4, 1}}}},
					{Label: "60", From: 60, To: 60, Tally: Tally{People: 1, Decisions: Decisions{Positive: 1, PositiveShare: 1}, MeanK: 1, MaxK: 1, K: []KCount{{1, 1}}}},
				}},
		},
	}
	want.Gaps = view.GapBins([]float64{0.4, 0, 0.5})
	want.Intersections = []Intersection{
		{Values: []string{"f", "25"}, People: 1, Unfair: 1, UnfairShare: 1, Decisions: Decisions{Flips: 1, FlipsShare: 1, ToYes: 1, Turns: Turns{Gain: 1, GainShare: 1}}, MeanGap: 0.4},
		{Values: []string{"f", "60"}, People: 1, Decisions: Decisions{Positive: 1, PositiveShare: 1}},
		{Values: []string{`m, or "so"`, "44"}, People: 1, Unfair: 1, UnfairShare: 1, Decisions: Decisions{Positive: 1, PositiveShare: 1, Flips: 1, FlipsShare: 1, ToNo: 1, Turns: Turns{Lose: 1, LoseShare: 1}}, MeanGap: 0.5},
	}
	if d := cmp.Diff(want, sum, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	result := &Result{Epsilon: "0.05", Summary: *sum}
	text := strings.Join(result.sentences(), "\n")
	wantText := `3 people were audited: each was compared with copies that differ in sex and age only.
2 of them (66.7 %) would get the other decision with another sex or age: 1 would change to positive, 1 to negative.
A decision is positive where the score is above 0.5.
2 of them (66.7 %) have a score gap above 0.05: the scores of their copies lie further apart than that.
The copies of a person get 2.67 different outcomes on average, and 4 at most.
1 person has no copies, because constraints forbid every combination except their own, and count as having a gap of 0.
Not audited, because a value lies outside its feature's domain: 1 by age.
Not audited, because a constraint says that there is no such person: 1.`
	if d := cmp.Diff(wantText, text); d != "" {
		t.Error(d)
	}
}

func TestSummaryOfNobody(t *testing.T) {
	s, rows, r := three()
	r.People = nil
	sum := r.Summarise(s, s.Whole(), rows)
	if sum.People != 0 || sum.MeanK != 0 || sum.UnfairShare != 0 || len(sum.Attributes) != 2 || len(sum.Attributes[0].Groups) != 0 {
		t.Errorf("%+v", sum)
	}
	if text := (&Result{Epsilon: "0.05", Summary: *sum}).sentences(); text[0] != "0 people were audited: each was compared with copies that differ in sex and age only." || strings.Contains(strings.Join(text, ""), "NaN") {
		t.Errorf("%q", text)
	}
}

// TestBands: values nearest to the same listed value share a band, and the number of
// bands is bounded.
func TestBands(t *testing.T) {
	f := &space.Feature{Name: "age", Kind: space.Integer, Lo: 0, Hi: 100}
	b := newBands(f, []float64{20, 30, 60})
	for v, want := range map[float64]int{-5: 0, 20: 0, 24: 0, 25: 1, 44: 1, 45: 2, 60: 2, 1000: 2} {
		if got := b.of(v); got != want {
			t.Errorf("%v is in band %d, want %d", v, got, want)
		}
	}
	for n := 1; n < 120; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		b := newBands(f, values)
		if b.count() > mostBands || n <= mostBands && b.count() != n {
			t.Errorf("%d bands of %d values", b.count(), n)
		}
		at := 0
		for v := range n {
			if next := b.of(float64(v)); next < at || next >= b.count() {
				t.Errorf("%d of %d values: band %d after %d", v, n, next, at)
			} else {
				at = next
			}
		}
	}
}

// TestCSVRoundTrip reads the written file back.
func TestCSVRoundTrip(t *testing.T) {
	s, rows, r := three()
	where := func(row int) (string, int) { return "folder/some.csv", row + 2 }
	var out bytes.Buffer
	if err := r.WriteCSV(&out, s, rows, where); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 1+len(rows) {
		t.Fatalf("%d lines", len(records))
	}
	cell := func(line int, name string) string {
		for c, head := range records[0] {
			if head == name {
				return records[line][c]
			}
		}
		t.Fatalf("no column %s in %v", name, records[0])
		return ""
	}
	for i := range r.People {
		p, line := &r.People[i], i+1
		for name, want := range map[string]float64{
			"index": float64(p.Index), "line": float64(p.Index + 2), "k": float64(p.K), "n": float64(p.N), "gap": p.Gap, "score": p.Score,
			"high.score": p.High.Score, "low.score": p.Low.Score, "high.age": p.High.Z[1], "low.age": p.Low.Z[1],
			"age.k": float64(p.Effects[1].K), "age.n": float64(p.Effects[1].N), "age.gap": p.Effects[1].Gap, "age.best": p.Effects[1].Best,
			"age.worst.score": p.Effects[1].WorstScore, "sex.advantage": p.Effects[0].Advantage, "age": rows[p.Index][2], "income": rows[p.Index][0],
		} {
			if got, err := strconv.ParseFloat(cell(line, name), 64); err != nil || got != want {
				t.Errorf("line %d: %s = %q, want %v", line, name, cell(line, name), want)
			}
		}
		for name, want := range map[string]string{
			"file": "some.csv", "skipped": "", "unfair": yes(p.Unfair), "positive": yes(p.Positive), "flips": yes(p.Flips), "age.flips": yes(p.Effects[1].Flips),
			"sex": s.Features[1].Categories[int(rows[p.Index][1])], "sex.best": s.Features[1].Categories[int(p.Effects[0].Best)],
		} {
			if got := cell(line, name); got != want {
				t.Errorf("line %d: %s = %q, want %q", line, name, got, want)
			}
		}
	}
	for line, want := range map[int]string{4: "outside the domain of age", 5: "forbidden by a constraint"} {
		if cell(line, "skipped") != want || cell(line, "k") != "" || cell(line, "sex.advantage") != "" || cell(line, "income") == "" {
			t.Errorf("line %d: %v", line, records[line])
		}
	}
}

// TestAdvantagesBalance: over all values of an attribute, the advantages of people
// who differ only in that value add up to 0.
func TestAdvantagesBalance(t *testing.T) {
	c, rows := loan(t, "none")
	f, _ := c.Space.Index("origin")
	var people [][]float64
	for v := range c.Space.Features[f].Categories {
		row := append([]float64(nil), rows[2815]...)
		row[f] = float64(v)
		people = append(people, row)
	}
	r, err := Run(context.Background(), c, people)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; c.Space.Protected()[n] != f; n++ {
	}
	sum, largest := 0.0, 0.0
	for i := range r.People {
		e := &r.People[i].Effects[n]
		sum += e.Advantage
		largest = math.Max(largest, e.Advantage)
	}
	if math.Abs(sum) > 1e-9 || largest < 0.1 {
		t.Errorf("advantages add up to %v, the largest is %v", sum, largest)
	}
}

// Apart ranks groups by what other values would bring them, not by their size.
func TestApart(t *testing.T) {
	sum := &Summary{Intersections: []Intersection{
		{Values: []string{"many"}, People: 1000, Decisions: Decisions{Turns: Turns{GainShare: 0.01, LoseShare: 0.01}}}, {Values: []string{"few"}, People: fewest - 1, Decisions: Decisions{Turns: Turns{GainShare: 1}}},
		{Values: []string{"held"}, People: 20, Decisions: Decisions{Turns: Turns{Gain: 15, GainShare: 0.75}}}, {Values: []string{"helped"}, People: 30, Decisions: Decisions{Turns: Turns{Lose: 15, LoseShare: 0.5}}},
	}}
	held, helped, ok := sum.Apart()
	if !ok || held.name() != "held" || helped.name() != "helped" {
		t.Errorf("%v, %v, %v", held, helped, ok)
	}
	if _, _, ok := (&Summary{}).Apart(); ok {
		t.Error("nobody is apart")
	}
}
