package fairness

import (
	"math"
	"math/big"
)

// ScoreEnclosure gives neighbouring or equal float64 numbers (up to a few
// units in the last place) with lo ≤ σ(logit) ≤ hi.
func ScoreEnclosure(logit *big.Rat) (lo, hi float64) {
	// 1152 bits reach below the smallest float64, 2⁻¹⁰⁷⁴.
	l, h := score(logit, 1152)
	return floatBelow(l), floatAbove(h)
}

// floatBelow is the largest float64 at most f, floatAbove the smallest at least f.
func floatBelow(f *big.Float) float64 {
	v, accuracy := f.Float64()
	if accuracy == big.Above {
		v = math.Nextafter(v, math.Inf(-1))
	}
	return v
}

func floatAbove(f *big.Float) float64 {
	v, accuracy := f.Float64()
	if accuracy == big.Below {
		v = math.Nextafter(v, math.Inf(1))
	}
	return v
}
