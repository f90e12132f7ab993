// Package known generates problems whose truth is known, and checks answers against it.
//
// Query draws questions that a careful author would not think of. Tests use them to compare
// fast methods with the plain definitions: networks of every shape that a loader can
// produce, weights from denormal to huge, dead and doubled neurons, ties, ε from 10⁻⁹ to 1
// with up to forty digits, regions of one individual, and constraints that leave few
// individuals. MILP draws integer programs. Enumerate, Pairs and Best find the truth by
// enumeration, for which all problems are small enough. A Referee checks a status, a point, a
// bound and pieces for consistency, and compares them with the truth.
package known

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Query draws a question with the notion and the goal Decide, about at most a few hundred
// individuals. All features are discrete. The same state of r gives the same question.
func Query(r *rand.Rand, n fairness.Notion) *problem.Query {
	s := Space(r)
	q := &problem.Query{Model: Network(r, s.Inputs), Space: s, Region: s.Whole(), Notion: n, Goal: problem.Decide}
	cut(r, q)
	condition(r, q)
	aim(r, q)
	if n.UsesEpsilon() {
		q.Epsilon = Epsilon(r)
		if n == fairness.Logit && r.IntN(3) == 0 { // a tie
			if t := Enumerate(q); t.Some && t.Margin.Sign() >= 0 {
				q.Epsilon = t.Margin
			}
		}
	}
	return q
}

// Epsilon draws an ε between 0 and 1: a common one, one near an end, or any of at least 10⁻⁹,
// with up to forty digits.
func Epsilon(r *rand.Rand) *big.Rat {
	text := []string{"0.05", "1/3", "0.5", "0.3", "0.999999999", "0.000001", "0.000023", "1/7", "0.0001"}
	if i := r.IntN(2 * len(text)); i < len(text) {
		return rat(text[i])
	}
	digits := make([]byte, 1+r.IntN(40))
	for i := range digits {
		digits[i] = '0' + byte(r.IntN(10))
	}
	eps := rat(fmt.Sprintf("%d.%se-%d", 1+r.IntN(9), digits, 1+r.IntN(9)))
	return eps
}

func rat(text string) *big.Rat {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("known: " + text)
	}
	return v
}

// Space draws two to four free features and one or two protected ones, with at most a few
// hundred individuals of at most 15 copies each. A quarter of the spaces have
// constraints, and some of these leave few individuals, or none.
func Space(r *rand.Rand) *space.Space {
	s := &space.Space{}
	free := 1 + r.IntN(3)
	for i := range free + 1 + r.IntN(2) {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer}
		values := 1 + r.IntN(5)
		if i >= free {
			values = 2 + r.IntN(3)
		}
		f.Lo = float64(r.IntN(7) - 3)
		f.Hi = f.Lo + float64(values-1)
		if r.IntN(3) == 0 {
			f.Kind, f.Lo, f.Hi = space.Categorical, 0, float64(values-1)
			for v := range values {
				f.Categories = append(f.Categories, fmt.Sprint("c", v))
			}
		}
		switch feeds := r.IntN(6); {
		case feeds == 0 && s.Inputs > 0 && r.IntN(2) == 0: // a feature that the network does not see
		case feeds <= 2:
			for range values { // one-hot
				table := make([]float64, values)
				table[len(f.Inputs)] = 1
				f.Inputs = append(f.Inputs, space.Input{Index: s.Inputs, Table: table})
				s.Inputs++
			}
		default:
			for range 1 + r.IntN(8)/7 {
				f.Inputs = append(f.Inputs, space.Input{Index: s.Inputs, Scale: []float64{1, 1, 0.1, 1.0 / 3, -2, 0}[r.IntN(6)], Offset: []float64{0, 0, -0.5, 0.1}[r.IntN(4)]})
				s.Inputs++
			}
		}
		if i >= free {
			for v := f.Lo; v <= f.Hi; v++ {
				f.Protected = append(f.Protected, v)
			}
			if len(f.Protected) > 2 && r.IntN(3) == 0 {
				f.Protected = slices.Delete(f.Protected, 1, 2)
			}
		}
		s.Features = append(s.Features, f)
	}
	if s.Inputs == 0 {
		s.Features[0].Inputs = []space.Input{{Scale: 1}}
		s.Inputs = 1
	}
	if r.IntN(4) == 0 {
		for range 1 + r.IntN(3) {
			s.Forbidden = append(s.Forbidden, predicate(r, s))
		}
	}
	return s
}

