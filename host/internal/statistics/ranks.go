package statistics

import (
	"cmp"
	"math"
	"slices"
)

// Ranks returns the ranks of the values in ascending order, from 1; equal values share
// their mean rank. Values must not be NaN.
func Ranks(values []float64) []float64 { return RanksFunc(values, cmp.Compare[float64]) }

// RanksFunc returns the Ranks of values in the order of compare.
func RanksFunc[T any](values []T, compare func(a, b T) int) []float64 {
	sorted := slices.SortedFunc(slices.Values(values), compare)
	out := make([]float64, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearchFunc(sorted, v, compare)
		after, _ := slices.BinarySearchFunc(sorted, v, func(have, want T) int { return cmp.Or(compare(have, want), -1) })
		out[i] = float64(first+after+1) / 2
	}
	return out
}

// Quantile returns the value below which a share q (0 to 1) of the values lies, by
// linear interpolation between neighbours (R. J. Hyndman and Y. Fan's type 7,
// Sample quantiles in statistical packages, The American Statistician 50, 1996).
// sorted must be ascending and not empty.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	below, above := sorted[i], sorted[min(i+1, len(sorted)-1)]
	return below + (at-float64(i))*(above-below)
}

// Median returns the median, without changing the order of values; NaN for no values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return Quantile(slices.Sorted(slices.Values(values)), 0.5)
}
