package problem

import (
	"fmt"
	"math/big"
)

// Number is an exact value: Rat if it is not nil, else Float. The zero value is 0.
type Number struct {
	Float float64
	Rat   *big.Rat
}

// Float64 is the value rounded to float64.
func (n Number) Float64() float64 {
	if n.Rat != nil {
		f, _ := n.Rat.Float64()
		return f
	}
	return n.Float
}

// String writes the float64 in its shortest form, or n/d.
func (n Number) String() string {
	if n.Rat != nil {
		return n.Rat.RatString()
	}
	return fmt.Sprintf("%g", n.Float)
}

// Floats wraps float64 values.
func Floats(values []float64) []Number {
	out := make([]Number, len(values))
	for i, v := range values {
		out[i] = Number{Float: v}
	}
	return out
}

// Float64s returns the values as float64; fractions are rounded.
func Float64s(values []Number) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v.Float64()
	}
	return out
}
