package audit

import (
	"math"

	"github.com/hyfair/hyfair/sdk/network"
	"github.com/hyfair/hyfair/sdk/space"
)

// decider decides exactly: yes where the logit exceeds 0. Read-only and safe
// for concurrent use.
type decider struct {
	network *network.Network
	space   *space.Space
	exact   *network.Exact
	// bound is how far a logit computed in float64 may be from the true one.
	bound float64
}

func newDecider(n *network.Network, s *space.Space) *decider {
	return &decider{network: n, space: s, exact: network.NewExact(n), bound: logitError(n, s)}
}

// positive decides at a point whose logit was computed in float64.
func (d *decider) positive(logit float64, point []float64) bool {
	if math.Abs(logit) > d.bound { // false for NaN as well
		return logit > 0
	}
	return d.exact.Logit(d.space.ExactInputs(point)).Sign() > 0
}

// logitError bounds the error of network.Logit at the points of the space whose
// protected features take values of their domain or of their lists.
//
// With u = 2⁻⁵³, a sum of n products and a bias, in any order, is off by at most
// γ·(Σ|w·x| + |b|), γ = (n+1)u / (1 − (n+1)u) ≤ 2(n+1)u (Higham, Accuracy and
// Stability of Numerical Algorithms, ch. 3), to which errors of the inputs add
// as they go through the weights; a ReLU adds nothing. Factors are rounded up
// for what this function itself rounds; underflow adds 2⁻¹⁰⁷⁴ a product. A
// bound that overflows is infinite or NaN, and then decides nothing.
func logitError(n *network.Network, s *space.Space) float64 {
	const u = 0x1p-53
	size, off := make([]float64, s.Inputs), make([]float64, s.Inputs)
	for i := range s.Features {
		f := &s.Features[i]
		largest := max(math.Abs(f.Lo), math.Abs(f.Hi))
		for _, v := range f.Protected {
			largest = max(largest, math.Abs(v))
		}
		for _, in := range f.Inputs {
			if in.Table == nil {
				size[in.Index] = math.Abs(in.Scale)*largest + math.Abs(in.Offset)
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
	if n.Head == network.HeadSoftmax {
		return 1.01*(off[0]+off[1]) + 4*u*(size[0]+size[1])
	}
	return off[0]
}
