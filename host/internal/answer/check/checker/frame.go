package checker

import (
	"math/big"

	"github.com/hyfair/hyfair/sdk/space"
)

// frame says how the variables of linear forms represent a position in a box.
//
// A feature whose network inputs are all affine has one variable, from 0 at the interval's
// lower end to 1 at its upper end. A feature with a table has one variable for each value
// above the lower end: 1 at that value, 0 elsewhere. At most one of them is not 0. A
// feature with a single value has no variable.
type frame struct {
	groups []group // consecutive, from variable 0
}

// group holds the variables from ≤ v < to of one feature.
type group struct{ feature, from, to int }

func (f *frame) variables() int {
	if len(f.groups) == 0 {
		return 0
	}
	return f.groups[len(f.groups)-1].to
}

func newFrame(s *space.Space, box space.Box) frame {
	var f frame
	for i := range s.Features {
		feature := &s.Features[i]
		if feature.IsProtected() || box[i].Lo == box[i].Hi {
			continue
		}
		from, n := f.variables(), 1
		if feature.HasTable() {
			n = int(box[i].Hi - box[i].Lo)
		}
		f.groups = append(f.groups, group{i, from, from + n})
	}
	return f
}

// enclose sets lo and hi to the range of unit j over the box, times 2^shift. Variables of a
// group exclude one another; all others are independent.
func (f *frame) enclose(lo, hi *big.Int, of *forms, j int) {
	lo.Set(&of.base[j])
	hi.Set(&of.base[j])
	for _, g := range f.groups {
		var least, most *big.Int
		for v := g.from; v < g.to; v++ {
			c := &of.coef[v][j]
			if c.Sign() < 0 && (least == nil || c.Cmp(least) < 0) {
				least = c
			}
			if c.Sign() > 0 && (most == nil || c.Cmp(most) > 0) {
				most = c
			}
		}
		if least != nil {
			lo.Add(lo, least)
		}
		if most != nil {
			hi.Add(hi, most)
		}
	}
	for _, row := range of.coef[f.variables():] {
		switch c := &row[j]; c.Sign() {
		case -1:
			lo.Add(lo, c)
		case 1:
			hi.Add(hi, c)
		}
	}
}

// inputBits is a shift that makes every network input an integer at the ends of the box and
// at the region's protected values.
func inputBits(s *space.Space, box space.Box, values [][]float64) uint {
	var shift uint
	for i := range s.Features {
		f := &s.Features[i]
		ends := []float64{box[i].Lo, box[i].Hi}
		if f.IsProtected() {
			ends = values[i]
		}
		shift = max(shift, featureBits(f, fractions(ends)))
	}
	return shift
}

// featureBits is a shift that makes the feature's network inputs integers, at values with
// the given number of binary places.
func featureBits(f *space.Feature, places uint) uint {
	var shift uint
	for k := range f.Inputs {
		in := &f.Inputs[k]
		if in.Table != nil {
			shift = max(shift, fractions(in.Table))
		} else {
			shift = max(shift, fraction(in.Scale)+places, fraction(in.Offset))
		}
	}
	return shift
}

// input sets z to the network input at the feature's value v, times 2^shift.
func input(z *big.Int, f *space.Feature, in *space.Input, v float64, shift uint) *big.Int {
	if in.Table != nil {
		return scaled(z, in.Table[int(v-f.Lo)], shift)
	}
	places := fraction(v)
	var value big.Int
	scaled(z, in.Scale, shift-places)
	z.Mul(z, scaled(&value, v, places))
	return z.Add(z, scaled(&value, in.Offset, shift))
}

// inputs computes the linear forms of the network's inputs over the box; protected features
// contribute 0.
func (f *frame) inputs(to *forms, s *space.Space, box space.Box, shift uint) {
	to.reset(s.Inputs, f.variables(), shift)
	for i := range s.Features {
		feature := &s.Features[i]
		if feature.IsProtected() {
			continue
		}
		for k := range feature.Inputs {
			in := &feature.Inputs[k]
			input(&to.base[in.Index], feature, in, box[i].Lo, shift)
		}
	}
	for _, g := range f.groups {
		feature := &s.Features[g.feature]
		for k := range feature.Inputs {
			in := &feature.Inputs[k]
			for v := g.from; v < g.to; v++ {
				at := box[g.feature].Hi
				if g.to-g.from > 1 {
					at = box[g.feature].Lo + float64(v-g.from+1)
				}
				c := &to.coef[v][in.Index]
				c.Sub(input(c, feature, in, at, shift), &to.base[in.Index])
			}
		}
	}
}
