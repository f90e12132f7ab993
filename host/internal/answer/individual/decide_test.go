package individual

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// question is a network with weights of one magnitude, of which many sums are 0,
// over a table and two numbers.
func question(r *rand.Rand, scale float64) (*relu.Network, *space.Space) {
	s := &space.Space{Inputs: 4, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: -3, Hi: 6, Inputs: []space.Input{{Index: 0, Scale: 0.5, Offset: 0.25}}},
		{Name: "age", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{-1, 3, 12}, Inputs: []space.Input{{Index: 1, Scale: 0.1, Offset: -1}}},
		{Name: "group", Kind: space.Categorical, Hi: 1, Categories: []string{"x", "y"}, Protected: []float64{0, 1},
			Inputs: []space.Input{{Index: 2, Table: []float64{1, 0}}, {Index: 3, Table: []float64{0, 1}}}},
	}}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	exact := r.IntN(2) == 0 // few digits make logits of exactly 0 likely
	for _, shape := range [][2]int{{4, 5}, {5, 1}} {
		l := relu.Layer{In: shape[0], Out: shape[1], ReLU: shape[1] > 1, Weights: make([]float64, shape[0]*shape[1]), Bias: make([]float64, shape[1])}
		for i := range l.Weights {
			if l.Weights[i] = scale * math.Round(4*r.NormFloat64()); !exact {
				l.Weights[i] *= 1 + r.Float64()
			}
		}
		n.Layers = append(n.Layers, l)
	}
	return n, s
}

// TestAt holds decisions and scores against exact logits: of weights from tiny
// to where float64 overflows, in the domain and outside.
func TestAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		n, s := question(r, math.Ldexp(1, rapid.IntRange(-600, 1000).Draw(t, "scale")))
		if err := errors.Join(n.Validate(), s.Validate()); err != nil {
			t.Fatal(err)
		}
		d, exactly := New(n, s, fairness.Rule{}), n.Exact()
		for range 20 {
			point := []float64{float64(r.IntN(10) - 3), float64(r.IntN(14) - 1), float64(r.IntN(2))}
			if r.IntN(4) == 0 {
				point[0] *= 1e6
			}
			exact := exactly.Logit(s.ExactInputs(point))
			computed, bound := d.logit(point)
			sure := outside(computed, bound, d.borders[0].low, d.borders[0].high)
			if sure {
				if off := new(big.Rat).Sub(exact, new(big.Rat).SetFloat64(computed)); off.Abs(off).Cmp(new(big.Rat).SetFloat64(d.bound)) > 0 {
					t.Fatalf("%v: logit %v is off by %s, more than %v", point, computed, off.FloatString(20), d.bound)
				}
			}
			score, positive := d.At(point)
			if positive != (exact.Sign() > 0) {
				t.Fatalf("%v: decided %v on a logit of %s", point, positive, exact.RatString())
			}
			logit, _ := exact.Float64()
			if want := fairness.Sigmoid(logit); !(math.Abs(score-want) <= max(1e-9, d.bound/4)) && sure || !(score >= 0 && score <= 1) || exact.Sign() == 0 && score != 0.5 {
				t.Fatalf("%v: score %v of a logit of %s", point, score, exact.FloatString(30))
			}
			for _, border := range []float64{score, score + r.NormFloat64()/1e7, r.Float64()} {
				three, low := fairness.Bands{{Name: "a", Least: new(big.Rat)}, {Name: "b", Least: new(big.Rat).SetFloat64(border)}, {Name: "c", Least: big.NewRat(9, 10)}}, r.IntN(2) == 0
				if border < 1e-12 || border >= 0.9 {
					continue
				}
				b, want := d.Bander(three, low), n.Link().Binning(nil, three)
				if shown, place := b.At(point); place != three.Place(want.Of(exact), low) || math.Abs(shown-score) > max(1e-9, d.bound/4) && sure || b.Of(point, score) != place {
					t.Fatalf("%v: score %v, place %d of %s, low %v; Of says %d", point, score, place, three, low, b.Of(point, score))
				}
			}
		}
	})
}
