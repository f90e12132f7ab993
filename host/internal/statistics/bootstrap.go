package statistics

import (
	"math/rand/v2"
	"slices"
)

// Settings of the bootstrap: the number of resamples, and the confidence level of the
// intervals.
const (
	resamples  = 1000
	confidence = 0.95
)

// Interval is a confidence interval.
type Interval [2]float64

// bootstrap returns the intervals of the mean and of the median by B. Efron's percentile
// method (Bootstrap methods: another look at the jackknife, Annals of Statistics 7,
// 1979); nil for fewer than two values. Equal values have equal intervals.
func bootstrap(values []float64) (mean, median *Interval) {
	if len(values) < 2 {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	means, medians, sample := make([]float64, resamples), make([]float64, resamples), make([]float64, len(values))
	for i := range resamples {
		for k := range sample {
			sample[k] = values[rng.IntN(len(values))]
		}
		means[i], medians[i] = Mean(sample), Median(sample)
	}
	return percentiles(means), percentiles(medians)
}

func percentiles(values []float64) *Interval {
	slices.Sort(values)
	return &Interval{Quantile(values, (1-confidence)/2), Quantile(values, (1+confidence)/2)}
}
