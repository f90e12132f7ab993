package guard_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/sdk/space"
)

// clinic is a space with every kind of feature, and names that other languages
// have to be careful with.
func clinic(t testing.TB) *space.Space {
	t.Helper()
	s := &space.Space{
		Inputs: 5,
		Features: []space.Feature{
			{Name: "hours-per-week", Kind: space.Integer, Lo: -3, Hi: 99, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "class", Kind: space.Categorical, Lo: 0, Hi: 3, Categories: []string{"a", `b"\`, "ü\n", "a, b"}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			{Name: "ratio", Kind: space.Real, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 2, Scale: 1}}},
			{Name: "2 hours", Kind: space.Integer, Lo: 0, Hi: 9, Missing: true, Inputs: []space.Input{{Index: 3, Scale: 1}}},
			{Name: "sex", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 4, Scale: 1}}},
		},
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// drawPredicates draws rules over the space's features that are not protected,
// each of which holds somewhere and not everywhere.
func drawPredicates(t *rapid.T, s *space.Space) []space.Predicate {
	var out []space.Predicate
	for range rapid.IntRange(0, 4).Draw(t, "rules") {
		var p space.Predicate
		for _, i := range s.Free() {
			f := &s.Features[i]
			if !rapid.Bool().Draw(t, "used") {
				continue
			}
			c := space.Condition{Feature: i, Interval: space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}}
			if f.Kind == space.Categorical {
				for v := range len(f.Categories) - 1 {
					if rapid.Bool().Draw(t, "in") {
						c.Set = append(c.Set, v)
					}
				}
				if c.Set == nil {
					c.Set = []int{len(f.Categories) - 1}
				}
			} else {
				lo := rapid.Float64Range(f.Lo, f.Numbers().Hi).Draw(t, "lo")
				if rapid.Bool().Draw(t, "whole") {
					lo = math.Round(lo)
				}
				switch rapid.IntRange(0, 2).Draw(t, "ends") {
				case 0:
					c.Interval.Lo = lo
				case 1:
					c.Interval.Hi = lo
				default:
					c.Interval = space.Interval{Lo: lo, Hi: lo + 1}
				}
			}
			p = append(p, c)
		}
		if len(p) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func drawPoint(t *rapid.T, s *space.Space) []float64 {
	x := make([]float64, len(s.Features))
	for i := range s.Features {
		f := &s.Features[i]
		x[i] = rapid.Float64Range(f.Lo, f.Hi).Draw(t, f.Name)
		if f.Discrete() {
			x[i] = math.Round(x[i])
		}
	}
	return x
}

// TestFileKeepsTheMeaning: rules refuse the same people by the same rule after they
// were written and read.
func TestFileKeepsTheMeaning(t *testing.T) {
	s := clinic(t)
	rapid.Check(t, func(t *rapid.T) {
		predicates := drawPredicates(t, s)
		rules, err := guard.New(s, "clinic", predicates)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := guard.Write(&text, rules); err != nil {
			t.Fatal(err)
		}
		again, err := guard.Parse(text.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, &text)
		}
		if diff := cmp.Diff(rules, again); diff != "" {
			t.Fatalf("written and read again: %s", diff)
		}
		read, err := again.Predicates(s)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			x := drawPoint(t, s)
			rule1, refused1 := guard.Refuses(predicates, x)
			rule2, refused2 := guard.Refuses(read, x)
			if rule1 != rule2 || refused1 != refused2 {
				t.Fatalf("at %v the predicates say %d, %v and the file %d, %v\n%s", x, rule1, refused1, rule2, refused2, &text)
			}
		}
	})
}

// rulesFile is a file with one rule over one feature of each kind.
func rulesFile(conditions ...string) string {
	return `{
  "format": "hyfair-guard", "version": 1,
  "features": [
    {"name": "hours-per-week", "kind": "integer"},
    {"name": "ratio", "kind": "real"},
    {"name": "class", "kind": "categorical", "categories": ["a", "a, b"]}
  ],
  "rules": [{"name": "one", "why": "because", "conditions": [
` + strings.Join(conditions, ",\n") + `]}]
}`
}

// TestEnds compares open and closed ends with their meaning.
func TestEnds(t *testing.T) {
	s := clinic(t)
	half := 0.5
	beside := math.Nextafter(half, 1)
	for _, test := range []struct {
		condition  string
		feature    int
		holds, not []float64
	}{
		{`{"feature": "hours-per-week", "above": 39}`, 0, []float64{40, 99}, []float64{39, 38}},
		{`{"feature": "hours-per-week", "least": 39}`, 0, []float64{39, 40}, []float64{38}},
		{`{"feature": "hours-per-week", "least": 38.5, "below": 41}`, 0, []float64{39, 40}, []float64{38, 41}},
		{`{"feature": "hours-per-week", "most": 39.9}`, 0, []float64{-3, 39}, []float64{40}},
		{`{"feature": "ratio", "above": 0.5}`, 2, []float64{beside, 1}, []float64{half}},
		{`{"feature": "ratio", "least": 0.5, "most": 0.5}`, 2, []float64{half}, []float64{beside}},
		{`{"feature": "ratio", "below": 0.5}`, 2, []float64{-1, 0.4999999999999999}, []float64{half}},
		{`{"feature": "class", "in": ["a, b"]}`, 1, []float64{3}, []float64{0, 1, 2}},
	} {
		rules, err := guard.Parse([]byte(rulesFile(test.condition)))
		if err != nil {
			t.Fatal(err)
		}
		guards, err := rules.Predicates(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			values  []float64
			refused bool
		}{{test.holds, true}, {test.not, false}} {
			for _, v := range want.values {
				x := make([]float64, len(s.Features))
				x[test.feature] = v
				if _, refused := guard.Refuses(guards, x); refused != want.refused {
					t.Errorf("%s at %v: refused %v", test.condition, v, refused)
				}
			}
		}
	}
}

// hostile has invalid files and the error for each.
var hostile = []struct{ name, text, want string }{
	{"empty", "", "line 1: the file ends in the middle"},
	{"no object", "[]", "line 1: want an object, not a list"},
	{"cut", rulesFile(`{"feature": "ratio", "above": 1`)[:200], "the file ends in the middle"},
	{"two objects", rulesFile(`{"feature": "ratio", "above": 0}`) + "{}", "something follows the object"},
	{"other format", `{"format": "hyfair-network", "version": 1, "features": [], "rules": []}`, `format: want "hyfair-guard", not the text "hyfair-network"`},
	{"other version", "{\"format\": \"hyfair-guard\",\n\"version\": 2}", "line 2: version: got 2; this program reads version 1"},
	{"no version", `{"format": "hyfair-guard", "features": [], "rules": []}`, `"version" is missing`},
	{"unknown field", `{"format": "hyfair-guard", "rule": []}`, "rule: there is no such field here"},
	{"twice", `{"format": "hyfair-guard", "format": "hyfair-guard"}`, "format: given twice"},
	{"no conditions", rulesFile(), "rules[0]: a rule without conditions would refuse everybody"},
	{"unknown feature", rulesFile(`{"feature": "age", "above": 3}`), `line 9: rules[0].conditions[0]: feature "age" is not among the file's features`},
	{"number in categories", rulesFile(`{"feature": "ratio", "in": ["a"]}`), `is a number (real) and takes "least"`},
	{"category with bounds", rulesFile(`{"feature": "class", "least": 1}`), `is categorical and takes "in"`},
	{"no such category", rulesFile(`{"feature": "class", "in": ["A"]}`), `no category "A"`},
	{"category twice", rulesFile(`{"feature": "class", "in": ["a", "a"]}`), `conditions[0].in[1]: "a" is empty or repeated`},
	{"no category", rulesFile(`{"feature": "class", "in": []}`), "no category satisfies the condition"},
	{"no bound", rulesFile(`{"feature": "ratio"}`), `takes "least"`},
	{"two lower ends", rulesFile(`{"feature": "ratio", "least": 0, "above": 0}`), `give at most one of "least" and "above"`},
	{"empty interval", rulesFile(`{"feature": "ratio", "above": 0.5, "most": 0.5}`), `feature "ratio": no real satisfies the condition`},
	{"no integer", rulesFile(`{"feature": "hours-per-week", "above": 3, "below": 4}`), "no integer satisfies the condition"},
	{"beyond all numbers", rulesFile(`{"feature": "ratio", "above": 1.7976931348623157e308}`), "no real satisfies the condition"},
	{"too large a number", rulesFile(`{"feature": "ratio", "above": 1e999}`), "1e999 is beyond the range of numbers"},
	{"text for a number", rulesFile(`{"feature": "ratio", "above": "1"}`), `above: want a number, not the text "1"`},
	{"null", rulesFile(`{"feature": "ratio", "above": null}`), "above: want a number, not null"},
	{"deep", strings.Repeat(`{"format":`, 100), "format: want a text, not an object"},
	{"huge", strings.Repeat(" ", 1<<20+1), "more than 1048576 bytes"},
	{"kind", `{"format": "hyfair-guard", "version": 1, "features": [{"name": "x", "kind": "text"}], "rules": []}`, "features[0].kind: want integer, categorical or real"},
	{"categories of a number", `{"format": "hyfair-guard", "version": 1, "features": [{"name": "x", "kind": "real", "categories": ["a"]}], "rules": []}`, "want categories for categorical features"},
	{"feature twice", `{"format": "hyfair-guard", "version": 1, "features": [{"name": "x", "kind": "real"}, {"name": "x", "kind": "real"}], "rules": []}`, `feature "x" appears twice`},
}

func TestHostileFiles(t *testing.T) {
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			rules, err := guard.Parse([]byte(test.text))
			if err == nil || rules != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}

// TestRulesMustFitTheSpace: a rules file for other features is refused before it
// guards anything.
func TestRulesMustFitTheSpace(t *testing.T) {
	s := clinic(t)
	for _, test := range []struct {
		condition guard.Condition
		want      string
	}{
		{guard.Condition{Feature: "age", Least: new(float64)}, `no feature "age"`},
		{guard.Condition{Feature: "sex", In: []string{"f"}}, `"sex" is protected`},
		{guard.Condition{Feature: "class", In: []string{"z"}}, `no category "z"`},
		{guard.Condition{Feature: "class", Least: new(float64)}, `needs "in"`},
		{guard.Condition{Feature: "ratio", In: []string{"a"}}, `cannot be "in" categories`},
		{guard.Condition{Feature: "ratio", Missing: true}, `"ratio" cannot be missing`},
	} {
		rules := &guard.Rules{Version: 1, Rules: []guard.Rule{{Name: "r", Conditions: []guard.Condition{test.condition}}}}
		if _, err := rules.Predicates(s); err == nil || !strings.Contains(err.Error(), "rules[0] (r): conditions[0]: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v does not say %q", test.condition, err, test.want)
		}
	}
	_, err := guard.New(s, "", []space.Predicate{{{Feature: 4, Set: []int{0}}}})
	if err == nil || !strings.Contains(err.Error(), "protected") {
		t.Errorf("a guardrail over a protected feature: error %v", err)
	}
	_, err = guard.New(s, "", []space.Predicate{{{Feature: 1, Set: []int{0, 1, 2, 3}}}})
	if err == nil || !strings.Contains(err.Error(), "refuse everybody") {
		t.Errorf("a guardrail that holds for every category: error %v", err)
	}
}

func TestText(t *testing.T) {
	s := clinic(t)
	rules, err := guard.New(s, "clinic", []space.Predicate{{
		{Feature: 0, Interval: space.Interval{Lo: 40, Hi: math.Inf(1)}},
		{Feature: 1, Set: []int{1, 2, 3}},
		{Feature: 2, Interval: space.Interval{Lo: math.Nextafter(0.5, 1), Hi: math.Nextafter(0.75, 0)}},
		{Feature: 3, Interval: space.Interval{Lo: 2, Hi: math.Inf(1)}},
	}, {{Feature: 3, Interval: space.Interval{Lo: 9, Hi: 9}}}, {{Feature: 3, Interval: space.Interval{Lo: math.Inf(-1), Hi: 8}}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "hours-per-week >= 40 and class != a and ratio > 0.5 and ratio < 0.75 and (2 hours >= 2 or missing)"
	if got := rules.Rules[0].Text(s); got != want {
		t.Errorf("the rule reads %q, want %q", got, want)
	}
	if got := rules.Rules[1].Text(s) + ", " + rules.Rules[2].Text(s); got != "2 hours is missing, 2 hours is not missing" {
		t.Errorf("the rules read %q", got)
	}
	var names []string
	for _, f := range rules.Features {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"hours-per-week", "class", "ratio", "2 hours"}) {
		t.Errorf("the file describes %v", names)
	}
}

// FuzzParse: whatever Parse reads survives writing and reading, and can be
// exported.
func FuzzParse(f *testing.F) {
	for _, h := range hostile {
		if len(h.text) < 2000 {
			f.Add([]byte(h.text))
		}
	}
	f.Add([]byte(rulesFile(`{"feature": "ratio", "above": 0.25, "most": 0.5}`, `{"feature": "class", "in": ["a"]}`)))
	f.Add([]byte(rulesFile(`{"feature": "hours-per-week", "least": -2, "below": 7.5}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := guard.Parse(text)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := guard.Write(&out, rules); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := guard.Parse(out.Bytes())
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, &out)
		}
		if diff := cmp.Diff(rules, again); diff != "" {
			t.Fatalf("written and read again: %s", diff)
		}
		for _, language := range guard.Languages() {
			if err := guard.Export(&out, rules, language); err != nil {
				t.Fatalf("%s: %v", language, err)
			}
		}
	})
}
