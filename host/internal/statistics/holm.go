package statistics

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts p-values for being several, in the order given (S. Holm, A
// simple sequentially rejective multiple test procedure, Scandinavian Journal
// of Statistics 6, 1979): the smallest is multiplied by their number, the next
// by one less, and so on, none falling below one before it or above 1. What is
// below α afterwards may be rejected, and the chance of any wrong rejection
// stays below α.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = math.Max(least, math.Min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}
