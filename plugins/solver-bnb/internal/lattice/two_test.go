package lattice

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/simd"
)

// Counts of two sums are lower bounds, close to the truth, and all variants count the
// same.
func TestCountTwoBoundsTheTruth(t *testing.T) {
	var counted, truth float64
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		first, sums := box(r)
		dims := [2][]Dim{first, copied(first)}
		seconds := []float64{0}
		for d := range dims[1] {
			of := &dims[1][d]
			if of.Values != nil {
				for c := range of.Values {
					of.Values[c] = of.Values[c]*r.Float64() + r.NormFloat64()
				}
			} else {
				of.Step = of.Step*r.Float64() + r.NormFloat64()
			}
			var next []float64
			for _, s := range seconds {
				for c := range of.Cells {
					v := of.Step * float64(c)
					if of.Values != nil {
						v = of.Values[c]
					}
					next = append(next, s+v)
				}
			}
			seconds = next
		}
		start := [2]float64{r.NormFloat64(), r.NormFloat64()}
		above := [2]float64{start[0] + sums[r.IntN(len(sums))], start[1] + seconds[r.IntN(len(sums))] + r.NormFloat64()}
		either := r.IntN(2) == 0
		most := 0.0
		for i := range sums {
			one, other := start[0]+sums[i] > above[0]-1e-9, start[1]+seconds[i] > above[1]-1e-9
			if one && other || either && (one || other) {
				most++
			}
		}
		margin := r.Float64() * 1e-6
		var got float64
		for i, variant := range simd.Supported(variants) {
			c := NewCounter("")
			c.lanes = variant
			n := c.CountTwo(start, [2][]Dim{copied(dims[0]), copied(dims[1])}, above, either, 0, margin)
			if n > most || n < 0 {
				t.Fatalf("counted %v, at most %v of %d", n, most, len(sums))
			}
			if i == 0 {
				got = n
				counted, truth = counted+n, truth+most
			} else if got != n {
				t.Fatalf("%s counts %v, %s %v", variant.name, n, simd.Supported(variants)[0].name, got)
			}
			for k, v := range c.two.narrowest.rows.row[:min(front, len(c.two.narrowest.rows.row))] {
				if v != 0 {
					t.Fatalf("%s: %d at %d, in front of the row", variant.name, v, k)
				}
			}
		}
	})
	if counted < 0.8*truth {
		t.Errorf("counted %v of %v", counted, truth)
	}
}

func BenchmarkCountTwo(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var dims [2][]Dim
	for _, cells := range []int{12, 2, 4, 8, 2, 7, 3, 5, 10, 6, 12} {
		for k := range dims {
			dims[k] = append(dims[k], Dim{Cells: cells, Step: r.NormFloat64() / float64(cells)})
		}
	}
	c := NewCounter("")
	for b.Loop() {
		c.CountTwo([2]float64{}, [2][]Dim{slices.Clone(dims[0]), slices.Clone(dims[1])}, [2]float64{math.Pi / 10, 0}, false, 0, 0)
	}
}
