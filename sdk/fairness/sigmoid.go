package fairness

import (
	"math"
	"math/big"
)

// Sigmoid is the logistic function 1 / (1 + e^−t), to float64 accuracy and
// without overflow.
func Sigmoid(t float64) float64 {
	if t >= 0 {
		return 1 / (1 + math.Exp(-t))
	}
	e := math.Exp(t)
	return e / (1 + e)
}

// firstPrecision is the number of bits at which every comparison with a sigmoid
// starts; it is doubled until the enclosure decides. It does decide: by the
// Lindemann-Weierstrass theorem e^l is irrational at every rational l ≠ 0, so a
// score is never equal to a rational number except ½ = σ(0), and the difference of
// two different scores is never rational at all.
const firstPrecision = 64

// CompareScore is the sign of σ(logit) − p: −1, 0 or +1. It is 0 only if
// logit = 0 and p = ½.
func CompareScore(logit, p *big.Rat) int {
	half := big.NewRat(1, 2)
	switch {
	case p.Sign() <= 0:
		return 1
	case p.Cmp(big.NewRat(1, 1)) >= 0:
		return -1
	case logit.Sign() == 0:
		return half.Cmp(p)
	case logit.Sign() != p.Cmp(half):
		// The two lie on different sides of ½, or p is ½.
		return logit.Sign()
	}
	for prec := uint(firstPrecision); ; prec *= 2 {
		lo, hi := score(logit, prec)
		if rational(lo).Cmp(p) > 0 {
			return 1
		}
		if rational(hi).Cmp(p) < 0 {
			return -1
		}
	}
}

// LogitEnclosure gives close float64 numbers with lo ≤ logit(p) ≤ hi, where
// logit(p) = ln(p/(1−p)) and 0 < p < 1. For any other p it returns the limit, −Inf
// or +Inf, twice.
func LogitEnclosure(p *big.Rat) (lo, hi float64) {
	one := big.NewRat(1, 1)
	if p.Sign() <= 0 {
		return math.Inf(-1), math.Inf(-1)
	}
	if p.Cmp(one) >= 0 {
		return math.Inf(1), math.Inf(1)
	}
	// An estimate, then steps outward until the exact comparison agrees.
	at := estimateLogit(p)
	search := func(sign int) float64 {
		edge := math.Inf(sign)
		for v, ulps := at, 1; ; ulps *= 2 {
			if c := CompareScore(new(big.Rat).SetFloat64(v), p); c == 0 || c == sign {
				return v
			}
			for range ulps {
				v = math.Nextafter(v, edge)
			}
		}
	}
	return search(-1), search(1)
}

// estimateLogit is ln(p/(1−p)) to about float64 accuracy, for any 0 < p < 1.
func estimateLogit(p *big.Rat) float64 {
	rest := new(big.Rat).Sub(big.NewRat(1, 1), p)
	odds := new(big.Rat).Quo(p, rest)
	excess := new(big.Rat).Sub(odds, big.NewRat(1, 1))
	if e, _ := excess.Float64(); math.Abs(e) < 0.5 {
		return math.Log1p(e) // odds near 1, where ln(odds) would lose its digits
	}
	// Beyond the range of float64 the binary exponent carries the magnitude.
	mantissa := new(big.Float)
	exp := new(big.Float).SetPrec(64).SetRat(odds).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exp)*math.Ln2
}

// score encloses σ(logit). The width hi − lo is a few units of 2^(−prec); for
// −prec ≤ logit < 0, it is a few units of 2^(−prec) times the score.
func score(logit *big.Rat, prec uint) (lo, hi *big.Float) {
	lo, hi = tail(new(big.Rat).Abs(logit), prec)
	if logit.Sign() < 0 {
		return lo, hi
	}
	one := big.NewFloat(1)
	return down(prec).Sub(one, hi), up(prec).Sub(one, lo)
}

// tail encloses 1/(1 + e^t) for t ≥ 0. For t > prec it returns 0 and 2^(−prec),
// which is correct because e^(−t) < 2^(−t); so the cost depends on prec and not on
// the size of t.
func tail(t *big.Rat, prec uint) (lo, hi *big.Float) {
	if t.Cmp(new(big.Rat).SetInt64(int64(prec))) > 0 {
		return new(big.Float), new(big.Float).SetMantExp(big.NewFloat(1), -int(prec))
	}
	one := big.NewFloat(1)
	above := exp(t, prec, up)
	below := exp(t, prec, down)
	above.Add(one, above) // in the rounding mode they were made with
	below.Add(one, below)
	return down(prec).Quo(one, above), up(prec).Quo(one, below)
}

// exp bounds e^t for t ≥ 0 from the side that rounding gives: up or down.
//
// The argument is halved until it is below 2⁻⁸, the Taylor series is summed,
// and the sum squared as often. All operands are positive and all operations
// increase in each operand, so rounding every one of them to the same side
// bounds the result from that side. The series is cut after a term a; what
// follows is at most a·(r + r² + …) < a, which only an upper bound must add.
func exp(t *big.Rat, prec uint, rounding func(uint) *big.Float) *big.Float {
	if t.Sign() == 0 {
		return rounding(prec).SetInt64(1)
	}
	halvings := 8
	if whole := new(big.Int).Quo(t.Num(), t.Denom()); whole.Sign() > 0 {
		halvings += whole.BitLen()
	}
	// Each squaring doubles the relative error and so needs one more bit.
	prec += uint(halvings) + 16
	r := rounding(prec).SetRat(t)
	r.SetMantExp(r, -halvings)

	sum := rounding(prec).SetInt64(1)
	term := rounding(prec).SetInt64(1)
	enough := new(big.Float).SetMantExp(big.NewFloat(1), -int(prec))
	for i := int64(1); ; i++ {
		term.Mul(term, r)
		term.Quo(term, rounding(prec).SetInt64(i))
		sum.Add(sum, term)
		if term.Cmp(enough) < 0 {
			break
		}
	}
	if sum.Mode() == big.ToPositiveInf {
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// down and up are zeros that round every result towards −Inf and +Inf.
func down(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf) }
func up(prec uint) *big.Float   { return new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf) }

func rational(f *big.Float) *big.Rat {
	r, _ := f.Rat(nil)
	return r
}

// Enclosure returns neighbouring or equal float64 numbers with lo ≤ r ≤ hi.
func Enclosure(r *big.Rat) (lo, hi float64) {
	v, exact := r.Float64()
	if exact {
		return v, v
	}
	above := math.IsInf(v, 1) ||
		!math.IsInf(v, -1) && new(big.Rat).SetFloat64(v).Cmp(r) > 0
	if above {
		return math.Nextafter(v, math.Inf(-1)), v
	}
	return v, math.Nextafter(v, math.Inf(1))
}
