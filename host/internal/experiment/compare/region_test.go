package compare

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/sdk/space"
)

// mixed is a space of an integer, a category, a real and a protected feature.
func mixed() *space.Space {
	return &space.Space{
		Features: []space.Feature{
			{Name: "age", Kind: space.Integer, Lo: -3, Hi: 17, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "sex", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 3, Categories: []string{"a.", "b|", "c,d", "e=f"}, Inputs: []space.Input{{Index: 2, Scale: 1}}},
			{Name: "rate", Kind: space.Real, Lo: 0, Hi: 1, Inputs: []space.Input{{Index: 3, Scale: 1}}},
		},
		Inputs: 4,
	}
}

func drawIndividual(t *rapid.T, label string) []float64 {
	return []float64{float64(rapid.IntRange(-3, 17).Draw(t, label)), 0, float64(rapid.IntRange(0, 3).Draw(t, label)), rapid.Float64Range(0, 1).Draw(t, label)}
}

// drawRegion draws a part of the space.
func drawRegion(t *rapid.T, s *space.Space) space.Region {
	r := s.Whole()
	a, b := drawIndividual(t, "corner"), drawIndividual(t, "corner")
	for _, i := range s.Free() {
		if rapid.Bool().Draw(t, "cut") {
			r.Box[i] = space.Interval{Lo: min(a[i], b[i]), Hi: max(a[i], b[i])}
		}
	}
	return r
}

// A partition's regions cover each individual, discrete values just once, and
// their shares add up to all; individuals are in the same cell iff they are in
// the same region.
func TestPartition(t *testing.T) {
	s := mixed()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"10", "2", "0.25", "age=4", "age=5,job=2", "rate=0.3,job=1"}).Draw(t, "chunks")
		c, err := chunksOf(s, text)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := c.Split(s, s.Whole())
		if err != nil {
			t.Fatal(err)
		}
		sum := new(big.Rat)
		for _, p := range parts {
			sum.Add(sum, share(s, s.Whole(), p))
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Fatalf("%s: shares add up to %s", text, sum.FloatString(6))
		}
		x, y := drawIndividual(t, "x"), drawIndividual(t, "y")
		x[3], y[3] = 0.1, 0.1 // ends of real intervals belong to both sides
		in := func(x []float64) (out []int) {
			for i, p := range parts {
				if s.RegionContains(p, x) {
					out = append(out, i)
				}
			}
			return out
		}
		a, b := in(x), in(y)
		if len(a) != 1 || len(b) != 1 {
			t.Fatalf("%s: %v is in regions %v", text, x, a)
		}
		if same := c.Cell(s, s.Whole(), x) == c.Cell(s, s.Whole(), y); same != (a[0] == b[0]) {
			t.Fatalf("%s: %v and %v: same cell %v", text, x, y, same)
		}
	})
}

func TestChunksRefused(t *testing.T) {
	s := mixed()
	for _, text := range []string{"", "0", "-1", "NaN", "age", "height=3", "sex=1", "age=none", "Inf", "adaptive"} {
		if _, err := chunksOf(s, text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	c, err := chunksOf(s, "rate=1e-9")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Split(s, s.Whole()); err == nil {
		t.Error("a billion regions")
	}
}

// Cutting beside a point partitions the region: the three parts are disjoint and cover it. Of
// a real feature they cover every float64.
func TestBeside(t *testing.T) {
	s := mixed()
	rapid.Check(t, func(t *rapid.T) {
		r := drawRegion(t, s)
		x, y := drawIndividual(t, "x"), drawIndividual(t, "y")
		for _, i := range s.Free() {
			x[i], y[i] = min(max(x[i], r.Box[i].Lo), r.Box[i].Hi), min(max(y[i], r.Box[i].Lo), r.Box[i].Hi)
		}
		for _, i := range wide(s, r) {
			below, at, above := around(&s.Features[i], i, r, x[i])
			parts := append(append(below, at...), above...)
			n := 0
			for _, p := range parts {
				if s.RegionContains(p, y) {
					n++
				}
			}
			if n != 1 || len(at) != 1 || !s.RegionContains(at[0], x) {
				t.Fatalf("%v cut at %v of feature %d: %v is in %d parts", r.Box, x, i, y, n)
			}
		}
	})
}

// A region survives being written as a predicate and read back.
func TestRegionsAsText(t *testing.T) {
	s := mixed()
	rapid.Check(t, func(t *rapid.T) {
		whole, r := s.Whole(), drawRegion(t, s)
		text := partition.Text(s, whole, r)
		box, err := boxOf(s, whole, text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		x := drawIndividual(t, "x")
		if box.Contains(x) != s.RegionContains(r, x) {
			t.Fatalf("%q: %v", text, x)
		}
	})
}

func TestDiversityEqualsPairs(t *testing.T) {
	s := mixed()
	rapid.Check(t, func(t *rapid.T) {
		var found [][]float64
		for range rapid.IntRange(0, 9).Draw(t, "n") {
			found = append(found, drawIndividual(t, "x"))
		}
		got := search.Diversity(s, found)
		var sum, pairs float64
		for i := range found {
			for k := range i {
				a, b := found[i], found[k]
				d := max(a[0]-b[0], b[0]-a[0])/20 + max(a[3]-b[3], b[3]-a[3])
				if a[2] != b[2] {
					d++
				}
				sum += d / 3
				pairs++
			}
		}
		if (got == nil) != (pairs == 0) || got != nil && (*got < sum/pairs-1e-12 || *got > sum/pairs+1e-12) {
			t.Fatalf("%v: pairs give %v", got, sum/pairs)
		}
	})
}
