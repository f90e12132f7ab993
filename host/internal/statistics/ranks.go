package statistics

import (
	"cmp"
	"math"
	"slices"
)

// Ranks returns the ranks of the values in ascending order, from 1; equal values share
// their mean rank. Values must not be NaN.
func Ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			out[at] = float64(i+j+1) / 2
		}
		i = j
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
