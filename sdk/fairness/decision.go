package fairness

import (
	"math"
	"math/big"
)

// decision measures a if b is a "no": b ≤ 0.
var decision = definition{
	name: "decision", linear: true, jumps: true, slope: 1,
	exceeds: func(a, b, target *big.Rat) bool {
		return a.Sign() > 0 && b.Sign() <= 0 && a.Cmp(target) > 0
	},
	margin: func(a, _ *big.Rat, _ uint) (lo, hi *big.Rat) { return a, a },
	between: func(high, low float64) float64 {
		if low > 0 {
			return math.Inf(-1)
		}
		return high
	},
	// A logit of 0 is a "no".
	promise: func(high, low float64) float64 { return min(high, -low+math.SmallestNonzeroFloat64) },
	most: func(high, low, apart float64) float64 {
		if low > 0 {
			return math.Inf(-1)
		}
		return min(high, apart)
	},
	sure: func(high, low, target float64) bool { return high > max(0, target) && low <= 0 },
}

// decisionStrict measures min(a, −b).
var decisionStrict = definition{
	name: "decision-strict", linear: true, slope: 1,
	exceeds: func(a, b, target *big.Rat) bool {
		return a.Cmp(target) > 0 && new(big.Rat).Neg(b).Cmp(target) > 0
	},
	margin: func(a, b *big.Rat, _ uint) (lo, hi *big.Rat) {
		if lo = new(big.Rat).Neg(b); a.Cmp(lo) < 0 {
			lo = a
		}
		return lo, lo
	},
	between: func(high, low float64) float64 { return min(high, -low) },
	most:    func(high, low, apart float64) float64 { return min(high, -low, apart/2) },
	sure:    func(high, low, target float64) bool { return high > target && -low > target },
}