// predicate draws conditions on one to three features, often wide ones.
func predicate(r *rand.Rand, s *space.Space) space.Predicate {
	var p space.Predicate
	for _, i := range r.Perm(len(s.Features))[:1+r.IntN(min(3, len(s.Features)))] {
		f := &s.Features[i]
		lo, hi := f.Lo+float64(r.IntN(int(f.Hi-f.Lo)+1)), f.Hi
		if r.IntN(2) == 0 {
			lo, hi = f.Lo, lo
		}
		c := space.Condition{Feature: i, Interval: space.Interval{Lo: lo, Hi: hi}}
		if f.Kind == space.Categorical {
			c = space.Condition{Feature: i}
			for v := lo; v <= hi; v++ {
				c.Set = append(c.Set, int(v))
			}
		}
		p = append(p, c)
	}
	slices.SortFunc(p, func(a, b space.Condition) int { return a.Feature - b.Feature })
	return p
}

// cut restricts the question's region, in half of all cases, to a part of the space: to
// fewer values, or to one individual.
func cut(r *rand.Rand, q *problem.Query) {
	kind := r.IntN(6)
	for i := range q.Space.Features {
		f, box := &q.Space.Features[i], &q.Region.Box[i]
		switch {
		case f.IsProtected():
			if kind == 0 {
				q.Region.Values[i] = slices.Clone(f.Protected[:2])
			}
		case kind == 1: // one individual
			box.Lo += float64(r.IntN(int(f.Hi-f.Lo) + 1))
			box.Hi = box.Lo
		case kind == 2:
			box.Lo += float64(r.IntN(int(f.Hi-f.Lo) + 1))
		}
	}
}

// condition adds predicates about individuals to some questions.
func condition(r *rand.Rand, q *problem.Query) {
	for _, predicates := range []*[]space.Predicate{&q.Require, &q.Forbid} {
		if r.IntN(8) > 0 {
			continue
		}
		p := predicate(r, q.Space)
		p = slices.DeleteFunc(p, func(c space.Condition) bool { return q.Space.Features[c.Feature].IsProtected() })
		if len(p) > 0 {
			*predicates = append(*predicates, p)
		}
	}
}

// Relaxed returns a copy of the question in which up to two ordered features, drawn
// from r, may differ between the copies. It returns nil if none is drawn.
func Relaxed(r *rand.Rand, q *problem.Query) *problem.Query {
	relaxed := *q
	for _, i := range q.Space.Free() {
		f := &q.Space.Features[i]
		if f.Kind == space.Integer && f.Hi > f.Lo && len(relaxed.Relax) < 2 && r.IntN(2) == 0 {
			relaxed.Relax = append(relaxed.Relax, problem.RelaxedFeature{Feature: i, Tolerance: float64(1 + r.IntN(2))})
		}
	}
	if relaxed.Relax == nil {
		return nil
	}
	return &relaxed
}

// aim brings the logits of most networks near 0, where decisions differ and scores are
// not all 0 or 1: it multiplies the last layer by a power of two and subtracts an
// individual's logit from its bias.
func aim(r *rand.Rand, q *problem.Query) {
	if r.IntN(4) == 0 {
		return
	}
	var logits []float64
	for range 20 {
		x := make([]float64, len(q.Space.Features))
		for i := range x {
			f := &q.Space.Features[i]
			x[i] = f.Lo + float64(r.IntN(int(f.Hi-f.Lo)+1))
		}
		logits = append(logits, q.Model.Logit(q.Space.NetworkInputs(nil, x)))
	}
	n := q.Model.(*relu.Network)
	last := &n.Layers[len(n.Layers)-1]
	spread := slices.Max(logits) - slices.Min(logits)
	factor := math.Ldexp(1, 3-r.IntN(6)-math.Ilogb(spread))
	if !(spread > 0 && spread < 1e100) || factor < 1e-100 || factor > 1e100 || n.Precision == 32 && (factor < 1e-20 || factor > 1e20) {
		return
	}
	middle := logits[0] * factor
	for _, v := range [][]float64{last.Weights, last.Bias} {
		for i := range v {
			v[i] *= factor
		}
	}
	if end := len(last.Bias) - 1; r.IntN(4) > 0 {
		last.Bias[end] -= middle
		if n.Precision == 32 {
			last.Bias[end] = float64(float32(last.Bias[end]))
		}
	}
}

