package statistics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Student returns the half-width of a 95 % interval in standard errors, by the distribution of
// Student (The probable error of a mean, Biometrika 6, 1908); NaN without degrees of freedom.
func Student(freedom int) float64 {
	if freedom < 1 {
		return math.NaN()
	}
	n := float64(freedom)
	x := mathext.InvRegIncBeta(n/2, 0.5, 1-confidence)
	return math.Sqrt(n * (1 - x) / x)
}
