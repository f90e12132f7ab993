package explain

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// measured is a predicate's merit and the mean k inside.
func measured(p space.Predicate, points [][]float64, ks []float64) (merit, inside float64) {
	in, out := sides(p, points, ks)
	return in.merit(out), in.mean()
}

// The merit is the difference of the means with a quarter of the samples outside, and half
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

// A generalised predicate holds wherever the original held, has at least its merit, and
// loses at most slack inside.
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

// A simplified predicate keeps a subset of the conjuncts and loses at most one standard
// error of merit. No further conjunct can be dropped.
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

// within agrees with an enumeration of the space.
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
