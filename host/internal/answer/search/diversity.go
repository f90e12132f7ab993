package search

import (
	"slices"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/sdk/space"
)

// Diversity is the mean Gower distance between pairs of individuals, over the
// non-protected features (see sdk/chain/nearest); nil for fewer than two
// individuals. Summing over pairs feature by feature costs n log n instead of
// n².
func Diversity(s *space.Space, found [][]float64) *float64 {
	n := float64(len(found))
	free := s.Free()
	if n < 2 || len(free) == 0 {
		return nil
	}
	var shares []float64
	for _, i := range free {
		values := make([]float64, len(found))
		for k, x := range found {
			values[k] = x[i]
		}
		slices.Sort(values)
		f := &s.Features[i]
		sum := 0.0
		switch {
		case f.Kind == space.Categorical:
			sum = n * (n - 1) / 2
			for from := 0; from < len(values); {
				to := from
				for to < len(values) && values[to] == values[from] {
					to++
				}
				sum -= float64(to-from) * float64(to-from-1) / 2
				from = to
			}
		case f.Hi > f.Lo:
			for k, v := range values { // v is added for each smaller value and subtracted for each larger one
				sum += v * (2*float64(k) - n + 1)
			}
			sum /= f.Hi - f.Lo
		}
		shares = append(shares, sum/(n*(n-1)/2))
	}
	mean := statistics.Mean(shares)
	return &mean
}
