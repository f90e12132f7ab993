package audit

import (
	"math"
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestScoresOfGapsThatCancel: if large numbers cancel, float64 loses the logit. Scores, gaps and flips of a person
// and of each attribute are nevertheless those of exact arithmetic.
func TestScoresOfGapsThatCancel(t *testing.T) {
	for _, large := range []float64{0, 1, 1e8, 1e16, 1e20, 1e60, 1e100} {
		n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
			{In: 2, Out: 1, Weights: []float64{large, 100}, Bias: []float64{-large}},
		}}
		s := &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "a", Kind: space.Integer, Hi: 1, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "b", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1, Offset: -0.05}}},
		}}
		if err := n.Validate(); err != nil {
			t.Fatal(err)
		}
		out, err := Run(t.Context(), Config{Model: n, Space: s, Region: s.Whole(), Epsilon: big.NewRat(1, 20)}, [][]float64{{1, 0}, {1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		// The exact logits are −5 and 95, to what 0.05 is in float64.
		low, high := 1/(1+math.Exp(5)), 1.0
		for _, p := range out.People {
			e := p.Effects[0]
			if math.Abs(p.Low.Score-low) > 1e-9 || p.High.Score != high || math.Abs(p.Gap-(high-low)) > 1e-9 || !p.Flips ||
				e.Best != 1 || e.Worst != 0 || e.BestScore != high || math.Abs(e.WorstScore-low) > 1e-9 || !e.Flips || math.Abs(math.Abs(e.Advantage)-(high-low)) > 1e-9 {
				t.Errorf("%g: %+v", large, p)
			}
		}
	}
}
