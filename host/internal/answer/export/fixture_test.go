package export_test

import (
	"math/big"
	"math/rand/v2"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// tiny is a query small enough to read its files: one shared and one protected
// feature, one hidden layer of two neurons.
func tiny(n fairness.Notion) *problem.Query {
	q := &problem.Query{
		Model: &relu.Network{Head: relu.HeadSigmoid, Precision: 32, Layers: []relu.Layer{
			{Name: "hidden", In: 2, Out: 2, ReLU: true, Weights: []float64{1, -2, 0.5, 0.25}, Bias: []float64{-0.5, 1e-05}},
			{Name: "score", In: 2, Out: 1, Weights: []float64{1.5, -0.75}, Bias: []float64{0.125}},
		}},
		Space: &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "hours per week", Kind: space.Integer, Lo: -2, Hi: 3, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "age", Kind: space.Integer, Lo: 0, Hi: 2, Protected: []float64{0, 2}, Inputs: []space.Input{{Index: 1, Scale: 0.5, Offset: -0.5}}},
		}},
		Notion: n, Goal: problem.Decide,
	}
	if n.UsesEpsilon() {
		q.Epsilon = big.NewRat(1, 20)
	}
	return q
}

// random is a query over discrete features with codes, one-hot groups and
// affine maps, few enough to enumerate.
func random(r *rand.Rand, n fairness.Notion) *problem.Query {
	s := &space.Space{}
	feature := func(name string, protected, table bool) {
		f := space.Feature{Name: name, Kind: space.Integer, Lo: float64(r.IntN(4) - 2)}
		f.Hi = f.Lo + float64(1+r.IntN(3))
		if protected {
			f.Protected = []float64{f.Lo, f.Hi}
		}
		inputs := 1
		if table {
			inputs = 1 + r.IntN(2)
		}
		for range inputs {
			in := space.Input{Index: s.Inputs, Scale: dyadic(r), Offset: dyadic(r)}
			if table {
				in.Scale, in.Offset = 0, 0
				for range int(f.Hi-f.Lo) + 1 {
					in.Table = append(in.Table, dyadic(r))
				}
			}
			f.Inputs = append(f.Inputs, in)
			s.Inputs++
		}
		s.Features = append(s.Features, f)
	}
	tables := r.IntN(2) == 0
	feature("a", false, false)
	feature("b", false, tables)
	feature("sex", true, tables && r.IntN(2) == 0)
	feature("age", true, false)
	net := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	outputs := 1
	if r.IntN(2) == 0 {
		net.Head, outputs = relu.HeadSoftmax, 2
	}
	width, number := s.Inputs, func() float64 { return dyadic(r) }
	for _, l := range []relu.Layer{{Out: 3, ReLU: true}, {Out: 2, ReLU: r.IntN(2) == 0}, {Out: outputs}} {
		net.Layers = append(net.Layers, known.Layer(width, l.Out, l.ReLU, number, number))
		width = l.Out
	}
	q := &problem.Query{Model: net, Space: s, Notion: n, Goal: problem.Decide}
	if n.UsesEpsilon() {
		q.Epsilon = big.NewRat(int64(1+r.IntN(30)), 100)
	}
	return q
}

// dyadic is a number that is exact in float32, as are its sums and differences.
func dyadic(r *rand.Rand) float64 { return float64(r.IntN(33)-16) / 8 }

// eachPair visits every pair of copies of every individual, with its logits.
func eachPair(q *problem.Query, visit func(one, two []float64, l1, l2 *big.Rat)) {
	exact := q.Model.Exact()
	s := q.Space
	free := s.Free()
	x := make([]float64, len(s.Features))
	var walk func(k int)
	walk = func(k int) {
		if k < len(free) {
			f := &s.Features[free[k]]
			for v := f.Lo; v <= f.Hi; v++ {
				x[free[k]] = v
				walk(k + 1)
			}
			return
		}
		points := s.Counterfactuals(q.RegionOrWhole(), x)
		logits := make([]*big.Rat, len(points))
		for i, p := range points {
			logits[i] = exact.Logit(s.ExactInputs(p))
		}
		for i := range points {
			for j := range points {
				visit(points[i], points[j], logits[i], logits[j])
			}
		}
	}
	walk(0)
}

// violates is the definition of a violation in this order of the copies.
func violates(q *problem.Query, l1, l2 *big.Rat) bool {
	switch q.Notion {
	case fairness.Score:
		return l1.Cmp(l2) > 0 && fairness.GapExceeds(l1, l2, q.Epsilon)
	case fairness.Logit:
		return new(big.Rat).Sub(l1, l2).Cmp(q.Epsilon) > 0
	case fairness.Decision:
		return l1.Sign() > 0 && l2.Sign() <= 0
	}
	return l1.Sign() > 0 && l2.Sign() < 0
}
