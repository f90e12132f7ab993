package evaluate

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

func TestLogarithms(t *testing.T) {
	table := newEntropies(5000)
	for n := 1; n <= 5000; n++ {
		const unit = 1 << entropyBits
		want := math.Log2(float64(n))
		if got := float64(table.logs[n]) / unit; math.Abs(got-want) > 1.0/unit {
			t.Fatalf("log₂ %d = %v, want %v", n, got, want)
		}
		if got := float64(table.sums[n]) / unit; math.Abs(got-want*float64(n)) > 1.0/unit {
			t.Fatalf("%d·log₂ %d = %v, want %v", n, n, got, want*float64(n))
		}
	}
	if log := log2(space.MaxCombinations); log != 20<<log2Bits {
		t.Errorf("log₂ of a power of two is %d units, want %d", log, uint64(20)<<log2Bits)
	}
}

// TestEntropies compares with the definitions in floating point.
func TestEntropies(t *testing.T) {
	table := newEntropies(2000)
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(1, 100), 1, 20).Draw(t, "counts")
		n, most, sum := 0, 0, int64(0)
		for _, c := range counts {
			n += c
			most = max(most, c)
			sum += table.sums[c]
		}
		var want float64
		for _, c := range counts {
			p := float64(c) / float64(n)
			want -= p * math.Log2(p)
		}
		shannon, least := table.of(n, sum, most)
		if math.Abs(shannon-want) > 1e-10 {
			t.Fatalf("%v: Shannon entropy %v, want %v", counts, shannon, want)
		}
		if want := math.Log2(float64(n) / float64(most)); math.Abs(least-want) > 1e-10 {
			t.Fatalf("%v: min-entropy %v, want %v", counts, least, want)
		}
		if least > shannon+1e-10 {
			t.Fatalf("%v: min-entropy %v above Shannon's %v", counts, least, shannon)
		}
	})
	if shannon, least := table.of(64, 2*table.sums[16]+4*table.sums[8], 16); shannon != 2.5 || least != 2 {
		t.Errorf("powers of two: %v and %v, want 2.5 and 2 exactly", shannon, least)
	}
}
