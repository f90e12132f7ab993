package statistics

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts the p-values of several tests and keeps their order in the slice (S. Holm,
// A simple sequentially rejective multiple test procedure, Scandinavian Journal of
// Statistics 6, 1979): the smallest is multiplied by their number, the next by one less,
// and so on; none may be less than a previous one, or exceed 1. Hypotheses whose adjusted
// p is below α may be rejected; the probability of any wrong rejection is at most α.
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
