package space_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

func TestCounterfactuals(t *testing.T) {
	s := valid(t, people())
	for _, c := range []struct {
		name string
		x    []float64
		want [][]float64 // age and sex
	}{
		{"free", []float64{9, 9, 1, 2, 0}, [][]float64{{15, 0}, {15, 1}, {45, 0}, {45, 1}, {75, 0}, {75, 1}}},
		{"husband", []float64{9, 9, 1, 0, 0}, [][]float64{{15, 1}, {45, 1}, {75, 1}}},
		{"retired", []float64{9, 9, 2, 1, 0}, [][]float64{{45, 0}, {45, 1}, {75, 0}, {75, 1}}},
		{"retired husband", []float64{9, 9, 2, 0, 0}, [][]float64{{45, 1}, {75, 1}}},
	} {
		got := s.Counterfactuals(s.Whole(), c.x)
		if len(got) != len(c.want) {
			t.Errorf("%s: %d counterfactuals, want %d", c.name, len(got), len(c.want))
			continue
		}
		for i := range got {
			if want := append(slices.Clone(c.want[i]), c.x[2:]...); !slices.Equal(got[i], want) {
				t.Errorf("%s: counterfactual %d is %v, want %v", c.name, i, got[i], want)
			}
		}
		if c.x[0] != 9 {
			t.Errorf("%s: the individual was changed to %v", c.name, c.x)
		}
	}
}

func TestEachCombination(t *testing.T) {
	s := people()
	none, _ := s.Protect()
	visits := 0
	none.EachCombination(none.Whole(), []float64{50, 1, 0, 0, 0}, func(point []float64) {
		visits++
		if !slices.Equal(point, []float64{50, 1, 0, 0, 0}) {
			t.Errorf("visited %v", point)
		}
	})
	if visits != 1 {
		t.Errorf("%d visits where nothing is protected, want the point itself", visits)
	}
	r := s.Whole()
	r.Values[1] = []float64{}
	s.EachCombination(r, make([]float64, 5), func([]float64) { t.Error("visited a feature without values") })
}

func TestCountSaturates(t *testing.T) {
	r := space.Region{Values: [][]float64{make([]float64, 1<<15), nil, make([]float64, 1<<15), make([]float64, 1<<12)}}
	if got := r.Count(); got != space.MaxCombinations+1 {
		t.Errorf("Count = %d", got)
	}
}

func TestCut(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		cut    string
		check  func(space.Region) bool
		rest   string
		nobody bool
	}{
		{cut: "", check: func(r space.Region) bool { return r.Count() == 6 && r.Box[4] == (space.Interval{Lo: -1, Hi: 10}) }},
		{cut: "age=20..50", check: func(r space.Region) bool { return slices.Equal(r.Values[0], []float64{45}) && r.Count() == 2 }},
		{cut: "age=..45,sex=Female", check: func(r space.Region) bool { return r.Count() == 2 }},
		{cut: "age=16..44", nobody: true},
		{cut: "income=0.5..99", check: func(r space.Region) bool { return r.Box[4] == (space.Interval{Lo: 0.5, Hi: 10}) }},
		{cut: "income=11..", nobody: true},
		{cut: "job=clerk..", check: func(r space.Region) bool { return r.Box[2] == (space.Interval{Lo: 1, Hi: 2}) }},
		{cut: "job=none|clerk", check: func(r space.Region) bool { return r.Box[2] == (space.Interval{Lo: 0, Hi: 1}) }},
		{cut: "job=retired", check: func(r space.Region) bool { return r.Box[2] == (space.Interval{Lo: 2, Hi: 2}) }},
		// A set with a hole is no box.
		{cut: "job=none|retired", rest: "job=none|retired", check: func(r space.Region) bool { return r.Box[2] == (space.Interval{Lo: 0, Hi: 2}) }},
		// What is left of it may be one again, or nothing; in either order.
		{cut: "job=none|retired,job=clerk..", check: func(r space.Region) bool { return r.Box[2] == (space.Interval{Lo: 2, Hi: 2}) }},
		{cut: "job=clerk..,job=none|retired", check: func(r space.Region) bool { return r.Box[2] == (space.Interval{Lo: 2, Hi: 2}) }},
		{cut: "job=none|retired,job=clerk|retired", check: func(r space.Region) bool { return r.Box[2] == (space.Interval{Lo: 2, Hi: 2}) }},
		{cut: "job=none|retired,job=clerk", nobody: true},
		{cut: "job=none|retired,job=1..1", nobody: true},
	} {
		s := people()
		p, err := space.ParsePredicate(s, c.cut)
		if err != nil {
			t.Fatal(err)
		}
		whole := s.Whole()
		got, rest, err := s.Cut(whole, p)
		if c.nobody {
			if !errors.Is(err, space.ErrEmpty) {
				t.Errorf("%s: error %v, want ErrEmpty", c.cut, err)
			}
			continue
		}
		if err != nil || !c.check(got) || rest.Format(s) != c.rest {
			t.Errorf("%s: region %v, rest %q, %v", c.cut, got, rest.Format(s), err)
		}
		if whole.Count() != 6 || whole.Box[2] != (space.Interval{Lo: 0, Hi: 2}) {
			t.Errorf("%s: changed the region it was given", c.cut)
		}
	}
	s := people()
	got, _, err := s.Cut(s.Whole(), space.Predicate{{Feature: 2, Interval: space.Interval{Lo: 0.5, Hi: inf}}})
	if err != nil || got.Box[2] != (space.Interval{Lo: 1, Hi: 2}) {
		t.Errorf("a category from 0.5 up: %v, %v; want 1 to 2", got.Box[2], err)
	}
}

