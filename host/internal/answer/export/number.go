package export

import (
	"math/big"
	"strconv"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// number writes v as the shortest decimal that reads back to the very same
// float64: 17 digits at most. A negative zero is a zero.
func number(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) }

// plain is number without an exponent, which VNN-LIB and SMT-LIB do not know.
func plain(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }

// decimalBelow writes r exactly where it has a finite decimal of a reasonable
// length, else the float64 below it.
func decimalBelow(r *big.Rat) string {
	if digits, exact := r.FloatPrec(); exact && digits <= 60 {
		return r.FloatString(digits)
	}
	v, _ := fairness.Enclosure(r)
	return plain(v)
}
