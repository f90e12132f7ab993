package stats

import (
	"math"
	"slices"
)

// maxExact is the largest number of values, both samples together, for which
// the distribution of U is computed exactly.
const maxExact = 60

// MannWhitney is the two-sided p of the test of H. B. Mann and D. R. Whitney (On
// a test of whether one of two random variables is stochastically larger than
// the other, Annals of Mathematical Statistics 18, 1947): how likely two samples
// of one distribution differ in order as much as x and y do. Up to 60 values
// without ties it is exact, otherwise the normal approximation with the
// corrections for ties and for continuity. 1 where a sample is empty or all
// values are equal. Values must not be NaN; infinities rank as they should.
func MannWhitney(x, y []float64) float64 {
	if len(x) == 0 || len(y) == 0 {
		return 1
	}
	ties := tieTerm(x, y)
	if ties == 0 && len(x)+len(y) <= maxExact {
		return exactP(u(x, y), len(x), len(y))
	}
	return normalP(u(x, y), len(x), len(y), ties)
}

// tieTerm is Σ (t³ − t) over groups of t equal values.
func tieTerm(x, y []float64) float64 {
	all := append(slices.Clone(x), y...)
	slices.Sort(all)
	var sum float64
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		sum += t*t*t - t
		i = j
	}
	return sum
}

// exactP doubles the smaller tail of the distribution of U, the share of the
// arrangements of m and n values with at most, or at least, that U.
func exactP(u float64, m, n int) float64 {
	counts := arrangements(m, n)
	var total, below, above float64
	for v, c := range counts {
		total += c
		if float64(v) <= u {
			below += c
		}
		if float64(v) >= u {
			above += c
		}
	}
	return math.Min(1, 2*math.Min(below, above)/total)
}

// arrangements counts, for each U, the arrangements of m and n values with it,
// by Mann and Whitney's recurrence on which sample the largest value is of: of
// the first, it exceeds all n of the second; of the second, it changes nothing.
// Counts stay below 2⁶⁰ and lose no digit that matters for a p.
func arrangements(m, n int) []float64 {
	// table[j] is the distribution for i values of the first sample and j of the
	// second, i growing.
	table := make([][]float64, n+1)
	for j := range table {
		table[j] = []float64{1}
	}
	for i := 1; i <= m; i++ {
		next := make([][]float64, n+1)
		next[0] = []float64{1}
		for j := 1; j <= n; j++ {
			d := make([]float64, i*j+1)
			for v, c := range table[j] { // the largest of the first sample
				d[v+j] += c
			}
			for v, c := range next[j-1] {
				d[v] += c
			}
			next[j] = d
		}
		table = next
	}
	return table[n]
}

// normalP approximates U by a normal distribution.
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
