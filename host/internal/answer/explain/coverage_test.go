package explain

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// Coverage equals a count one by one.
func TestCoverageCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		p := somePredicate(t, s, false)
		_, allowed := lattice(s)
		inside := 0
		for _, x := range allowed {
			if p.Holds(x) {
				inside++
			}
		}
		got := Cover(s, s.Whole(), p)
		share := 0.0
		if len(allowed) > 0 {
			share = float64(inside) / float64(len(allowed))
		}
		if got.Count != strconv.Itoa(inside) || math.Abs(got.Share-share) > 1e-15 || got.Unconstrained {
			t.Fatalf("%+v; %d of %d", got, inside, len(allowed))
		}
	})
}

// Real features have a measure and no lattice points.
func TestCoverageOfReals(t *testing.T) {
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "r", Kind: space.Real, Lo: 0, Hi: 8, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "n", Kind: space.Integer, Lo: 1, Hi: 4, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		{Name: "z", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 2, Scale: 1}}},
	}}
	p := space.Predicate{
		{Feature: 0, Interval: space.Interval{Lo: math.Nextafter(6, 7), Hi: math.Inf(1)}},
		{Feature: 1, Interval: space.Interval{Lo: math.Inf(-1), Hi: 1}},
	}
	if got := Cover(s, s.Whole(), p); got.Count != "" || math.Abs(got.Share-1./16) > 1e-12 {
		t.Errorf("%+v, want a sixteenth and no count", got)
	}
	// Half of r is forbidden where n is 1.
	s.Forbidden = []space.Predicate{{
		{Feature: 0, Interval: space.Interval{Lo: 4, Hi: 8}}, {Feature: 1, Interval: space.Interval{Lo: 1, Hi: 1}},
	}}
	if got := Cover(s, s.Whole(), p[1:]); math.Abs(got.Share-4./28) > 1e-12 {
		t.Errorf("%+v, want a seventh", got)
	}
}
