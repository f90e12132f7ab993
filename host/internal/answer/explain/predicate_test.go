package explain

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// measured is a predicate's merit, and the mean k inside.
func measured(p space.Predicate, points [][]float64, ks []float64) (merit, inside float64) {
	in, out := sides(p, points, ks)
	return in.merit(out), in.mean()
}

// The merit is the difference of the means while a quarter is outside, and half
// of it with a sixteenth.
func TestMerit(t *testing.T) {
	var in, out sum
	for range 15 {
		in.add(9)
	}
	out.add(1)
	if m := in.merit(out); m != 4 {
		t.Errorf("merit %v, want half of 8", m)
	}
	for range 4 {
		out.add(1)
	}
	if m := in.merit(out); m != 8 {
		t.Errorf("merit %v, want 8", m)
	}
}

// A predicate generalised holds wherever it held, tells apart as well or better,
// and gives up no more than its slack inside.
func TestGeneralise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		points, ks, _ := somePoints(t, s, 2)
		p := somePredicate(t, s, false)
		q := generalise(s, p, points, ks)
		all, _ := lattice(s)
		for _, x := range all {
			if p.Holds(x) && !q.Holds(x) {
				t.Fatalf("%s became %s, without %v", p.Format(s), q.Format(s), x)
			}
		}
		if err := q.Validate(s); err != nil || len(q) == 0 || len(q) > len(p) {
			t.Fatalf("%s became %s: %v", p.Format(s), q.Format(s), err)
		}
		before, inside := measured(p, points, ks)
		after, now := measured(q, points, ks)
		if !math.IsNaN(before) && (after < before-1e-12 || now < inside-slack-1e-12) {
			t.Fatalf("%s became %s: merit %v, was %v; inside %v, was %v", p.Format(s), q.Format(s), after, before, now, inside)
		}
	})
}

// A predicate simplified has a part of its conjuncts, and tells apart as well
// but for one standard error; nothing more can be left out of it.
func TestSimplify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		points, ks, _ := somePoints(t, s, 4)
		p := somePredicate(t, s, false)
		q := simplify(p, points, ks)
		in, out := sides(p, points, ks)
		if min(in.n, out.n) < 2 {
			if len(q) != len(p) {
				t.Fatal("changed, although nothing is known of its error")
			}
			return
		}
		least := in.merit(out) - float64(in.discount(out)*math.Hypot(in.standardError(), out.standardError()))
		if d, _ := measured(q, points, ks); d < least || size(q) > size(p) {
			t.Fatalf("%s became %s with merit %v; %v is too little", p.Format(s), q.Format(s), d, least)
		}
		for _, r := range shorter(q) {
			if size(r) != size(q)-1 {
				t.Fatalf("%s is not one shorter than %s", r.Format(s), q.Format(s))
			}
			if d, _ := measured(r, points, ks); d >= least {
				t.Fatalf("%s would do, with merit %v", r.Format(s), d)
			}
		}
		all, _ := lattice(s)
		for _, x := range all {
			if p.Holds(x) && !q.Holds(x) {
				t.Fatalf("%s became %s, without %v", p.Format(s), q.Format(s), x)
			}
		}
	})
}

// within is what going through the space says.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		p, q := somePredicate(t, s, false), somePredicate(t, s, false)
		if !within(p, q, s) {
			return
		}
		all, _ := lattice(s)
		for _, x := range all {
			if p.Holds(x) && !q.Holds(x) {
				t.Fatalf("%s is not within %s: %v", p.Format(s), q.Format(s), x)
			}
		}
	})
}

func TestSize(t *testing.T) {
	inf := math.Inf(1)
	p := space.Predicate{
		{Feature: 0, Interval: space.Interval{Lo: 1, Hi: 5}}, {Feature: 1, Interval: space.Interval{Lo: -inf, Hi: 5}},
		{Feature: 2, Set: []int{1, 2}}, {Feature: 3, Interval: space.Interval{Lo: 4, Hi: 4}},
	}
	if got := size(p); got != 5 {
		t.Errorf("size %d; want 2 for a range, 1 each for an end, a set and a value", got)
	}
}
