package encode

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/problem"
)

// LargestMagnitude is the largest problem.MILP.Magnitude at which the claims of a
// floating-point solver count. One rounding at that size is 2⁻²³, a tenth of such
// solvers' tolerance of 10⁻⁶. Far above it, no float64 satisfies a row within the
// tolerance, and Sensitivity no longer covers the error.
const LargestMagnitude = 1 << 30

// Carried returns an error if the rows are too large for floating point: a
// floating-point solver proves nothing about them, and a file of float64 numbers
// holds a different problem.
func Carried(m *problem.MILP) error {
	if most := m.Magnitude(); !(most <= LargestMagnitude) {
		return fmt.Errorf("the values of a row reach %.3g, and beyond 2³⁰ (10⁹) floating point proves nothing: use bnb, which takes the model itself, or z3 or an smt2 file, which are exact", most)
	}
	return nil
}
