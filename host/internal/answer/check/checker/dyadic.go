package checker

import (
	"math"
	"math/big"
	"math/bits"
)

// Every number of a network, a box and a slope is an integer divided by a power of two, and
// so are sums and products of them. Numbers used together are integers over one common
// power, 2^shift, so that no fraction is ever reduced.

// fraction is the least shift that makes a finite v an integer.
func fraction(v float64) uint {
	if v == 0 {
		return 0
	}
	mantissa, exp := split(v)
	exp += bits.TrailingZeros64(mantissa)
	return uint(max(0, -exp))
}

// split gives v = ±mantissa · 2^exp.
func split(v float64) (mantissa uint64, exp int) {
	frac, exp := math.Frexp(math.Abs(v))
	return uint64(frac * (1 << 53)), exp - 53
}

// scaled sets z to v · 2^shift, for a shift of at least fraction(v).
func scaled(z *big.Int, v float64, shift uint) *big.Int {
	mantissa, exp := split(v)
	z.SetUint64(mantissa)
	if at := exp + int(shift); at >= 0 {
		z.Lsh(z, uint(at))
	} else {
		z.Rsh(z, uint(-at)) // trailing zeros only
	}
	if v < 0 {
		z.Neg(z)
	}
	return z
}

// compare is the sign of num/2^shift − v.
func compare(num *big.Int, shift uint, v float64) int {
	places := fraction(v)
	common := max(places, shift)
	a := new(big.Int).Lsh(num, common-shift)
	return a.Cmp(scaled(new(big.Int), v, common))
}

// rational is num/2^shift.
func rational(num *big.Int, shift uint) *big.Rat {
	return new(big.Rat).SetFrac(num, new(big.Int).Lsh(big.NewInt(1), shift))
}

// dyadic is n/2^shift.
type dyadic struct {
	n     big.Int
	shift uint
}

// add adds num/2^shift.
func (d *dyadic) add(num *big.Int, shift uint) {
	if shift > d.shift {
		d.n.Lsh(&d.n, shift-d.shift)
		d.shift = shift
	}
	var v big.Int
	d.n.Add(&d.n, v.Lsh(num, d.shift-shift))
}

// fractions is the least shift that makes all values integers.
func fractions(values []float64) uint {
	var shift uint
	for _, v := range values {
		shift = max(shift, fraction(v))
	}
	return shift
}

// integers returns the values times 2^shift.
func integers(values []float64, shift uint) []big.Int {
	out := make([]big.Int, len(values))
	for i, v := range values {
		scaled(&out[i], v, shift)
	}
	return out
}
