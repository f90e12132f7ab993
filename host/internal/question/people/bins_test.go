package people

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestBinsAreExactForIntegers compares the float64 formula with exact fractions.
func TestBinsAreExactForIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Int64Range(-1e6, 1e6).Draw(t, "min")
		width := rapid.Int64Range(1, 1e6).Draw(t, "width")
		count := rapid.Int64Range(1, 1000).Draw(t, "count")
		x := rapid.Int64Range(lo-10, lo+width+10).Draw(t, "x")
		b := Bins{Count: int(count), Min: float64(lo), Max: float64(lo + width)}
		want := new(big.Int).Div(big.NewInt((x-lo)*count), big.NewInt(width)).Int64() // rounds down
		if x == lo+width {
			want = count - 1
		}
		if got := b.index(float64(x)); got != float64(want) {
			t.Fatalf("%d lies in bin %v, want %d", x, got, want)
		}
	})
}
