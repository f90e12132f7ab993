// Package individual says how a network decides about single points: exactly, so
// that every command that names a decision names the same one.
package individual

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Decider decides yes where the logit exceeds 0. Read-only and safe for
// concurrent use.
type Decider struct {
	network *relu.Network
	space   *space.Space
	exact   *relu.Exact
	// largest is how far from 0 a feature's values lie for which bound holds.
	largest []float64
	// bound is how far a logit computed in float64 may be from the true one.
	bound float64
}

// New prepares a decider. Network and space must have passed Validate.
func New(n *relu.Network, s *space.Space) *Decider {
	d := &Decider{network: n, space: s, exact: relu.NewExact(n), largest: make([]float64, len(s.Features))}
	for i := range s.Features {
		f := &s.Features[i]
		d.largest[i] = max(math.Abs(f.Lo), math.Abs(f.Hi))
		for _, v := range f.Protected {
			d.largest[i] = max(d.largest[i], math.Abs(v))
		}
	}
	d.bound = logitError(n, s, d.largest)
	return d
}

// At is the score of a point, which the network's inputs must have values for,
// and whether the decision is yes: whether the exact score exceeds ½. The score
// is computed in float64, and from the exact logit where that does not decide.
func (d *Decider) At(point []float64) (score float64, positive bool) {
	logit := d.network.Logit(d.space.NetworkInputs(nil, point))
	if d.sure(logit, point) {
		return fairness.Sigmoid(logit), logit > 0
	}
	exact := d.exact.Logit(d.space.ExactInputs(point))
	logit, _ = exact.Float64()
	return fairness.Sigmoid(logit), exact.Sign() > 0
}

// sure reports that a logit computed at a point has the sign of the true one.
func (d *Decider) sure(logit float64, point []float64) bool {
	for i, v := range point {
		if !(math.Abs(v) <= d.largest[i]) {
			return false
		}
	}
	return math.Abs(logit) > d.bound // false for NaN as well
}

// logitError bounds the error of network.Logit at the points of the space whose
// features are no further from 0 than largest.
//
// With u = 2⁻⁵³, a sum of n products and a bias, in any order, is off by at most
// γ·(Σ|w·x| + |b|), γ = (n+1)u / (1 − (n+1)u) ≤ 2(n+1)u (Higham, Accuracy and
// Stability of Numerical Algorithms, ch. 3), to which errors of the inputs add
// as they go through the weights; a ReLU adds nothing. Factors are rounded up
// for what this function itself rounds; underflow adds 2⁻¹⁰⁷⁴ a product. A
// bound that overflows is infinite or NaN, and then decides nothing.
func logitError(n *relu.Network, s *space.Space, largest []float64) float64 {
	const u = 0x1p-53
	size, off := make([]float64, s.Inputs), make([]float64, s.Inputs)
	for i := range s.Features {
		f := &s.Features[i]
		for _, in := range f.Inputs {
			if in.Table == nil {
				size[in.Index] = math.Abs(in.Scale)*largest[i] + math.Abs(in.Offset)
				off[in.Index] = 4*u*size[in.Index] + 0x1p-1070
			}
			for _, v := range in.Table {
				size[in.Index] = max(size[in.Index], math.Abs(v))
			}
		}
	}
	for i := range n.Layers {
		l := &n.Layers[i]
		nextSize, nextOff := make([]float64, l.Out), make([]float64, l.Out)
		for j := range l.Out {
			through := 0.0
			nextSize[j] = math.Abs(l.Bias[j])
			for k, w := range l.Row(j) {
				nextSize[j] += math.Abs(w) * size[k]
				through += math.Abs(w) * off[k]
			}
			rounding := 4 * u * float64(l.In+2)
			nextOff[j] = 1.01*through + rounding*(nextSize[j]+through) + float64(l.In)*0x1p-1070
		}
		size, off = nextSize, nextOff
	}
	if n.Head == relu.HeadSoftmax {
		return 1.01*(off[0]+off[1]) + 4*u*(size[0]+size[1])
	}
	return off[0]
}