// Network draws a network with up to three hidden layers, with and without ReLU, narrow
// and wide, with any head.
func Network(r *rand.Rand, inputs int) *relu.Network {
	heads := []relu.Head{relu.HeadSigmoid, relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}
	n := &relu.Network{Head: heads[r.IntN(len(heads))], Precision: 64}
	if r.IntN(3) == 0 {
		n.Precision = 32
	}
	draw := weights(r)
	hidden, linear := r.IntN(4), r.IntN(3)
	for range hidden {
		l := relu.Layer{In: inputs, Out: 1 + r.IntN(5), ReLU: true}
		if r.IntN(8) == 0 {
			l.Out = 9 + r.IntN(60)
		}
		switch linear {
		case 0:
			l.ReLU = r.IntN(2) == 0
		case 1:
			l.ReLU = r.IntN(5) != 0
		}
		fill(r, &l, draw)
		n.Layers, inputs = append(n.Layers, l), l.Out
	}
	last := relu.Layer{In: inputs, Out: 1}
	if n.Head == relu.HeadSoftmax {
		last.Out = 2
	}
	fill(r, &last, draw)
	n.Layers = append(n.Layers, last)
	if hidden > 0 && r.IntN(5) == 0 {
		k := r.IntN(hidden)
		cancel(r, &n.Layers[k], &n.Layers[k+1])
	}
	for k := range n.Layers {
		n.Layers[k].Name = fmt.Sprint("l", k)
		if n.Precision == 32 {
			for _, v := range [][]float64{n.Layers[k].Weights, n.Layers[k].Bias} {
				for i := range v {
					v[i] = float64(float32(v[i]))
					v[i] = max(-math.MaxFloat32, min(math.MaxFloat32, v[i]))
				}
			}
		}
	}
	return n
}

// weights draws a distribution of a network's numbers.
func weights(r *rand.Rand) func() float64 {
	quarters := func() float64 { return float64(r.IntN(17)-8) / 4 }
	switch r.IntN(8) {
	case 0, 1:
		return quarters
	case 2: // saturating, but of a common size
		return func() float64 { return 5 * r.NormFloat64() }
	case 3:
		return func() float64 { return 0.1 * r.NormFloat64() }
	case 4: // sparse
		return func() float64 {
			if r.IntN(3) > 0 {
				return 0
			}
			return quarters()
		}
	case 5: // large: logits of 10⁴ and more
		size := math.Pow(10, 1+8*r.Float64())
		return func() float64 { return math.Trunc(size * r.NormFloat64()) }
	case 6: // a mixture, with ties of 1 and −1
		return func() float64 {
			switch r.IntN(8) {
			case 0:
				return 0
			case 1:
				return math.SmallestNonzeroFloat64 * float64(r.IntN(9)-4)
			case 2, 3:
				return math.Copysign(math.Pow(10, float64(r.IntN(36)-15)), r.NormFloat64()) * (1 + r.Float64())
			case 4, 5:
				return float64(2*r.IntN(2) - 1)
			}
			return r.NormFloat64()
		}
	}
	return r.NormFloat64
}

// cancel makes two neurons of a layer nearly equal and steep, with opposite weights in
// the next layer. They cancel: only their difference and rounding errors remain.
func cancel(r *rand.Rand, l, next *relu.Layer) {
	if l.Out < 2 {
		return
	}
	size := math.Ldexp(1, 10+r.IntN(35))
	for i := range l.In {
		l.Row(0)[i] *= size
		l.Row(1)[i] = l.Row(0)[i]
	}
	l.Bias[0] *= size
	l.Bias[1] = l.Bias[0]
	l.Row(1)[r.IntN(l.In)] += r.NormFloat64()
	for j := range next.Out {
		next.Row(j)[1] = -next.Row(j)[0]
	}
}

// fill draws a layer's numbers. It makes some neurons dead, some copies of another, and
// some another's negative.
func fill(r *rand.Rand, l *relu.Layer, draw func() float64) {
	for range l.In * l.Out {
		l.Weights = append(l.Weights, draw())
	}
	for range l.Out {
		l.Bias = append(l.Bias, draw())
	}
	for j := range l.Out {
		other := r.IntN(l.Out)
		switch r.IntN(12) {
		case 0:
			l.Bias[j] = -1e6
		case 1:
			copy(l.Row(j), l.Row(other))
			l.Bias[j] = l.Bias[other]
		case 2:
			for i, w := range l.Row(other) {
				l.Row(j)[i] = -w
			}
			l.Bias[j] = -l.Bias[other]
		case 3:
			l.Bias[j] = 0
		}
	}
}
