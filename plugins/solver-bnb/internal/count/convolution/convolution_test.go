package convolution

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// box returns a random box of dimensions, and the sums of all its points.
func box(r *rand.Rand) (dims []Dim, sums []float64) {
	sums = []float64{0}
	for range 1 + r.IntN(5) {
		cells := 1 + r.IntN(7)
		if len(sums) < 100 && r.IntN(4) == 0 { // whole octets
			cells = 1 + r.IntN(200)
		}
		d := Dim{Cells: cells, Step: r.NormFloat64() * math.Pow(10, float64(r.IntN(3)))}
		if r.IntN(5) == 0 {
			d.Step = 0
		}
		values := make([]float64, cells)
		for c := range values {
			values[c] = d.Step * float64(c)
		}
		if r.IntN(3) == 0 {
			for c := range values {
				values[c] = r.NormFloat64() * 5
			}
			d.Values = slices.Clone(values)
		}
		dims = append(dims, d)
		var next []float64
		for _, s := range sums {
			for _, v := range values {
				next = append(next, s+v)
			}
		}
		sums = next
	}
	return dims, sums
}

// Counts are lower bounds, close to the truth, and all variants count the same.
func TestCountBoundsTheTruth(t *testing.T) {
	check := func(t rapid.TB, seed uint64) (counted, truth float64) {
		r := rand.New(rand.NewPCG(seed, 2))
		dims, sums := box(r)
		start := r.NormFloat64()
		pick := func() float64 { return start + sums[r.IntN(len(sums))] + []float64{0, 0, r.NormFloat64()}[r.IntN(3)] }
		ts := []float64{pick(), pick(), pick(), pick()}
		slices.Sort(ts)
		th := notion.Thresholds{Below: ts[0], From: ts[1], To: ts[2], Above: ts[3]}
		switch r.IntN(4) {
		case 0:
			th.From, th.To = math.Inf(1), math.Inf(-1)
		case 1:
			th.Below = math.Inf(-1)
		case 2: // only points above a threshold
			th.Below, th.From, th.To = math.Inf(-1), math.Inf(1), math.Inf(-1)
		}
		margin := r.Float64() * 1e-6
		var above, below, between float64
		for _, s := range sums {
			v := start + s
			if v > th.Above-1e-9 {
				above++
			}
			if v <= th.Below+1e-9 {
				below++
			}
			if v > th.From-1e-9 && v <= th.To+1e-9 {
				between++
			}
		}
		var first [3]float64
		for i, variant := range simd.Supported(variants) {
			c := NewCounter("")
			c.lanes = variant
			again := slices.Clone(dims)
			var got [3]float64
			got[0], got[1], got[2] = c.Count(start, again, th, 0, margin)
			if got[0] > above || got[1] > below || got[2] > between {
				t.Fatalf("counted %v, at most %v, %v, %v of %d", got, above, below, between, len(sums))
			}
			if i == 0 {
				first = got
				counted, truth = got[0]+got[1]+got[2], above+below+between
			} else if got != first {
				t.Fatalf("%s counts %v, %s %v", variant.name, got, simd.Supported(variants)[0].name, first)
			}
		}
		return counted, truth
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Uint64().Draw(t, "seed")) })
	var counted, truth float64
	for seed := range uint64(200) { // the same seeds in every run
		c, of := check(t, seed)
		counted, truth = counted+c, truth+of
	}
	if counted < 0.8*truth {
		t.Errorf("counted %v of %v", counted, truth)
	}
}

// A billion points are counted exactly.
func TestCountIsExactWhereBinsAre(t *testing.T) {
	var dims []Dim
	all := big.NewInt(1)
	for range 9 {
		dims = append(dims, Dim{Cells: 10, Step: 1})
		all.Mul(all, big.NewInt(10))
	}
	above, below, _ := NewCounter("").Count(0, dims, notion.Thresholds{Above: 40.5, Below: 40.5, From: 1, To: 0}, 0, 0)
	// By symmetry s ↔ 81 − s, exactly half of the sums are above 40.5.
	if half := 5e8; above > half || below > half || above < 0.99*half || above != below {
		t.Errorf("%v above and %v below of %v", above, below, all)
	}
}

