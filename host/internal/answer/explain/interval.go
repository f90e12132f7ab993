package explain

import (
	"math"

	"github.com/hyfair/hyfair/host/internal/statistics"
)

// Mean is a mean of sampled k with its interval.
type Mean struct {
	// The number of samples.
	N int `json:"n"`
	// The mean of k.
	Mean float64 `json:"mean"`
	// The standard deviation (n − 1).
	SD float64 `json:"sd"`
	// The lower end of the interval of the mean.
	Low float64 `json:"low"`
	// The upper end of the interval of the mean.
	High float64 `json:"high"`
}

// Confidence is the least probability with which a Mean's interval holds the true mean.
const Confidence = 0.95

// meanOf is the mean of values of k, which lie between least and most, with an interval that
// contains the distribution's mean with probability Confidence or more. It holds for every
// distribution: mean ± √(2·V·ln(4/δ)/n) + 7·(most − least)·ln(4/δ)/(3(n − 1)), δ = 1 −
// Confidence, V the sample variance, once for each side (A. Maurer and M. Pontil, Empirical
// Bernstein bounds and sample variance penalization, COLT 2009, theorem 4). The interval stays
// wide even if all samples agree. It contains the mean of another sample of the same size about
// as often. With fewer than two values it is [least, most].
func meanOf(ks []float64, least, most float64) Mean {
	m := Mean{N: len(ks), Low: least, High: most}
	if m.N == 0 {
		return m
	}
	if m.Mean = statistics.Mean(ks); m.N < 2 {
		return m
	}
	m.SD = statistics.SD(ks)
	n, log := float64(m.N), math.Log(4/(1-Confidence))
	half := math.Sqrt(2*m.SD*m.SD*log/n) + 7*(most-least)*log/(3*(n-1))
	m.Low, m.High = max(least, m.Mean-half), min(most, m.Mean+half)
	return m
}
