package statistics

import (
	"math"
	"slices"
)

// maxExact is the largest number of values, both samples together, for which
// the distribution of U is computed exactly: the numbers of arrangements, at most
// C(60, 30) ≈ 1.2e17, fit into 64 bits, and the work is some million additions.
const maxExact = 60

// MannWhitney returns the two-sided p of the test of H. B. Mann and D. R. Whitney (On
// a test of whether one of two random variables is stochastically larger than
// the other, Annals of Mathematical Statistics 18, 1947): the probability that two
// samples of one distribution differ in order at least as much as x and y, twice the
// smaller tail. For up to 60 values it is exact, given the ties, by the shift algorithm of
// B. Streitberg and J. Röhmel (Exact distributions for permutation and rank
// tests: an introduction to some recently published algorithms, Statistical
// Software Newsletter 12, 1986); otherwise it is the normal approximation with
// the corrections for ties and for continuity. It is 1 if a sample is empty or all
// values are equal. Values must not be NaN; infinities are allowed.
func MannWhitney(x, y []float64) float64 {
	switch {
	case len(x) == 0 || len(y) == 0:
		return 1
	case len(x)+len(y) <= maxExact:
		return exactP(x, y)
	}
	return normalP(u(x, y), len(x), len(y), tieTerm(x, y))
}

// tieTerm returns Σ (t³ − t) over groups of t equal values.
func tieTerm(x, y []float64) float64 {
	counts := map[float64]float64{}
	for _, v := range slices.Concat(x, y) {
		counts[v]++
	}
	var sum float64 // of whole numbers: their order does not matter
	for _, t := range counts {
		sum += t*t*t - t
	}
	return sum
}

// exactP doubles the smaller tail of the distribution of x's rank sum, which is U plus a
// constant. A tail is the share of arrangements, the choices of len(x) of all values,
// whose sum is at most, or at least, x's. Equal values share their mean rank, so ranks
// are doubled to be integers.
func exactP(x, y []float64) float64 {
	ranks := make([]int, 0, len(x)+len(y))
	for _, r := range Ranks(append(slices.Clone(x), y...)) {
		ranks = append(ranks, int(2*r))
	}
	seen := 0
	for _, r := range ranks[:len(x)] {
		seen += r
	}
	counts := arrangements(ranks, len(x))
	below, above := tails(counts, seen)
	total := below + above - counts[seen]
	return math.Min(1, 2*float64(min(below, above))/float64(total))
}

// tails are the sums of the counts up to a place and from it to the end.
func tails[N uint64 | float64](counts []N, at int) (below, above N) {
	for _, c := range counts[:at+1] {
		below += c
	}
	for _, c := range counts[at:] {
		above += c
	}
	return below, above
}

// arrangements counts, for each sum, the choices of m ranks with that sum. The shift
// algorithm adds one rank after the other: the choices with the new rank are the earlier
// choices of one rank fewer, shifted by it.
func arrangements(ranks []int, m int) []uint64 {
	most := 0
	for _, r := range ranks {
		most += r
	}
	counts := make([][]uint64, m+1) // by the number of ranks chosen
	for i := range counts {
		counts[i] = make([]uint64, most+1)
	}
	counts[0][0] = 1
	reach := 0 // the sum of the ranks added so far
	for taken, r := range ranks {
		reach += r
		for i := min(taken+1, m); i > 0; i-- {
			for sum := r; sum <= reach; sum++ {
				counts[i][sum] += counts[i-1][sum-r]
			}
		}
	}
	return counts[m]
}

// normalP returns p from the normal approximation of U.
func normalP(u float64, m, n int, ties float64) float64 {
	a, b := float64(m), float64(n)
	all := a + b
	variance := a * b / 12 * (all + 1 - ties/(all*(all-1)))
	if !(variance > 0) {
		return 1
	}
	distance := math.Max(0, math.Abs(u-a*b/2)-0.5)
	return math.Min(1, math.Erfc(distance/math.Sqrt(2*variance)))
}
