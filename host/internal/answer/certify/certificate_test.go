package certify

import (
	"math"
	"math/big"
	"testing"
)

// TestRoundUp: a claim is at least what was proved, and at most slightly larger.
func TestRoundUp(t *testing.T) {
	for _, v := range []float64{0, 1, 0.1, 0.123456789123, 1.0 / 3, 99999999.99999, 1e-300, 5e-324, 1e300, -0.123456789123, -1e-20} {
		r, exact := roundUp(v), new(big.Rat).SetFloat64(v)
		if r.Cmp(exact) < 0 {
			t.Errorf("%v becomes %s", v, r.RatString())
		}
		if near, _ := new(big.Rat).Sub(r, exact).Float64(); near > 1.1e-8*math.Abs(v) {
			t.Errorf("%v becomes %s, %g more", v, r.RatString(), near)
		}
	}
}
