package space

import (
	"math/big"
	"slices"
)

// HasTable reports that the feature feeds the network by a table, which has no
// entry for values outside the domain.
func (f *Feature) HasTable() bool {
	return slices.ContainsFunc(f.Inputs, func(in Input) bool { return in.Table != nil })
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
			v := new(big.Rat)
			if in.Table != nil {
				v.SetFloat64(in.Table[int(point[i]-f.Lo)])
			} else {
				v.SetFloat64(point[i])
				v.Mul(v, new(big.Rat).SetFloat64(in.Scale))
				v.Add(v, new(big.Rat).SetFloat64(in.Offset))
			}
			out[in.Index] = v
		}
	}
	return out
}
