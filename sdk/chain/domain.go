package chain

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// redraws is the largest number of draws for a random point inside the domain. If all
// fall outside, Row and Uniform return the last one, which the host reports as outside.
const redraws = 64

// Domain is where a search may step: the region, the data set's rows inside
// it, and the features that can change. It is read-only and safe for
// concurrent use; the generators handed to its methods need not be.
type Domain struct {
	space  *space.Space
	region space.Region
	rows   [][]float64
	// free lists the non-protected features; movable lists those with more than one
	// value in the region.
	free, movable []int
}

// NewDomain takes the region (the zero Region: the whole space) and the rows
// from o, and keeps the rows whose individuals lie in the region. It aliases
// the rows and modifies nothing.
func NewDomain(s *space.Space, o sdk.StartOptions) *Domain {
	d := &Domain{space: s, region: o.Region, free: s.Free()}
	if len(d.region.Box) == 0 {
		d.region = s.Whole()
	}
	for _, i := range d.free {
		if iv := d.Interval(i); iv.Lo < iv.Hi {
			d.movable = append(d.movable, i)
		}
	}
	for _, row := range o.Rows {
		if len(row) == len(s.Features) && s.RegionContains(d.region, row) {
			d.rows = append(d.rows, row)
		}
	}
	return d
}

// Space is the space searched.
func (d *Domain) Space() *space.Space { return d.space }

// Rows are the data set's rows in the region's box, in the data set's order.
// Not to be modified.
func (d *Domain) Rows() [][]float64 { return d.rows }

// Movable are the non-protected features with more than one value in the
// region, in order. Not to be modified.
func (d *Domain) Movable() []int { return d.movable }

// Interval returns the region's interval of a non-protected feature; the ends of a
// discrete feature's interval are values of its domain.
func (d *Domain) Interval(i int) space.Interval {
	f := &d.space.Features[i]
	iv := d.region.Box[i].Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
	if f.Discrete() {
		iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
	}
	return iv
}

// Inside reports whether x is an individual of the region with at least one
// allowed counterfactual. The host reports any other point as outside.
func (d *Domain) Inside(x []float64) bool {
	if len(x) != len(d.space.Features) || !d.space.RegionContains(d.region, x) {
		return false
	}
	if len(d.space.Forbidden) == 0 {
		return true
	}
	allowed := false
	d.space.EachCombination(d.region, x, func(point []float64) {
		allowed = allowed || d.space.Allowed(point)
	})
	return allowed
}

// Row draws a row of the data set uniformly, as an individual: a fresh slice.
// If the region holds no row, it draws uniformly from the box.
func (d *Domain) Row(rng *rand.Rand) []float64 {
	if len(d.rows) == 0 {
		return d.Uniform(rng)
	}
	var x []float64
	for range redraws {
		if x = d.rows[rng.IntN(len(d.rows))]; d.Inside(x) {
			break
		}
	}
	return slices.Clone(x)
}

// Uniform draws every non-protected feature uniformly from the region's box, and
// draws again if a constraint leaves the individual without counterfactuals. The
// protected entries are zero.
func (d *Domain) Uniform(rng *rand.Rand) []float64 {
	x := make([]float64, len(d.space.Features))
	for range redraws {
		for _, i := range d.free {
			iv := d.Interval(i)
			if d.space.Features[i].Discrete() {
				x[i] = iv.Lo + float64(rng.Int64N(int64(iv.Hi-iv.Lo)+1))
			} else {
				x[i] = within(iv, rng.Float64())
			}
		}
		if d.Inside(x) {
			break
		}
	}
	return x
}

// Neighbour returns a copy of x with one non-protected feature changed to another
// value of the region. Feature and value are drawn uniformly (a real feature's from
// its interval), and drawn again if they lead outside. The copy is unchanged if
// no feature can change or every draw leads outside.
func (d *Domain) Neighbour(rng *rand.Rand, x []float64) []float64 {
	out := slices.Clone(x)
	if len(d.movable) == 0 {
		return out
	}
	for range redraws {
		i := d.movable[rng.IntN(len(d.movable))]
		out[i] = d.another(rng, i, x[i])
		if d.Inside(out) {
			return out
		}
		out[i] = x[i]
	}
	return out
}

// another draws a value of feature i other than v.
func (d *Domain) another(rng *rand.Rand, i int, v float64) float64 {
	iv := d.Interval(i)
	if !d.space.Features[i].Discrete() {
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
