package simplex

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/internal/tier"
)

// All variants add the same to the last bit, and rows without a coefficient of the column stay as they are.
func TestVariantsAddTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 51))
	for range tier.Count(300, 3000) {
		count, stride := 1+r.IntN(9), 8*(1+r.IntN(9))
		draw := func(n int) (out []float64) {
			for range n {
				out = append(out, r.NormFloat64())
			}
			return out
		}
		rows, of, values, column, by := draw(count*stride), draw(stride), draw(count), r.IntN(stride), r.NormFloat64()
		none := r.IntN(count)
		rows[none*stride+column] = 0
		var first, firstValues []float64
		for _, variant := range simd.Supported(variants) {
			got, gotValues := slices.Clone(rows), slices.Clone(values)
			variant.add(&update{rows: &got[0], r: &of[0], values: &gotValues[0], count: count, stride: stride, column: column, by: by})
			if first == nil {
				first, firstValues = got, gotValues
			}
			if !slices.Equal(got, first) || !slices.Equal(gotValues, firstValues) {
				t.Fatalf("%s adds %v with values %v, %s %v with %v", variant.name, got, gotValues, simd.Supported(variants)[0].name, first, firstValues)
			}
		}
		if from, to := none*stride, (none+1)*stride; !slices.Equal(first[from:to], rows[from:to]) || firstValues[none] != values[none] {
			t.Fatalf("row %d has no coefficient of column %d, but went from %v to %v", none, column, rows[from:to], first[from:to])
		}
	}
}
