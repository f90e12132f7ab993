package relu

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// steps computes an offset that depends on inputs: base plus, for every unit, its height times ReLU(t − at), where t is a
// weighted sum of inputs that differs between cases with different offsets. Between the values of t on both sides of a
// step, one unit makes the sum rise, and a second one ends the rise.
type steps struct {
	base    *big.Rat
	inputs  []int
	weights []float64  // of t
	at      []float64  // of each unit
	height  []*big.Rat // of each unit
	// affine: t itself is the only unit, without a ReLU: t takes two values.
	affine bool
}

// point is a value of t, and the offset there.
type point struct{ t, by *big.Rat }

// stepsOf returns the steps of an offset; linear: the network has no ReLUs.
func stepsOf(o model.Offset, linear bool) (*steps, error) {
	s := &steps{base: o.Cases[0].By, inputs: o.Inputs}
	if !slices.ContainsFunc(o.Cases, func(c model.Case) bool { return c.By.Cmp(s.base) != 0 }) {
		return s, nil
	}
	var err error
	if s.weights, err = direction(o.Cases); err != nil {
		return nil, err
	}
	var points []point
	for _, c := range o.Cases {
		t := new(big.Rat)
		for j, w := range s.weights {
			t.Add(t, new(big.Rat).Mul(c.At[j], new(big.Rat).SetFloat64(w)))
		}
		points = append(points, point{t, c.By})
	}
	slices.SortFunc(points, func(a, b point) int { return a.t.Cmp(b.t) })
	points = slices.CompactFunc(points, func(a, b point) bool { return a.t.Cmp(b.t) == 0 && a.by.Cmp(b.by) == 0 })
	// Aim at the middle of the allowed offsets, since steps are rounded.
	half := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(o.Bits)+1))
	s.base = new(big.Rat).Add(points[0].by, half)
	value, last := s.base, len(points)-1
	if s.affine = linear && last == 1; s.affine {
		s.at = []float64{0}
		slope := rise(points[0].t, points[1].t, new(big.Rat).Sub(points[1].by, points[0].by), o.Bits)
		s.base = new(big.Rat).Sub(s.base, new(big.Rat).Mul(slope, points[0].t))
		s.height = []*big.Rat{slope}
		return s, nil
	}
	for i := range last {
		if points[i+1].by.Cmp(points[i].by) == 0 {
			continue
		}
		_, lo := fairness.Enclosure(points[i].t)
		hi, _ := fairness.Enclosure(points[i+1].t)
		if !(lo < hi) {
			return nil, errors.New("two groups have inputs too close to each other for a step between them")
		}
		from, to := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
		if i+1 == last {
			to = points[last].t
		}
		want := new(big.Rat).Add(points[i+1].by, half)
		slope := rise(from, to, want.Sub(want, value), o.Bits)
		s.at, s.height = append(s.at, lo), append(s.height, slope)
		if i+1 < last {
			s.at, s.height = append(s.at, hi), append(s.height, new(big.Rat).Neg(slope))
		}
		value = new(big.Rat).Add(value, new(big.Rat).Mul(slope, to.Sub(to, from)))
	}
	return s, nil
}

// rise returns a slope with which a line rises from one point to another by the number by, up to 2^(−bits−4). Its
// denominator is a power of two.
func rise(from, to, by *big.Rat, bits int) *big.Rat {
	width := new(big.Rat).Sub(to, from)
	w, _ := width.Float64()
	_, exponent := math.Frexp(w)
	digits := uint(max(0, bits+4+exponent))
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), digits))
	k := new(big.Rat).Mul(new(big.Rat).Quo(by, width), scale)
	floor := new(big.Int).Div(k.Num(), k.Denom())
	return new(big.Rat).Quo(new(big.Rat).SetInt(floor), scale)
}

