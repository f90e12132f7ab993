package space

import (
	"testing"

	"pgregory.net/rapid"
)

// drawConstrained makes a small space with integer and categorical features,
// some protected, and a few constraints.
func drawConstrained(t *rapid.T) *Space {
	s := &Space{}
	for i := range rapid.IntRange(1, 4).Draw(t, "features") {
		f := Feature{Name: string(rune('a' + i)), Kind: Integer}
		f.Lo = float64(rapid.IntRange(-3, 3).Draw(t, "lo"))
		f.Hi = f.Lo + float64(rapid.IntRange(0, 4).Draw(t, "width"))
		if rapid.Bool().Draw(t, "categorical") {
			f.Kind, f.Hi, f.Lo = Categorical, f.Hi-f.Lo, 0
			f.Categories = []string{"p", "q", "r", "s", "t"}[:int(f.Hi)+1]
		}
		if rapid.Bool().Draw(t, "protected") {
			for v := f.Lo; v <= f.Hi; v++ {
				f.Protected = append(f.Protected, v)
			}
		}
		s.Features = append(s.Features, f)
	}
	for range rapid.IntRange(0, 4).Draw(t, "constraints") {
		var p Predicate
		for range rapid.IntRange(1, 3).Draw(t, "conditions") {
			i := rapid.IntRange(0, len(s.Features)-1).Draw(t, "feature")
			lo := rapid.Float64Range(-4, 8).Draw(t, "from")
			p = append(p, Condition{Feature: i, Interval: Interval{lo, lo + rapid.Float64Range(0, 5).Draw(t, "length")}})
		}
		s.Forbidden = append(s.Forbidden, p)
	}
	return s
}

// TestMaxCounterfactualsEqualsEnumeration goes through every individual.
func TestMaxCounterfactualsEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawConstrained(t)
		want := 0
		var visit func(x []float64, i int)
		visit = func(x []float64, i int) {
			if i == len(s.Features) {
				want = max(want, len(s.Counterfactuals(s.Whole(), x)))
				return
			}
			f := &s.Features[i]
			if f.IsProtected() {
				visit(x, i+1)
				return
			}
			for x[i] = f.Lo; x[i] <= f.Hi; x[i]++ {
				visit(x, i+1)
			}
		}
		visit(make([]float64, len(s.Features)), 0)
		if got, exact := s.MaxCounterfactuals(s.Whole()); !exact || got != want {
			t.Fatalf("K = %d (exact %v), enumeration finds %d", got, exact, want)
		}
	})
}

func TestMaxCounterfactualsOfReals(t *testing.T) {
	s := &Space{Features: []Feature{
		{Name: "x", Kind: Real, Lo: 0, Hi: 1},
		{Name: "z", Kind: Integer, Hi: 3, Protected: []float64{0, 1, 2, 3}},
	}}
	forbid := func(text string) {
		t.Helper()
		p, err := ParsePredicate(s, text)
		if err != nil {
			t.Fatal(err)
		}
		s.Forbidden = append(s.Forbidden, p)
	}
	check := func(want int) {
		t.Helper()
		if got, exact := s.MaxCounterfactuals(s.Whole()); !exact || got != want {
			t.Errorf("K = %d (exact %v), want %d", got, exact, want)
		}
	}
	check(4)
	forbid("x=..0.5,z=0")
	check(4) // above one half all are allowed
	forbid("x=0.5..,z=1")
	check(3)
	forbid("x=0.25..0.75,z=2")
	check(3)
	forbid("z=3")
	check(2)
}

// TestMaxCounterfactualsTooManyCases asks for more cases than are gone through.
func TestMaxCounterfactualsTooManyCases(t *testing.T) {
	s := &Space{}
	for i := range 24 {
		s.Features = append(s.Features, Feature{Name: string(rune('a' + i)), Kind: Integer, Hi: 1})
		// Neither value satisfies fewer conditions than the other.
		for v := range 2 {
			c := Interval{float64(v), float64(v)}
			s.Forbidden = append(s.Forbidden, Predicate{{Feature: i, Interval: c}, {Feature: 24, Interval: c}})
		}
	}
	s.Features = append(s.Features, Feature{Name: "z", Kind: Integer, Hi: 1, Protected: []float64{0, 1}})
	if k, exact := s.MaxCounterfactuals(s.Whole()); exact || k != 2 {
		t.Errorf("K = %d (exact %v), want an upper bound of 2", k, exact)
	}
}
