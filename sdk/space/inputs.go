package space

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// HasTable reports whether the feature feeds the network through a table, which has
// no entry for values outside the domain.
func (f *Feature) HasTable() bool {
	return slices.ContainsFunc(f.Inputs, func(in Input) bool { return in.Table != nil })
}

// Slope is the derivative along the feature of a function with the given derivatives by
// network input. An input with a table has no derivative, and adds 0: see Promise.
func (f *Feature) Slope(slopes []float64) (sum float64) {
	for k := range f.Inputs {
		if in := &f.Inputs[k]; in.Table == nil {
			sum += float64(in.Scale * slopes[in.Index])
		}
	}
	return sum
}

// Promise returns by how much a function with the given slopes, by network input,
// grows to first order if the feature changes from one value to another.
func (f *Feature) Promise(slopes []float64, from, to float64) (sum float64) {
	for k := range f.Inputs {
		in := &f.Inputs[k]
		d := in.Scale * (to - from)
		if in.Table != nil {
			d = in.Table[int(to-f.Lo)] - in.Table[int(from-f.Lo)]
		}
		sum += float64(d * slopes[in.Index])
	}
	return sum
}

// NetworkInputs maps a point to the network's inputs in float64, into dst if
// it is long enough.
func (s *Space) NetworkInputs(dst, point []float64) []float64 {
	if len(dst) < s.Inputs {
		dst = make([]float64, s.Inputs)
	}
	dst = dst[:s.Inputs]
	for i := range s.Features {
		f := &s.Features[i]
		for k := range f.Inputs {
			in := &f.Inputs[k]
			if in.Table != nil {
				dst[in.Index] = in.Table[int(point[i]-f.Lo)]
			} else {
				// The conversion keeps compilers from fusing the two roundings into
				// one, so that every machine feeds the network the same input.
				dst[in.Index] = float64(in.Scale*point[i]) + in.Offset
			}
		}
	}
	return dst
}

// ExactInputs maps a point to the network's inputs in exact arithmetic.
func (s *Space) ExactInputs(point []float64) []*big.Rat {
	out := make([]*big.Rat, s.Inputs)
	for i := range s.Features {
		f := &s.Features[i]
		for k := range f.Inputs {
			in := &f.Inputs[k]
			if in.Table != nil {
				out[in.Index] = exactly(in.Table[int(point[i]-f.Lo)])
				continue
			}
			v := exactly(point[i])
			v.Mul(v, exactly(in.Scale))
			out[in.Index] = v.Add(v, exactly(in.Offset))
		}
	}
	return out
}

// exactly returns v as a fraction. For integers, the most frequent case, it avoids the
// greatest common divisor of SetFloat64.
func exactly(v float64) *big.Rat {
	if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
		return new(big.Rat).SetInt64(int64(v))
	}
	return new(big.Rat).SetFloat64(v)
}

// Compare returns the sign of the input at value v less a border, in exact arithmetic. Table must be nil. It takes a few
// operations on float64 unless the input rounds to the border.
func (in *Input) Compare(v, border float64) int {
	// The float64 nearest to the input is on the input's side of the border, or on the border.
	if at := math.FMA(in.Scale, v, in.Offset); at != border {
		return cmp.Compare(at, border)
	}
	// If Offset − border is exact (Knuth's sum), one rounding is left. It keeps the sign, and makes 0 only of 0 and of
	// products that underflow.
	d := in.Offset - border
	back := d - in.Offset
	if rest := (in.Offset - (d - back)) - (border + back); rest == 0 {
		less := math.FMA(in.Scale, v, d)
		if less != 0 || v == 0 || math.Abs(in.Scale*v) > 0x1p-900 {
			return cmp.Compare(less, 0)
		}
	}
	x := exactly(v)
	x.Mul(x, exactly(in.Scale))
	return x.Add(x, exactly(in.Offset)).Cmp(exactly(border))
}
