package fairness_test

import "math/big"

// An independent way to the sigmoid's edges: natural logarithms by the
// arithmetic-geometric mean (Brent 1976; Gauss for π), at 400 bits, rounded to
// nearest. It shares neither the function (exp) nor the method (Taylor) nor
// the rounding with the package.
const refPrec = 400

func ref() *big.Float              { return new(big.Float).SetPrec(refPrec) }
func refInt(n int64) *big.Float    { return ref().SetInt64(n) }
func half(x *big.Float) *big.Float { return ref().Quo(x, refInt(2)) }

func agm(a, b *big.Float) *big.Float {
	for range 60 { // quadratic convergence, and a start as small as 2^-300
		a, b = half(ref().Add(a, b)), ref().Sqrt(ref().Mul(a, b))
	}
	return a
}

// refPi is π by Gauss and Legendre.
func refPi() *big.Float {
	a, b := refInt(1), ref().Sqrt(ref().Quo(refInt(1), refInt(2)))
	t, p := ref().Quo(refInt(1), refInt(4)), refInt(1)
	for range 12 {
		next := half(ref().Add(a, b))
		b = ref().Sqrt(ref().Mul(a, b))
		d := ref().Sub(a, next)
		t = ref().Sub(t, ref().Mul(p, ref().Mul(d, d)))
		p = ref().Mul(p, refInt(2))
		a = next
	}
	s := ref().Add(a, b)
	return ref().Quo(ref().Mul(s, s), ref().Mul(refInt(4), t))
}

// lnShifted is ln(x·2^m), accurate for m large.
func lnShifted(pi, x *big.Float, m int) *big.Float {
	s := ref().SetMantExp(x, m)
	return ref().Quo(pi, ref().Mul(refInt(2), agm(refInt(1), ref().Quo(refInt(4), s))))
}

// refLogit is ln(p/(1−p)) with an absolute error far below 10⁻⁸⁰.
func refLogit(p *big.Rat) *big.Rat {
	odds := new(big.Rat).Quo(p, new(big.Rat).Sub(big.NewRat(1, 1), p))
	const m = 300
	pi := refPi()
	ln2 := ref().Quo(lnShifted(pi, refInt(1), m), refInt(m))
	ln := ref().Sub(lnShifted(pi, ref().SetRat(odds), m), ref().Mul(refInt(m), ln2))
	r, _ := ln.Rat(nil)
	return r
}