// direction returns weights of inputs whose weighted sums differ between cases with different offsets. It chooses the
// weights one after the other: each is, of those that it tries, the one with the greatest clearance between sums that have
// to differ, and 0 if the input is not needed.
func direction(cases []model.Case) (weights []float64, err error) {
	n := len(cases)
	in, sums, keys, offset := make([][]float64, n), make([]float64, n), make([]int, n), make([]int, n)
	for i, c := range cases {
		offset[i] = slices.IndexFunc(cases, func(d model.Case) bool { return d.By.Cmp(c.By) == 0 })
		for _, v := range c.At {
			f, _ := v.Float64()
			in[i] = append(in[i], f)
		}
	}
	for j := range in[0] {
		// Cases that agree so far have one sum; sums have to differ unless all their cases have the same offset.
		first, mixed := map[string]int{}, map[string]bool{}
		name := func(i int) string { return fmt.Sprint(in[i][:j+1]) }
		for i := range in {
			if k, seen := first[name(i)]; !seen {
				first[name(i)] = i
			} else if offset[k] != offset[i] {
				mixed[name(i)] = true
			}
		}
		for i := range keys {
			if keys[i] = offset[i]; mixed[name(i)] {
				keys[i] = n + first[name(i)]
			}
		}
		best, most, with := sums, -1.0, 0.0
		try := func(w float64) {
			next := slices.Clone(sums)
			for i := range next {
				next[i] += w * in[i][j]
			}
			if c := clearance(next, keys); c > most {
				best, most, with = next, c, w
			}
		}
		for k := range 64 {
			try(float64(k))
			try(math.Ldexp(1, k-32))
		}
		sums, weights = best, append(weights, with)
	}
	if clearance(sums, offset) <= least {
		return nil, model.ErrAlike
	}
	return weights, nil
}

// least is the largest clearance with which sums count as equal.
const least = 0x1p-30

// clearance is the least difference of neighbouring sums with different keys, relative to the largest difference of all
// sums. It is 1 if all keys are the same.
func clearance(sums []float64, keys []int) float64 {
	order := make([]int, len(sums))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(sums[a], sums[b]), keys[a]-keys[b]) })
	near, all := math.Inf(1), sums[order[len(order)-1]]-sums[order[0]]
	for k := 1; k < len(order); k++ {
		if keys[order[k]] != keys[order[k-1]] {
			near = min(near, sums[order[k]]-sums[order[k-1]])
		}
	}
	switch {
	case math.IsInf(near, 1):
		return 1
	case near <= 0:
		return 0
	}
	return near / all
}

// carry adds the units of the steps to every layer but the last. They are computed in the first layer with ReLUs, from t,
// which the layers before it pass on, and later ReLUs do not change them. For several units, a network without ReLUs gets
// a layer with ReLUs: its logit is lifted above 0 there, and lowered again afterwards.
func (n *Network) carry(s *steps, most float64) error {
	if len(s.height) == 0 {
		return nil
	}
	at, lift := slices.IndexFunc(n.Layers, func(l Layer) bool { return l.ReLU }), 0.0
	if at < 0 {
		if at = 0; !s.affine {
			var err error
			if lift, err = above(most); err != nil {
				return fmt.Errorf("%w for several groups", err)
			}
			at = len(n.Layers)
			n.Layers = append(n.Layers, Layer{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{lift}, ReLU: true})
		}
		n.Layers = append(n.Layers, Layer{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{-lift}})
	}
	more := 0
	for i := range n.Layers[:len(n.Layers)-1] {
		l := &n.Layers[i]
		rows := last(l.In+more, more)
		bias := make([]float64, more)
		if i == 0 {
			t := make([]float64, l.In)
			for j, w := range s.weights {
				t[s.inputs[j]] = w
			}
			rows, bias = [][]float64{t}, []float64{0}
		}
		if i == at {
			rows, bias = slices.Repeat(rows, len(s.at)), nil
			for _, v := range s.at {
				bias = append(bias, -v)
			}
		}
		*l = l.with(more, rows, bias)
		more = len(rows)
	}
	return nil
}

// last returns rows of n weights that pass on the last k inputs.
func last(n, k int) [][]float64 {
	rows := make([][]float64, k)
	for j := range rows {
		rows[j] = make([]float64, n)
		rows[j][n-k+j] = 1
	}
	return rows
}

// with returns the layer with more inputs, which only the additional units use.
func (l *Layer) with(more int, rows [][]float64, bias []float64) Layer {
	out := Layer{Name: l.Name, In: l.In + more, Out: l.Out + len(rows), Bias: slices.Concat(l.Bias, bias), ReLU: l.ReLU}
	for j := range l.Out {
		out.Weights = slices.Concat(out.Weights, l.Row(j), make([]float64, more))
	}
	out.Weights = append(out.Weights, slices.Concat(rows...)...)
	return out
}
