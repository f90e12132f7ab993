package fairness

import (
	"fmt"
	"math/big"
)

// scoreGap measures σ(a) − σ(b).
var scoreGap = definition{
	name: "score", unit: "score", binned: true, slope: 0.25,
	check:   checkScoreEpsilon,
	exceeds: GapExceeds,
	margin: func(a, b *big.Rat, prec uint) (lo, hi *big.Rat) {
		if a.Cmp(b) == 0 {
			return new(big.Rat), new(big.Rat)
		}
		for lo, hi = GapBounds(a, b, prec); prec < finest && !near(lo, hi); lo, hi = GapBounds(a, b, prec) {
			prec = min(2*prec, finest)
		}
		if lo.Sign() < 0 {
			lo = new(big.Rat)
		}
		if one := big.NewRat(1, 1); hi.Cmp(one) > 0 {
			hi = one
		}
		return lo, hi
	},
	between: scoresApart,
	most: func(high, low, apart float64) float64 {
		if apart <= 0 {
			return 0
		}
		if apart < high-low {
			// At a fixed distance, two logits differ most in score if their middle is
			// nearest to 0.
			m := min(max(0, low+apart/2), high-apart/2)
			high, low = m+apart/2, m-apart/2
		}
		return min(scoresApart(high, low)+slop, 1)
	},
	sure: func(high, low, target float64) bool { return scoresApart(high, low)-slop > target },
}

// finest is a precision, in bits, that distinguishes any two float64 numbers, with bits to spare.
const finest = 1200

// near reports whether an enclosure is no wider than 2⁻⁶⁰ of its upper end.
func near(lo, hi *big.Rat) bool {
	width := new(big.Rat).Sub(hi, lo)
	return width.Mul(width, narrow).Cmp(hi) <= 0
}

var narrow = new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 60))

// slop bounds the error of a difference of two computed scores: Exp is accurate to an
// ulp, so a score to about 2⁻⁵¹. The bound allows for the rounding of the logits'
// middle, and for an exponential much worse than any in use.
const slop = 0x1p-44

func scoresApart(high, low float64) float64 { return Sigmoid(high) - Sigmoid(low) }

// leastEpsilon is 2⁻⁶²: its bins can still be counted in an int.
var leastEpsilon = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 62))

func checkScoreEpsilon(eps *big.Rat) error {
	if eps.Sign() <= 0 || eps.Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("ε = %s is outside 0 < ε < 1", FormatRat(eps))
	}
	if eps.Cmp(leastEpsilon) < 0 {
		return fmt.Errorf("ε = %s is below 2⁻⁶² (2.2e-19), the least difference of scores that is distinguished", FormatRat(eps))
	}
	return nil
}

// GapExceeds reports whether σ(a) − σ(b) > ε, exactly. The order matters: for a ≤ b
// and ε ≥ 0 the answer is false.
func GapExceeds(a, b, eps *big.Rat) bool {
	order := a.Cmp(b)
	switch {
	case eps.Sign() == 0 || order == 0:
		return order > eps.Sign()
	case eps.Sign() < 0:
		// Equality cannot occur, so this is the complement of the other order.
		return !GapExceeds(b, a, new(big.Rat).Neg(eps))
	case order < 0 || eps.Cmp(big.NewRat(1, 1)) >= 0:
		return false
	// σ(0) = ½ is rational, so it is added to ε: at ε = ½, only e^(−a) is left of σ(a) − σ(0) − ε,
	// and enclosures would need more bits than a is large.
	case a.Sign() == 0:
		return CompareScore(b, new(big.Rat).Sub(big.NewRat(1, 2), eps)) < 0
	case b.Sign() == 0:
		return CompareScore(a, new(big.Rat).Add(big.NewRat(1, 2), eps)) > 0
	}
	for prec := uint(firstPrecision); ; prec *= 2 {
		lo, hi := GapBounds(a, b, prec)
		if lo.Cmp(eps) > 0 {
			return true
		}
		if hi.Cmp(eps) < 0 {
			return false
		}
	}
}

// GapBounds encloses σ(a) − σ(b) between binary fractions at most 2^(−prec)
// apart. So GapBounds(a, b, 60) gives a lower bound that the pair reaches and
// that is short enough to write into a problem as the next target.
func GapBounds(a, b *big.Rat, prec uint) (lo, hi *big.Rat) {
	prec += 8 // room for the few units that the roundings cost
	aLo, aHi := score(a, prec)
	bLo, bHi := score(b, prec)
	return rational(down(prec).Sub(aLo, bHi)), rational(up(prec).Sub(aHi, bLo))
}
