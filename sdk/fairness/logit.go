package fairness

import (
	"fmt"
	"math"
	"math/big"
)

// logitGap measures a − b.
var logitGap = definition{
	name: "logit", unit: "logit", linear: true, slope: 1,
	check: func(eps *big.Rat) error {
		if eps.Sign() < 0 {
			return fmt.Errorf("ε = %s is negative", FormatRat(eps))
		}
		return nil
	},
	exceeds: func(a, b, target *big.Rat) bool { return new(big.Rat).Sub(a, b).Cmp(target) > 0 },
	margin: func(a, b *big.Rat, _ uint) (lo, hi *big.Rat) {
		lo = new(big.Rat).Sub(a, b)
		return lo, lo
	},
	between: func(high, low float64) float64 { return high - low },
	most: func(high, low, apart float64) float64 {
		return min(math.Nextafter(high-low, math.Inf(1)), apart)
	},
	sure: func(high, low, target float64) bool { return math.Nextafter(high-low, math.Inf(-1)) > target },
}
