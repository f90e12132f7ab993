package evaluate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestErrorBounds compares every logit the kernel and careful compute with the
// exact one: their distance must be within the bound that is claimed. Weights
// range from the subnormal to where sums overflow.
func TestErrorBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		s := &space.Space{Inputs: 3, Features: []space.Feature{
			{Name: "real", Kind: space.Real, Lo: -3, Hi: 7, Inputs: []space.Input{{Index: 0, Scale: r.NormFloat64(), Offset: r.NormFloat64()}}},
			{Name: "whole", Kind: space.Integer, Lo: 0, Hi: 3, Inputs: []space.Input{{Index: 1, Table: []float64{0.1, -2, 1e-9, 4}}}},
			{Name: "copy", Kind: space.Real, Lo: 0, Hi: 1, Protected: []float64{-0.3, 0, 0.7}, Inputs: []space.Input{{Index: 2, Scale: 1.7, Offset: -0.2}}},
		}}
		scale := rapid.SampledFrom([]float64{1, 30, 1e-3, 1e-105, 1e-310, 1e60, 1e200}).Draw(t, "scale")
		outputs := rapid.IntRange(1, 2).Draw(t, "outputs")
		n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
		if outputs == 2 {
			n.Head = relu.HeadSoftmax
		}
		widths := []int{3, 1 + r.IntN(9), 1 + r.IntN(9), outputs}
		for k := range 3 {
			l := relu.Layer{In: widths[k], Out: widths[k+1], ReLU: k < 2}
			for range l.In * l.Out {
				l.Weights = append(l.Weights, r.NormFloat64()*scale)
			}
			for range l.Out {
				l.Bias = append(l.Bias, r.NormFloat64()*scale)
			}
			n.Layers = append(n.Layers, l)
		}
		e, err := New(n, s, space.Region{}, big.NewRat(1, 20))
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{-3 + 10*r.Float64(), float64(r.IntN(4)), 0}
		sc := e.newScratch()
		kernelBound := math.Inf(1)
		if e.score(sc, e.load(sc, x)) {
			kernelBound = e.bound
			sc.spell()
		}
		for c := range 3 {
			exact := e.exact.Logit(s.ExactInputs(e.Point(x, c)))
			near(t, "kernel", exact, sc.logits[c], kernelBound)
			logit, bound := e.careful(sc, e.Point(x, c))
			near(t, "careful", exact, logit, bound)
			if bound > kernelBound*(1+1e-9) {
				t.Fatalf("the bound at a point, %g, is above that of the domain, %g", bound, kernelBound)
			}
			if scale == 1 && !(kernelBound < 1e-9) {
				t.Fatalf("a bound of %g is of no use", kernelBound)
			}
		}
	})
}

// TestSteepForms: the copies' inputs are all zeros, or next to nothing, so that no
// sum is ever large, while the product of the weights along a way through the
// network is beyond all numbers.
func TestSteepForms(t *testing.T) {
	for _, unit := range []float64{0, 1e-305} {
		s := &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "x", Kind: space.Integer, Lo: 0, Hi: 1, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "z", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Table: []float64{0, unit}}}},
		}}
		n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
			{In: 2, Out: 2, ReLU: true, Weights: []float64{1, 1e200, 1, -1e200}, Bias: []float64{1, 1}},
			{In: 2, Out: 2, ReLU: true, Weights: []float64{1e200, 1e200, -1e200, 1}, Bias: []float64{0, 3}},
			{In: 2, Out: 1, Weights: []float64{1e-200, 1}, Bias: []float64{-1}},
		}}
		for _, v := range simd.Supported(variants) {
			t.Setenv(simd.Variable, v.name)
			e, err := New(n, s, space.Region{}, big.NewRat(1, 20))
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range [][]float64{{0, 0}, {1, 0}} {
				for c, got := range e.Copies(x).Scores {
					logit, _ := e.exact.Logit(s.ExactInputs(e.Point(x, c))).Float64()
					if want := fairness.Sigmoid(logit); math.Abs(got-want) > 1e-9 {
						t.Errorf("unit %g, %v, %s: score %v, want %v", unit, x, v.name, got, want)
					}
				}
			}
		}
	}
}

func near(t *rapid.T, what string, exact *big.Rat, computed, bound float64) {
	if math.IsInf(bound, 1) {
		return
	}
	d := new(big.Rat).SetFloat64(computed)
	d.Abs(d.Sub(d, exact))
	if d.Cmp(new(big.Rat).SetFloat64(bound)) > 0 {
		f, _ := d.Float64()
		t.Fatalf("%s: error %g above the bound %g", what, f, bound)
	}
}
