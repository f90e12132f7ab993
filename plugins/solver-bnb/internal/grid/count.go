package grid

import (
	"math"
	"math/big"
	"math/bits"
)

// Count is a number of individuals, modulo 2¹²⁸, so that what is taken away first
// and added later comes out right. The zero value is none.
type Count struct{ hi, lo uint64 }

// Of is a whole number, exactly; v is at least 0 and below 2⁶⁴.
func Of(v float64) Count { return Count{0, uint64(v)} }

// Add is c + d.
func (c Count) Add(d Count) Count {
	lo, carry := bits.Add64(c.lo, d.lo, 0)
	hi, _ := bits.Add64(c.hi, d.hi, carry)
	return Count{hi, lo}
}

// Sub is c − d.
func (c Count) Sub(d Count) Count {
	lo, borrow := bits.Sub64(c.lo, d.lo, 0)
	hi, _ := bits.Sub64(c.hi, d.hi, borrow)
	return Count{hi, lo}
}

// Float is the number, rounded.
func (c Count) Float() float64 { return float64(c.hi)*0x1p64 + float64(c.lo) }

// Big is the number.
func (c Count) Big() *big.Int {
	out := new(big.Int).SetUint64(c.hi)
	return out.Or(out.Lsh(out, 64), new(big.Int).SetUint64(c.lo))
}

// times is c·n; ok is unset where that does not fit.
func (c Count) times(n uint64) (product Count, ok bool) {
	over, lo := bits.Mul64(c.lo, n)
	beyond, hi := bits.Mul64(c.hi, n)
	hi, carry := bits.Add64(hi, over, 0)
	return Count{hi, lo}, beyond == 0 && carry == 0 && hi < 1<<63
}

// Exactly is the number of individuals of a box before constraints; of real
// features it counts cells. ok is unset where it does not fit.
func (g *Grid) Exactly(b Box) (n Count, ok bool) {
	n, ok = Of(1), true
	for d := range g.Dims {
		if n, ok = n.times(b[2*d+1] - b[2*d] + 1); !ok {
			return Count{math.MaxUint64, math.MaxUint64}, false
		}
	}
	return n, true
}
