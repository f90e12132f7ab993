package chain

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// redraws bounds how often a random point is drawn again because it lies
// outside. Beyond it the last draw is handed over, and the host calls it
// outside.
const redraws = 64

// Ground is where a search may step: the region, the data set's rows inside
// it, and the features that can change. It is read-only and safe for
// concurrent use; the generators handed to its methods need not be.
type Ground struct {
	space  *space.Space
	region space.Region
	rows   [][]float64
	// free are the non-protected features, movable those of them with more than
	// one value in the region.
	free, movable []int
}

// NewGround takes the region (the zero Region: the whole space) and the rows
// from o, and keeps the rows whose individuals lie in the region. It aliases
// the rows and modifies nothing.
func NewGround(s *space.Space, o sdk.StartOptions) *Ground {
	g := &Ground{space: s, region: o.Region, free: s.Free()}
	if len(g.region.Box) == 0 {
		g.region = s.Whole()
	}
	for _, i := range g.free {
		if iv := g.Interval(i); iv.Lo < iv.Hi {
			g.movable = append(g.movable, i)
		}
	}
	for _, row := range o.Rows {
		if len(row) == len(s.Features) && s.RegionContains(g.region, row) {
			g.rows = append(g.rows, row)
		}
	}
	return g
}

// Space is the space searched.
func (g *Ground) Space() *space.Space { return g.space }

// Rows are the data set's rows in the region's box, in the data set's order.
// Not to be modified.
func (g *Ground) Rows() [][]float64 { return g.rows }

// Movable are the non-protected features with more than one value in the
// region, in order. Not to be modified.
func (g *Ground) Movable() []int { return g.movable }

// Interval is the region's interval of a non-protected feature, its ends values
// of the domain where the feature is discrete.
func (g *Ground) Interval(i int) space.Interval {
	f := &g.space.Features[i]
	iv := g.region.Box[i].Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
	if f.Discrete() {
		iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
	}
	return iv
}

// Inside reports whether x is an individual of the region with at least one
// allowed counterfactual: what the host does not call outside.
func (g *Ground) Inside(x []float64) bool {
	if len(x) != len(g.space.Features) || !g.space.RegionContains(g.region, x) {
		return false
	}
	if len(g.space.Forbidden) == 0 {
		return true
	}
	allowed := false
	g.space.EachCombination(g.region, x, func(point []float64) {
		allowed = allowed || g.space.Allowed(point)
	})
	return allowed
}

// Row draws a row of the data set uniformly, as an individual: a fresh slice.
// Where the region holds no row it draws uniformly from the box.
func (g *Ground) Row(rng *rand.Rand) []float64 {
	if len(g.rows) == 0 {
		return g.Uniform(rng)
	}
	var x []float64
	for range redraws {
		if x = g.rows[rng.IntN(len(g.rows))]; g.Inside(x) {
			break
		}
	}
	return slices.Clone(x)
}

// Uniform draws every non-protected feature uniformly from the region's box,
// again where a constraint leaves the individual without counterfactuals. The
// protected entries are zero.
func (g *Ground) Uniform(rng *rand.Rand) []float64 {
	x := make([]float64, len(g.space.Features))
	for range redraws {
		for _, i := range g.free {
			iv := g.Interval(i)
			if g.space.Features[i].Discrete() {
				x[i] = iv.Lo + float64(rng.Int64N(int64(iv.Hi-iv.Lo)+1))
			} else {
				x[i] = within(iv, rng.Float64())
			}
		}
		if g.Inside(x) {
			break
		}
	}
	return x
}

// Neighbour is x with one non-protected feature changed to another value of
// the region, feature and value each drawn uniformly (a real feature: from its
// interval), again where that leads outside. x is not modified; a fresh copy
// of it is the answer where nothing can change or every draw leads outside.
func (g *Ground) Neighbour(rng *rand.Rand, x []float64) []float64 {
	out := slices.Clone(x)
	if len(g.movable) == 0 {
		return out
	}
	for range redraws {
		i := g.movable[rng.IntN(len(g.movable))]
		out[i] = g.another(rng, i, x[i])
		if g.Inside(out) {
			return out
		}
		out[i] = x[i]
	}
	return out
}

// another draws a value of feature i other than v.
func (g *Ground) another(rng *rand.Rand, i int, v float64) float64 {
	iv := g.Interval(i)
	if !g.space.Features[i].Discrete() {
		return within(iv, rng.Float64())
	}
	n := int64(iv.Hi-iv.Lo) + 1
	if !iv.Contains(v) {
		return iv.Lo + float64(rng.Int64N(n))
	}
	// One of the n−1 values that are left, those above v moved up by one.
	value := iv.Lo + float64(rng.Int64N(n-1))
	if value >= v {
		value++
	}
	return value
}

// within maps 0 ≤ u < 1 into the interval, rounding included. The conversion
// forbids a fused multiply-add, so that all machines draw the same value.
func within(iv space.Interval, u float64) float64 {
	return math.Min(iv.Lo+float64((iv.Hi-iv.Lo)*u), iv.Hi)
}
