// Package statistics holds the few statistics that comparisons of several runs need:
// mean, median, standard deviation and bootstrapped intervals, the Mann-Whitney U test,
// Holm's correction and the Vargha-Delaney effect size on one network, the tests of
// Friedman, Nemenyi, Dunn and Wilcoxon over several. All functions are pure.
package statistics

import "math"

// Mean returns the arithmetic mean; NaN for no values.
func Mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// SD returns the sample standard deviation (n − 1); NaN for fewer than two values.
func SD(values []float64) float64 {
	mean, squares := Mean(values), 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean)) // the conversion prevents a fused multiply-add, which only some machines have
	}
	if len(values) < 2 {
		return math.NaN()
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// A12 returns the effect size of A. Vargha and H. D. Delaney (A critique and
// improvement of the CL common language effect size statistics of McGraw and
// Wong, Journal of Educational and Behavioral Statistics 25, 2000): the
// probability that a value of x exceeds one of y, ties counting half. ½ means no
// effect; NaN if a sample is empty.
func A12(x, y []float64) float64 { return u(x, y) / (float64(len(x)) * float64(len(y))) }

// u counts the pairs in which x exceeds y, ties counting half: the statistic of
// Mann and Whitney for x.
func u(x, y []float64) float64 {
	var wins float64
	for _, a := range x {
		for _, b := range y {
			switch {
			case a > b:
				wins++
			case a == b:
				wins += 0.5
			}
		}
	}
	return wins
}
