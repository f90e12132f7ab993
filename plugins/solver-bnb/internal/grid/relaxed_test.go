package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// relaxedQuery lets features of every kind differ, in a part of the space.
func relaxedQuery(r *rand.Rand) *problem.Query {
	q := &problem.Query{Space: mixed()}
	q.Space.Forbidden = nil
	q.Region = q.Space.Whole()
	for i, tolerance := range []float64{2.5, 70_000, 1, []float64{0.1, 0.3, math.Inf(1)}[r.IntN(3)]} {
		if r.IntN(3) > 0 {
			q.Relax = append(q.Relax, problem.RelaxedFeature{Feature: i, Tolerance: tolerance})
		}
		if r.IntN(2) == 0 {
			f := &q.Space.Features[i]
			lo := f.Lo + math.Floor(r.Float64()*(f.Hi-f.Lo))
			q.Region.Box[i] = space.Interval{Lo: lo, Hi: min(lo+float64(r.IntN(3)), f.Hi)}
		}
	}
	return q
}

// The copies for values of the dimensions are in the domain, within the tolerance, and in
// the enclosures of second copies; for any two such copies there are values of the
// dimensions.
func TestPartners(t *testing.T) {
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		q := relaxedQuery(r)
		g, err := New(q)
		if err != nil {
			t.Fatal(err)
		}
		reach := encode.RelaxedRegion(q)
		for range 20 {
			b, _ := randomBox(r, g)
			x := make([]float64, len(g.Dims))
			for d := range x {
				lo, hi := g.span(d, b)
				x[d] = g.Dims[d].Nearest([]float64{lo, hi, lo + r.Float64()*(hi-lo)}[r.IntN(3)])
			}
			one, two := g.Complete(g.Point(x), 0), g.Complete(g.Partner(x), 1)
			if !q.Space.Contains(one) || !q.Space.Contains(two) || !q.Space.RegionContains(q.Region, one) || !q.Space.RegionContains(reach, two) {
				t.Fatalf("%v and %v are not in the space, or the region", one, two)
			}
			for _, i := range q.Space.Free() {
				at := slices.IndexFunc(q.Relax, func(r problem.RelaxedFeature) bool { return r.Feature == i })
				if one[i] == two[i] {
					continue
				}
				if moved++; at < 0 || beyond(one[i], two[i], q.Relax[at].Tolerance) {
					t.Fatalf("feature %d: %v and %v are too far apart", i, one[i], two[i])
				}
			}
			back := make([]float64, len(x))
			g.Coordinates(back, one, two)
			if !slices.Equal(g.Point(back), g.Point(x)) {
				t.Fatalf("%v became %v", g.Point(x), g.Point(back))
			}
			for i, v := range g.Partner(back) {
				if w := g.Partner(x)[i]; math.Abs(v-w) > 1e-12 || q.Space.Features[i].Discrete() && v != w {
					t.Fatalf("feature %d of the second copy: %v became %v", i, w, v)
				}
			}
			for i := range g.Relaxed {
				rel := &g.Relaxed[i]
				if math.Abs(two[rel.Feature]-one[rel.Feature]-x[rel.Shift]) > 1e-12 {
					continue // it was moved into the domain
				}
				lo, hi, ok := rel.Reach(g, b)
				if v := two[rel.Feature]; !ok || v < lo-1e-12 || v > hi+1e-12 {
					t.Fatalf("%v is outside %v to %v", v, lo, hi)
				}
			}
		}
	})
	if moved < 200 {
		t.Errorf("copies differed %d times", moved)
	}
}
