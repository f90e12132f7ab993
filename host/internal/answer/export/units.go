package export

import (
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// units are the neurons between the product's inputs and the networks. If no feature has a
// table, they are the inputs themselves. Otherwise they are ReLUs: of v and −v, whose
// difference is v; and, for a table, of v − lo, v − lo − 1, …, a weighted sum of which
// interpolates the table:
//
//	T(v) = T(lo) + Σ d(k)·max(0, v − lo − k),   d(0) = T(lo+1) − T(lo),
//	d(k) = T(lo+k+1) − 2·T(lo+k) + T(lo+k−1)
type units struct {
	inputs []productInput
	count  int
	relu   bool
	// plus, minus and ramp are the first units of an input's v, −v and table; −1 if it has no
	// such unit.
	plus, minus, ramp []int
}

func newUnits(inputs []productInput) *units {
	u := &units{inputs: inputs, plus: make([]int, len(inputs)), minus: make([]int, len(inputs)), ramp: make([]int, len(inputs))}
	for x := range inputs {
		u.relu = u.relu || inputs[x].feature.HasTable()
	}
	take := func(n int) int {
		u.count += n
		return u.count - n
	}
	for x := range inputs {
		in := &inputs[x]
		u.plus[x], u.minus[x], u.ramp[x] = -1, -1, -1
		if !u.relu || hasAffine(in.feature) {
			u.plus[x] = take(1)
			if u.relu && in.lo < 0 {
				u.minus[x] = take(1)
			}
		}
		if in.feature.HasTable() {
			u.ramp[x] = take(max(1, int(in.feature.Hi-in.feature.Lo)))
		}
	}
	return u
}

func hasAffine(f *space.Feature) bool {
	return slices.ContainsFunc(f.Inputs, func(in space.Input) bool { return in.Table == nil })
}

// layer returns the layer that computes the units; nil if they are the inputs.
func (u *units) layer() *relu.Layer {
	if !u.relu {
		return nil
	}
	l := &relu.Layer{Name: "values", In: len(u.inputs), Out: u.count, ReLU: true, Bias: make([]float64, u.count)}
	l.Weights = make([]float64, l.In*l.Out)
	for x := range u.inputs {
		if u.plus[x] >= 0 {
			l.Row(u.plus[x])[x] = 1
		}
		if u.minus[x] >= 0 {
			l.Row(u.minus[x])[x] = -1
		}
		if u.ramp[x] >= 0 {
			f := u.inputs[x].feature
			for k := range max(1, int(f.Hi-f.Lo)) {
				l.Row(u.ramp[x] + k)[x] = 1
				l.Bias[u.ramp[x]+k] = 0 - f.Lo - float64(k)
			}
		}
	}
	return l
}

// spell writes the network input fed by input x of the product as a row over the units, and
// returns its constant.
func (u *units) spell(row []float64, x int, in *space.Input) (constant float64) {
	if in.Table == nil {
		row[u.plus[x]] = in.Scale
		if u.minus[x] >= 0 {
			row[u.minus[x]] = -in.Scale
		}
		return in.Offset
	}
	before := 0.0
	for k := range len(in.Table) - 1 {
		step := in.Table[k+1] - in.Table[k]
		row[u.ramp[x]+k] = step - before
		before = step
	}
	return in.Table[0]
}

// spelledExactly reports whether the interpolation reproduces the table exactly, as for most
// codes, whose differences need no rounding.
func spelledExactly(table []float64) bool {
	sum, slope, before := exactly(table[0]), new(big.Rat), 0.0
	for k := range len(table) - 1 {
		step := table[k+1] - table[k]
		slope.Add(slope, exactly(step-before))
		before = step
		if sum.Add(sum, slope).Cmp(exactly(table[k+1])) != 0 {
			return false
		}
	}
	return true
}

func exactly(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
