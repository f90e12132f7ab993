package engine

import (
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// heuristicSamples is the number of individuals that decide which neurons count as stable.
const heuristicSamples = 200

// assumed narrows the bounds of unstable neurons that had one sign in all copies of a sample, as
// Fairify's heuristic pruning does. The bounds are then no enclosure: see Options.Heuristic.
func (r *run) assumed(n *relu.Network, region space.Region, b *bound.Bounds) *bound.Bounds {
	s := r.q.Space
	rng := rand.New(rand.NewPCG(uint64(r.o.Seed), 0x41e5))
	seen := make([][]space.Interval, len(n.Layers))
	for k := range seen {
		seen[k] = make([]space.Interval, n.Layers[k].Out)
		for j := range seen[k] {
			seen[k][j] = space.Interval{Lo: math.Inf(1), Hi: math.Inf(-1)}
		}
	}
	for range heuristicSamples {
		x := s.Draw(region.Box, rng)
		for _, i := range s.Protected() {
			values := region.Values[i]
			x[i] = values[rng.IntN(len(values))]
		}
		v := s.NetworkInputs(nil, x)
		for k := range n.Layers {
			l := &n.Layers[k]
			next := make([]float64, l.Out)
			for j := range next {
				y := l.Bias[j]
				for i, w := range l.Row(j) {
					y += w * v[i]
				}
				seen[k][j] = space.Interval{Lo: math.Min(seen[k][j].Lo, y), Hi: math.Max(seen[k][j].Hi, y)}
				if next[j] = y; l.ReLU {
					next[j] = math.Max(0, y)
				}
			}
			v = next
		}
	}
	out := &bound.Bounds{Logit: b.Logit, Pre: make([][]space.Interval, len(b.Pre))}
	for k := range b.Pre {
		out.Pre[k] = append([]space.Interval(nil), b.Pre[k]...)
		for j := range out.Pre[k] {
			iv := &out.Pre[k][j]
			switch {
			case !n.Layers[k].ReLU || iv.Lo >= 0 || iv.Hi <= 0:
			case seen[k][j].Hi <= 0:
				iv.Hi = 0
			case seen[k][j].Lo >= 0:
				iv.Lo = 0
			}
		}
	}
	return out
}