// Counts in float64 and in uint32 are the same.
func TestNarrowNumbersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		dims, sumsOf := box(r)
		th := notion.Thresholds{Below: sumsOf[r.IntN(len(sumsOf))] - 1, Above: sumsOf[r.IntN(len(sumsOf))]}
		th.From, th.To = th.Below, th.Above
		for _, variant := range simd.Supported(variants) {
			c := NewCounter("")
			c.lanes = variant
			width := 0.0
			for i := range dims {
				c.level(&dims[i])
				width += dims[i].width
			}
			last := len(dims) - 1
			c.order = c.order[:0]
			c.sort(dims, last)
			per := MaxBins * r.Float64() / max(width-dims[last].width, 1)
			a1, b1, c1 := sums(c, &c.narrow, c.shiftAdd32, dims, &dims[last], th, width, per)
			a2, b2, c2 := sums(c, &c.wide, c.shiftAdd, dims, &dims[last], th, width, per)
			if a1 != a2 || b1 != b2 || c1 != c2 {
				t.Fatalf("%s: %v, %v, %v of uint32, %v, %v, %v of float64", variant.name, a1, b1, c1, a2, b2, c2)
			}
		}
	})
}

// 2⁴⁰ points, more than uint32 holds, are counted exactly if the bins are exact.
func TestCountOfManyPoints(t *testing.T) {
	var first float64
	for _, variant := range simd.Supported(variants) {
		c := NewCounter("")
		c.lanes = variant
		var dims []Dim
		for range 40 {
			dims = append(dims, Dim{Cells: 2, Step: 1})
		}
		// By symmetry s ↔ 40 − s; the middle, C(40, 20) points, is neither.
		above, below, _ := c.Count(0, dims, notion.Thresholds{Above: 20, Below: 19.5, From: 1, To: 0}, 0, 0)
		want := (math.Exp2(40) - 137846528820) / 2
		if above > want || below > want || above < 0.99*want || below < 0.99*want {
			t.Errorf("%s: %v above and %v below, want %v", variant.name, above, below, want)
		}
		if first == 0 {
			first = above
		} else if above != first {
			t.Errorf("%s: %v above, %s %v", variant.name, above, simd.Supported(variants)[0].name, first)
		}
	}
}

// Contributions of very different sizes are counted, if at all, within the rows.
func TestCountOfUnlikeContributions(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		dims, sums := box(r)
		for d := range dims {
			scale := math.Pow(10, float64(r.IntN(640)-330))
			dims[d].Step *= scale
			for c := range dims[d].Values {
				dims[d].Values[c] *= scale
			}
		}
		var first float64
		for i, variant := range simd.Supported(variants) {
			c := NewCounter("")
			c.lanes = variant
			c.narrow.make() // even if no sum is computed
			again := slices.Clone(dims)
			above, below, _ := c.Count(0, again, notion.Thresholds{Above: 1, Below: 1, From: 1, To: 0}, 0, 0)
			if above+below > float64(len(sums)) {
				t.Fatalf("%s: %v above and %v below 1, of %d: %+v", variant.name, above, below, len(sums), dims)
			}
			if i == 0 {
				first = above
			} else if above != first {
				t.Fatalf("%s: %v above, %s %v", variant.name, above, simd.Supported(variants)[0].name, first)
			}
			for k, v := range c.narrow.row[:MaxBins] {
				if v != 0 {
					t.Fatalf("%s: %d at %d, in front of the row", variant.name, v, k)
				}
			}
		}
	}
}

func BenchmarkCount(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var dims []Dim
	for _, cells := range []int{12, 2, 4, 8, 2, 7, 3, 5, 10, 6, 25, 20} {
		dims = append(dims, Dim{Cells: cells, Step: r.NormFloat64()})
	}
	c := NewCounter("")
	for b.Loop() {
		c.Count(0, slices.Clone(dims), notion.Thresholds{Above: 3, Below: -3, From: 1, To: 0}, 0, 0)
	}
}
