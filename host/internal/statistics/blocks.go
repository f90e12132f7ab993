package statistics

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// Comparisons of several arms over several networks are those of J. Demšar
// (Statistical comparisons of classifiers over multiple data sets, Journal of Machine
// Learning Research 7, 2006).

// Friedman tests whether arms differ over networks; a network is a row with one value per
// arm. It returns χ² and p of the test of M. Friedman (The use of ranks to avoid the
// assumption of normality implicit in the analysis of variance, Journal of the American
// Statistical Association 32, 1937), with the correction for ties. It needs three arms and
// two networks; with fewer, or if all values are equal, it returns 0 and 1.
func Friedman(networks [][]float64) (chi2, p float64) {
	n := float64(len(networks))
	if len(networks) < 2 || len(networks[0]) < 3 {
		return 0, 1
	}
	k := float64(len(networks[0]))
	sums, ties := make([]float64, len(networks[0])), 0.0
	for _, values := range networks {
		for i, r := range Ranks(values) {
			sums[i] += r
		}
		ties += tieTerm(values, nil)
	}
	var spread float64
	for _, s := range sums {
		spread += s * s
	}
	untied := 1 - ties/(n*k*(k*k-1))
	if !(untied > 0) {
		return 0, 1
	}
	chi2 = max(0, (12/(n*k*(k+1))*spread-3*n*(k+1))/untied)
	return chi2, mathext.GammaIncRegComp((k-1)/2, chi2/2)
}

// CriticalDifference returns the least significant difference of two arms' mean ranks for
// the given numbers of arms and networks, after P. Nemenyi (Distribution-free multiple
// comparisons, Princeton, 1963).
func CriticalDifference(arms, networks int) float64 {
	lo, hi := 0.0, 100.0
	for range 60 {
		if q := (lo + hi) / 2; studentizedRange(q, arms) > Significance {
			lo = q
		} else {
			hi = q
		}
	}
	return hi * math.Sqrt(float64(arms*(arms+1))/float64(12*networks))
}

// ControlDifference returns the least significant difference of an arm's mean rank from the
// control's, after O. J. Dunn (Multiple comparisons among means, Journal of the American
// Statistical Association 56, 1961): Bonferroni's correction for the number of other arms.
func ControlDifference(arms, networks int) float64 {
	z := math.Sqrt2 * math.Erfinv(1-Significance/float64(arms-1))
	return z * math.Sqrt(float64(arms*(arms+1))/float64(6*networks))
}

// studentizedRange returns the probability that the range of k standard normal values exceeds q.
func studentizedRange(q float64, k int) float64 {
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	inside := quad.Fixed(func(z float64) float64 {
		density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		return float64(k) * density * math.Pow(below(z)-below(z-q), float64(k-1))
	}, -10, 10+q, 300, nil, 0)
	return max(0, 1-inside)
}

// Wilcoxon returns the two-sided p of the signed-rank test of F. Wilcoxon (Individual
// comparisons by ranking methods, Biometrics Bulletin 1, 1945), whose null hypothesis is
// that differences are symmetric around 0. It is exact given the ties: twice the smaller
// tail over all choices of signs. Differences of 0 are dropped, as in the paper; p is 1 if
// none is left.
func Wilcoxon(differences []float64) float64 {
	var sizes []float64
	var positive []bool
	for _, d := range differences {
		if d != 0 {
			sizes, positive = append(sizes, math.Abs(d)), append(positive, d > 0)
		}
	}
	chance, seen := []float64{1}, 0 // of each sum of the positive ranks; ranks are doubled to be integers
	for i, r := range Ranks(sizes) {
		shift := int(2 * r)
		next := make([]float64, len(chance)+shift)
		for sum, c := range chance {
			next[sum] += c / 2
			next[sum+shift] += c / 2
		}
		if chance = next; positive[i] {
			seen += shift
		}
	}
	below, above := tails(chance, seen)
	return math.Min(1, 2*math.Min(below, above))
}