// TestCutKeepsWhatHolds: a point of the space is in the cut region and fulfils
// the rest exactly where the predicate holds at it.
func TestCutKeepsWhatHolds(t *testing.T) {
	s := people()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPredicate(t, s)
		point := []float64{
			rapid.SampledFrom(s.Features[0].Protected).Draw(t, "age"),
			float64(rapid.IntRange(0, 1).Draw(t, "sex")),
			float64(rapid.IntRange(0, 2).Draw(t, "job")),
			float64(rapid.IntRange(0, 2).Draw(t, "relationship")),
			rapid.Float64Range(-1, 10).Draw(t, "income"),
		}
		cut, rest, err := s.Cut(s.Whole(), p)
		in := err == nil && s.RegionContains(cut, point) && rest.Holds(point)
		for _, i := range s.Protected() {
			in = in && slices.Contains(cut.Values[i], point[i])
		}
		if in != p.Holds(point) {
			t.Fatalf("%s at %v: in the cut region %v, predicate holds %v (%v)", p.Format(s), point, in, p.Holds(point), err)
		}
	})
}

func TestIntervals(t *testing.T) {
	a, b := space.Interval{Lo: 1, Hi: 3}, space.Interval{Lo: 2, Hi: 5}
	if got := a.Intersect(b); got != (space.Interval{Lo: 2, Hi: 3}) {
		t.Errorf("intersection %v", got)
	}
	if a.Empty() || !a.Intersect(space.Interval{Lo: 4, Hi: 5}).Empty() || !(space.Interval{Lo: math.NaN()}).Empty() {
		t.Error("Empty is wrong")
	}
	if !a.Contains(1) || !a.Contains(3) || a.Contains(3.5) || a.Contains(math.NaN()) {
		t.Error("Contains is wrong")
	}
}

func TestRestrictNarrowsTheDomains(t *testing.T) {
	s := &space.Space{Inputs: 4, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: 2, Hi: 6, Inputs: []space.Input{{Index: 0, Table: []float64{20, 30, 40, 50, 60}}}},
		{Name: "u", Kind: space.Real, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		{Name: "c", Kind: space.Categorical, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{{Index: 2, Scale: 1}}},
		{Name: "z", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 3, Scale: 1}}},
	}}
	r := s.Whole()
	r.Box[0], r.Box[1], r.Box[2] = space.Interval{Lo: 3, Hi: 5}, space.Interval{Lo: 0, Hi: 0.5}, space.Interval{Lo: 1, Hi: 1}
	cut := s.Restrict(r)
	if err := cut.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]float64{{3, 0, 1, 0}, {5, 0.5, 2, 1}} {
		if !cut.Contains(x) {
			t.Errorf("%v is not in the restricted space", x)
		}
		if a, b := s.NetworkInputs(nil, x), cut.NetworkInputs(nil, x); !slices.Equal(a, b) {
			t.Errorf("%v feeds %v, and %v in the restricted space", x, a, b)
		}
	}
	for _, x := range [][]float64{{2, 0, 1, 0}, {6, 0, 1, 0}, {3, 0.6, 1, 0}, {3, -0.1, 1, 0}} {
		if cut.Contains(x) {
			t.Errorf("%v is in the restricted space", x)
		}
	}
	if !s.Contains([]float64{2, -1, 0, 0}) || len(s.Features[0].Inputs[0].Table) != 5 {
		t.Error("the space itself was changed")
	}
}
