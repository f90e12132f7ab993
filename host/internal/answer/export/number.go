package export

import (
	"math/big"
	"strconv"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// number formats v as the shortest decimal that reads back to the same float64: at most 17
// digits. A negative zero becomes 0.
func number(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) }

// plain is number without an exponent, which VNN-LIB and SMT-LIB do not have.
func plain(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }

// decimalBelow formats r exactly if it has a finite decimal of at most 60 digits after the
// point, else the float64 below it.
func decimalBelow(r *big.Rat) string {
	if digits, exact := r.FloatPrec(); exact && digits <= 60 {
		return r.FloatString(digits)
	}
	v, _ := fairness.Enclosure(r)
	return plain(v)
}
