package space_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// awkward has names that contain everything the predicate language uses.
func awkward() *space.Space {
	names := []string{"plain", "a,b", "a|b", "a=b", "a..b", "..", "dot.", "...", `back\`, `\,`, ` blank `, "0", "1", "\t", "ü…", "a.b"}
	return &space.Space{Features: []space.Feature{
		{Name: "c,=|..", Kind: space.Categorical, Hi: float64(len(names) - 1), Categories: names},
		{Name: " n ", Kind: space.Integer, Lo: -5, Hi: 5},
		{Name: `r\`, Kind: space.Real, Lo: -1, Hi: 1},
	}}
}

func drawPredicate(t *rapid.T, s *space.Space) space.Predicate {
	var p space.Predicate
	for range rapid.IntRange(0, 4).Draw(t, "conditions") {
		c := space.Condition{Feature: rapid.IntRange(0, len(s.Features)-1).Draw(t, "feature")}
		f := &s.Features[c.Feature]
		if f.Kind == space.Categorical && rapid.Bool().Draw(t, "set") {
			for v := range f.Categories {
				if rapid.Bool().Draw(t, "in") {
					c.Set = append(c.Set, v)
				}
			}
		}
		if c.Set == nil {
			ends := []float64{rapid.Float64Range(f.Lo-1, f.Hi+1).Draw(t, "end"), rapid.Float64Range(f.Lo, f.Hi).Draw(t, "end")}
			if f.Discrete() {
				ends[0], ends[1] = math.Max(f.Lo, math.Floor(ends[0])), math.Floor(ends[1])
			}
			slices.Sort(ends)
			c.Interval = space.Interval{Lo: ends[0], Hi: ends[1]}
			switch rapid.IntRange(0, 3).Draw(t, "open") {
			case 0:
				c.Interval.Lo = math.Inf(-1)
			case 1:
				c.Interval.Hi = math.Inf(1)
			}
		}
		p = append(p, c)
	}
	return p
}

// TestFormatRoundTrip: what Format writes, ParsePredicate reads as a predicate
// that holds at the same points, whatever the names.
func TestFormatRoundTrip(t *testing.T) {
	s := awkward()
	valid(t, s)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPredicate(t, s)
		text := p.Format(s)
		q, err := space.ParsePredicate(s, text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := q.Validate(s); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if again := q.Format(s); len(q) != len(p) {
			t.Fatalf("%q comes back as %q", text, again)
		}
		for range 20 {
			point := []float64{
				float64(rapid.IntRange(0, len(s.Features[0].Categories)-1).Draw(t, "category")),
				float64(rapid.IntRange(-5, 5).Draw(t, "integer")),
				rapid.Float64Range(-1, 1).Draw(t, "real"),
			}
			if p.Holds(point) != q.Holds(point) {
				t.Fatalf("%q read back differs at %v", text, point)
			}
		}
	})
}

func TestParsePredicate(t *testing.T) {
	s := people()
	inf := math.Inf(1)
	for _, c := range []struct {
		text string
		want space.Predicate
	}{
		{"", nil},
		{"  ", nil},
		{"age=30..39", space.Predicate{{Feature: 0, Interval: space.Interval{Lo: 30, Hi: 39}}}},
		{" age = 30 .. 39 ", space.Predicate{{Feature: 0, Interval: space.Interval{Lo: 30, Hi: 39}}}},
		{"age=30", space.Predicate{{Feature: 0, Interval: space.Interval{Lo: 30, Hi: 30}}}},
		{"age=..39,income=-0.5..", space.Predicate{
			{Feature: 0, Interval: space.Interval{Lo: -inf, Hi: 39}}, {Feature: 4, Interval: space.Interval{Lo: -0.5, Hi: inf}}}},
		{"income=.5...75", space.Predicate{{Feature: 4, Interval: space.Interval{Lo: 0.5, Hi: 0.75}}}},
		{"income=1e-3..1e+1", space.Predicate{{Feature: 4, Interval: space.Interval{Lo: 1e-3, Hi: 10}}}},
		{"sex=Female", space.Predicate{{Feature: 1, Set: []int{0}}}},
		{"sex= Male | Female | Male", space.Predicate{{Feature: 1, Set: []int{0, 1}}}},
		{"job=2|0", space.Predicate{{Feature: 2, Set: []int{0, 2}}}},
		{"job=clerk..", space.Predicate{{Feature: 2, Interval: space.Interval{Lo: 1, Hi: 2}}}},
		{"job=none .. clerk", space.Predicate{{Feature: 2, Interval: space.Interval{Lo: 0, Hi: 1}}}},
	} {
		got, err := space.ParsePredicate(s, c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		same := slices.EqualFunc(got, c.want, func(a, b space.Condition) bool {
			return a.Feature == b.Feature && a.Interval == b.Interval && slices.Equal(a.Set, b.Set) && (a.Set == nil) == (b.Set == nil)
		})
		if !same {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"age":               "want feature=value",
		"age=":              "want feature=value",
		"age=1,":            "want feature=value",
		"shoes=3":           `no feature "shoes"; the features are age, sex`,
		"age=thirty":        `"thirty" is not a number`,
		"age=39..30":        "range 39..30 is empty",
		"age=NaN":           "not a number",
		"job=retired..none": "range retired..none is empty",
		"sex=male":          `no category "male"; the categories are Female, Male`,
		"sex=Male|":         `no category ""`,
		"sex=7":             `no category "7"`,
		"age=1|2":           "not a number",
	} {
		if _, err := space.ParsePredicate(s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestConditionHolds(t *testing.T) {
	s := people()
	p, err := space.ParsePredicate(s, "age=40..,sex=Male,job=none|retired")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		point []float64
		want  bool
	}{
		{[]float64{45, 1, 0, 0, 0}, true},
		{[]float64{45, 1, 2, 0, 0}, true},
		{[]float64{45, 1, 1, 0, 0}, false},
		{[]float64{45, 0, 0, 0, 0}, false},
		{[]float64{39, 1, 0, 0, 0}, false},
	} {
		if p.Holds(c.point) != c.want {
			t.Errorf("%s at %v: %v", p.Format(s), c.point, !c.want)
		}
	}
	if !(space.Predicate{}).Holds([]float64{0}) {
		t.Error("the empty predicate must hold")
	}
}

// FuzzParsePredicate: no input panics, and what is accepted is valid and
// survives being written and read again.
func FuzzParsePredicate(f *testing.F) {
	for _, text := range []string{"n=1..2", `c\,\=\|\.\.=a\,b|a\|b`, `\ n\ =..5`, `r\\=-1..1`, "n=..,n=3", `c\,\=\|..=dot\...1`, "=", `\`} {
		f.Add(text)
	}
	s := awkward()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := space.ParsePredicate(s, text)
		if err != nil {
			return
		}
		if err := p.Validate(s); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		written := p.Format(s)
		q, err := space.ParsePredicate(s, written)
		if err != nil || q.Format(s) != written {
			t.Fatalf("%q is written %q, read back as %q: %v", text, written, q.Format(s), err)
		}
	})
}

// TestWholeNumbersHaveAllTheirDigits: also those of 10⁸ and more, which are read back.
func TestWholeNumbersHaveAllTheirDigits(t *testing.T) {
	f := &space.Feature{Kind: space.Integer, Lo: -1e12, Hi: 1e12}
	for v, want := range map[float64]string{777777777: "777777777", -1e12: "-1000000000000", 7: "7"} {
		if got := f.Label(v); got != want {
			t.Errorf("%v is shown as %s", v, got)
		}
	}
	if real := (&space.Feature{Kind: space.Real, Lo: 0, Hi: 1e300}); real.Label(1e300) != "1e+300" || real.Label(0.5) != "0.5" || real.Label(123456789) != "123456789" {
		t.Errorf("shown as %s, %s, %s", real.Label(1e300), real.Label(0.5), real.Label(123456789))
	}
}
