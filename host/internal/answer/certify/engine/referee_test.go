package engine_test

import (
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// The referees, known.Pairs and patterns, share nothing with the solvers' path and are plain
// enough to be believed. Both return the largest margin of the notion over
// every individual, exactly; ok is false where no pair is comparable.

// margin of an ordered pair of copies; for the score the lower end of an
// enclosure far narrower than any tolerance.
func margin(n fairness.Notion, a, b *big.Rat) (*big.Rat, bool) {
	switch n {
	case fairness.Score:
		if a.Cmp(b) < 0 {
			return nil, false
		}
		lo, _ := fairness.GapBounds(a, b, 100)
		return lo, true
	case fairness.Logit:
		return new(big.Rat).Sub(a, b), true
	case fairness.Decision:
		return a, a.Sign() > 0 && b.Sign() <= 0
	default:
		low := new(big.Rat).Neg(b)
		if a.Cmp(low) < 0 {
			low = a
		}
		return low, a.Sign() > 0 && b.Sign() < 0
	}
}

// eachIndividual visits every value of the discrete features; real ones stay
// at zero.
func eachIndividual(q *problem.Query, visit func(x []float64)) {
	box := slices.Clone(q.RegionOrWhole().Box)
	for _, i := range q.Space.Free() {
		if !q.Space.Features[i].Discrete() {
			box[i] = space.Interval{}
		}
	}
	for x := range q.Space.Individuals(box) {
		visit(x)
	}
}

// patterns finds the largest margin over a space with one or two real
// features: for every setting of the discrete ones, every ordered pair of
// copies and every pair of activation patterns, the margin is affine on a
// polygon, and its maximum sits at a vertex. Vertices are computed exactly.
func patterns(q *problem.Query) (best *big.Rat, ok bool) {
	s := q.Space
	var reals []int
	for _, i := range s.Free() {
		if !s.Features[i].Discrete() {
			reals = append(reals, i)
		}
	}
	eachIndividual(q, func(x []float64) {
		var copies [][]piece
		s.EachCombination(q.RegionOrWhole(), x, func(point []float64) {
			if s.Allowed(point) {
				copies = append(copies, pieces(q, point, reals))
			}
		})
		for i := range copies {
			for j := range copies {
				if i == j {
					continue
				}
				for _, one := range copies[i] {
					for _, two := range copies[j] {
						m, found := bestVertex(q, reals, one, two)
						if found && (!ok || m.Cmp(best) > 0) {
							best, ok = m, true
						}
					}
				}
			}
		}
	})
	return best, ok
}

// affine is c[0] + Σ c[1+i]·real feature i.
type affine []*big.Rat

func (f affine) at(v []*big.Rat) *big.Rat {
	sum := new(big.Rat).Set(f[0])
	for i := range v {
		sum.Add(sum, new(big.Rat).Mul(f[1+i], v[i]))
	}
	return sum
}

func combine(f, g affine, factor *big.Rat) affine {
	out := make(affine, len(f))
	for i := range f {
		out[i] = new(big.Rat).Add(f[i], new(big.Rat).Mul(factor, g[i]))
	}
	return out
}

// piece is one activation pattern: the logit on it, and the forms that are
// non-negative on it.
type piece struct {
	logit affine
	where []affine
}

func pieces(q *problem.Query, point []float64, reals []int) []piece {
	inputs := make([]affine, q.Space.Inputs)
	exact := q.Space.ExactInputs(point)
	for i := range inputs {
		inputs[i] = constant(exact[i], len(reals))
	}
	for k, i := range reals {
		for _, in := range q.Space.Features[i].Inputs {
			inputs[in.Index][0] = new(big.Rat).SetFloat64(in.Offset)
			inputs[in.Index][1+k] = new(big.Rat).SetFloat64(in.Scale)
		}
	}
	var out []piece
	var walk func(layer int, v []affine, where []affine)
	walk = func(layer int, v []affine, where []affine) {
		l := &q.Model.(*relu.Network).Layers[layer]
		y := make([]affine, l.Out)
		for j := range y {
			y[j] = constant(new(big.Rat).SetFloat64(l.Bias[j]), len(reals))
			for i, w := range l.Row(j) {
				y[j] = combine(y[j], v[i], new(big.Rat).SetFloat64(w))
			}
		}
		if layer == len(q.Model.(*relu.Network).Layers)-1 {
			logit := y[0]
			if len(y) == 2 {
				logit = combine(y[1], y[0], big.NewRat(-1, 1))
			}
			for range vertices(q, reals, where) {
				out = append(out, piece{logit, where})
				break
			}
			return
		}
		for phases := range 1 << l.Out {
			next := make([]affine, l.Out)
			here := append([]affine(nil), where...)
			for j := range y {
				if phases>>j&1 == 1 {
					next[j] = y[j]
					here = append(here, y[j])
				} else {
					next[j] = constant(new(big.Rat), len(reals))
					here = append(here, combine(next[j], y[j], big.NewRat(-1, 1)))
				}
			}
			walk(layer+1, next, here)
		}
	}
	walk(0, inputs, nil)
	return out
}

func constant(c *big.Rat, n int) affine {
	out := make(affine, n+1)
	out[0] = c
	for i := range n {
		out[1+i] = new(big.Rat)
	}
	return out
}

// bestVertex maximises the notion's margin over one polygon.
func bestVertex(q *problem.Query, reals []int, one, two piece) (best *big.Rat, ok bool) {
	forms := slices.Concat(one.where, two.where)
	if q.Notion == fairness.Decision {
		forms = append(forms, combine(constant(new(big.Rat), len(reals)), two.logit, big.NewRat(-1, 1)))
	}
	for v := range vertices(q, reals, forms) {
		m, comparable := margin(q.Notion, one.logit.at(v), two.logit.at(v))
		if comparable && (!ok || m.Cmp(best) > 0) {
			best, ok = m, true
		}
	}
	return best, ok
}

// vertices returns the vertices of the polygon in the region's box on which the forms are
// non-negative; a polygon without one is empty.
func vertices(q *problem.Query, reals []int, forms []affine) iter.Seq[[]*big.Rat] {
	n := len(reals)
	forms = slices.Clone(forms)
	for k, i := range reals {
		box := q.RegionOrWhole().Box[i]
		above, below := constant(new(big.Rat).SetFloat64(-box.Lo), n), constant(new(big.Rat).SetFloat64(box.Hi), n)
		above[1+k].SetInt64(1)
		below[1+k].SetInt64(-1)
		forms = append(forms, above, below)
	}
	return func(yield func([]*big.Rat) bool) {
		for i := range forms {
			for j := range max(i, 2-n) { // with n = 1, a vertex is one form's zero
				if v, found := vertex(n, forms[i], forms[j]); found && inside(forms, v) && !yield(v) {
					return
				}
				if n == 1 {
					break
				}
			}
		}
	}
}

func inside(forms []affine, v []*big.Rat) bool {
	for _, f := range forms {
		if f.at(v).Sign() < 0 {
			return false
		}
	}
	return true
}

// vertex solves f = 0 (one real feature), or f = g = 0 (two).
func vertex(n int, f, g affine) ([]*big.Rat, bool) {
	if n == 1 {
		if f[1].Sign() == 0 {
			return nil, false
		}
		return []*big.Rat{new(big.Rat).Neg(new(big.Rat).Quo(f[0], f[1]))}, true
	}
	det := new(big.Rat).Sub(new(big.Rat).Mul(f[1], g[2]), new(big.Rat).Mul(f[2], g[1]))
	if det.Sign() == 0 {
		return nil, false
	}
	x := new(big.Rat).Sub(new(big.Rat).Mul(f[2], g[0]), new(big.Rat).Mul(f[0], g[2]))
	y := new(big.Rat).Sub(new(big.Rat).Mul(f[0], g[1]), new(big.Rat).Mul(f[1], g[0]))
	return []*big.Rat{x.Quo(x, det), y.Quo(y, det)}, true
}

// tiny draws a small network over a small space. Weights are multiples of ¼,
// so ties and dead neurons happen.
func tiny(r *rand.Rand, reals int, constrained bool) *problem.Query {
	s := &space.Space{}
	feed := func(in space.Input) []space.Input {
		in.Index = s.Inputs
		s.Inputs++
		return []space.Input{in}
	}
	s.Features = append(s.Features, space.Feature{Name: "n", Kind: space.Integer, Lo: -1, Hi: float64(1 + r.IntN(3)), Inputs: feed(space.Input{Scale: 0.5})})
	if reals < 2 {
		categories := []string{"a", "b", "c"}
		f := space.Feature{Name: "c", Kind: space.Categorical, Hi: 2, Categories: categories}
		for k := range categories {
			table := make([]float64, 3)
			table[k] = 1
			f.Inputs = append(f.Inputs, feed(space.Input{Table: table})...)
		}
		s.Features = append(s.Features, f)
	}
	for k := range reals {
		s.Features = append(s.Features, space.Feature{Name: string(rune('u' + k)), Kind: space.Real, Lo: -1, Hi: 1, Inputs: feed(space.Input{Scale: 1})})
	}
	s.Features = append(s.Features, space.Feature{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: feed(space.Input{Scale: 1})})
	if reals == 0 {
		s.Features = append(s.Features, space.Feature{Name: "age", Kind: space.Integer, Hi: 9, Protected: []float64{1, 4, 5}, Inputs: feed(space.Input{Scale: 0.25, Offset: -0.5})})
	}
	if constrained {
		sex, _ := s.Index("sex")
		s.Forbidden = []space.Predicate{
			{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 1}}, {Feature: sex, Set: []int{r.IntN(2)}}},
		}
		if c, ok := s.Index("c"); ok {
			s.Forbidden = append(s.Forbidden, space.Predicate{{Feature: c, Set: []int{0, 2}}, {Feature: sex, Set: []int{1}}})
		}
	}
	width := 3
	if reals > 0 {
		width = 2
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	if r.IntN(4) == 0 {
		n.Head = relu.HeadSoftmax
	}
	in := s.Inputs
	layers := 1 + r.IntN(2)
	if reals == 2 {
		layers = 1 // the polygons of two layers are too many
	}
	for range layers {
		n.Layers = append(n.Layers, quarterLayer(r, in, width, true))
		in = width
	}
	outputs := 1
	if n.Head == relu.HeadSoftmax {
		outputs = 2
	}
	n.Layers = append(n.Layers, quarterLayer(r, in, outputs, false))
	return &problem.Query{Model: n, Space: s, Region: s.Whole(), Goal: problem.Decide}
}

func quarterLayer(r *rand.Rand, in, out int, rectified bool) relu.Layer {
	quarters := func(most int) func() float64 { return func() float64 { return float64(r.IntN(2*most+1)-most) / 4 } }
	return known.Layer(in, out, rectified, quarters(8), quarters(4))
}
