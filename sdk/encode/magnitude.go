package encode

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/problem"
)

// LargestMagnitude is the most that a row's terms may add up to, see
// problem.MILP.Magnitude, where the word of a solver in floating point is to
// count. A single rounding there is 2⁻²³, a tenth of the tolerance of 10⁻⁶ that
// such solvers have; far beyond, no float64 keeps a row within it, and what
// Sensitivity makes of the tolerance no longer covers what they do.
const LargestMagnitude = 1 << 30

// Carried tells in an error that floating point does not carry these rows: a
// solver in it proves nothing, and a file in it is another problem.
func Carried(m *problem.MILP) error {
	if most := m.Magnitude(); !(most <= LargestMagnitude) {
		return fmt.Errorf("the values of a row reach %.3g, and beyond 2³⁰ (10⁹) floating point proves nothing; bnb takes the model itself, and z3 and smt2 files are exact", most)
	}
	return nil
}
