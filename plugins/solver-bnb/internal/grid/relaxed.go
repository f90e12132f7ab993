package grid

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Relaxed is a feature that may differ between the copies. Boxes then are sets of pairs:
// one dimension is the first copy's value, another the shift, which added to it gives the
// second's. (Two dimensions with each copy's value would not work as well: with a shift,
// the effect of the value on both copies cancels in their difference, and no box lies
// beyond the tolerance.)
type Relaxed struct {
	Feature int
	// X is the dimension of the first copy's value, −1 if that does not vary; Shift is
	// the dimension of the shift.
	X, Shift  int
	tolerance float64
	lo, hi    float64 // range of the second copy's value
}

// relax adds the dimensions of the features that may differ. It skips features whose
// tolerance or domain is too narrow to differ.
func (g *Grid) relax(q *problem.Query, region space.Region) {
	if len(q.Relax) == 0 {
		return
	}
	reach := encode.RelaxedRegion(q)
	g.Mirrored = true
	for i := range q.Space.Features {
		f := &q.Space.Features[i]
		t, _ := q.Tolerance(i)
		if f.Discrete() {
			t = math.Floor(t)
		}
		if t == 0 {
			continue
		}
		x, y := within(f, region.Box[i]), within(f, reach.Box[i])
		// Outward, since differences are rounded.
		shift := space.Interval{
			Lo: max(-t, math.Nextafter(y.Lo-x.Hi, math.Inf(-1))),
			Hi: min(t, math.Nextafter(y.Hi-x.Lo, math.Inf(1))),
		}
		if f.Discrete() {
			shift = space.Interval{Lo: max(-t, y.Lo-x.Hi), Hi: min(t, y.Hi-x.Lo)}
		}
		if y.Lo == y.Hi {
			continue
		}
		r := Relaxed{Feature: i, X: -1, Shift: len(g.Dims), tolerance: t, lo: y.Lo, hi: y.Hi}
		for d := range g.Dims {
			if g.Dims[d].Feature == i {
				r.X = d
			}
		}
		d := g.dim(i, f, shift)
		d.IsShift = true
		g.Dims, g.Relaxed = append(g.Dims, d), append(g.Relaxed, r)
		g.Mirrored = g.Mirrored && x == y
		for k := range f.Inputs {
			in, e := &g.Inputs[f.Inputs[k].Index], enclose(f, &f.Inputs[k], y.Lo, y.Hi)
			*in = space.Interval{Lo: min(in.Lo, e.Lo), Hi: max(in.Hi, e.Hi)}
		}
	}
}

// within returns the part of an interval that has values of the feature.
func within(f *space.Feature, iv space.Interval) space.Interval {
	iv = iv.Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
	if f.Discrete() {
		iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
	}
	return iv
}

// Lanes returns the number of logits of a box or an individual: one per combination, and
// if features are relaxed as many again for the second copies.
func (g *Grid) Lanes() int {
	if len(g.Relaxed) > 0 {
		return 2 * len(g.Combinations)
	}
	return len(g.Combinations)
}

// span returns the least and the greatest value of a dimension in a box.
func (g *Grid) span(d int, b Box) (lo, hi float64) {
	lo, _ = g.Dims[d].Values(b[2*d])
	_, hi = g.Dims[d].Values(b[2*d+1])
	return lo, hi
}

// first returns the least and the greatest value of the first copies of a box.
func (r *Relaxed) first(g *Grid, b Box) (lo, hi float64) {
	if r.X < 0 {
		return g.base[r.Feature], g.base[r.Feature]
	}
	return g.span(r.X, b)
}

// Reach returns the least and the greatest value of the second copies of a box; ok is
// false if none is in the domain.
func (r *Relaxed) Reach(g *Grid, b Box) (lo, hi float64, ok bool) {
	lo, hi = r.first(g, b)
	least, most := g.span(r.Shift, b)
	lo, hi = lo+least, hi+most
	if g.Dims[r.Shift].Real {
		lo, hi = math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))
	}
	ok = lo <= r.hi && hi >= r.lo
	return min(max(lo, r.lo), r.hi), min(max(hi, r.lo), r.hi), ok
}

// Second returns the centre and the radius of input f of the second copies of a box.
func (r *Relaxed) Second(g *Grid, f int, b Box) (c, radius float64) {
	feature := &g.Space.Features[r.Feature]
	lo, hi, _ := r.Reach(g, b)
	e := enclose(feature, &feature.Inputs[f], lo, hi)
	return centre(e.Lo, e.Hi)
}

// Tied reports whether the second copy's input f is the first's plus an amount that
// depends on the shift only.
func (r *Relaxed) Tied(g *Grid, f int) bool {
	return r.X >= 0 && g.Space.Features[r.Feature].Inputs[f].Table == nil
}

// More returns, for a Tied input, the centre and the radius of the amount by which the
// second copy's input exceeds the first's in a box.
func (r *Relaxed) More(g *Grid, f int, b Box) (c, radius float64) {
	lo, hi := g.span(r.Shift, b)
	scale := g.Space.Features[r.Feature].Inputs[f].Scale
	lo, hi = scale*lo, scale*hi
	if lo > hi {
		lo, hi = hi, lo
	}
	if scale != 1 {
		lo, hi = math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))
	}
	return centre(lo, hi)
}

// ShiftShare returns by what share of its radius an enclosure of the second copies would
// shrink if the box is split across the shift.
func (r *Relaxed) ShiftShare(g *Grid, b Box) float64 {
	from, to := r.first(g, b)
	lo, hi := g.span(r.Shift, b)
	if !(lo < hi) {
		return 0
	}
	return (hi - lo) / (hi - lo + to - from) / 2
}

// Value returns the second copy's value of a relaxed feature, given the values of the
// dimensions. It is in the domain and within the tolerance.
func (r *Relaxed) Value(g *Grid, x []float64) float64 {
	v := g.base[r.Feature]
	if r.X >= 0 {
		v = x[r.X]
	}
	y := min(max(v+x[r.Shift], r.lo), r.hi)
	if math.Abs(y-v) < r.tolerance || !beyond(v, y, r.tolerance) {
		return y
	}
	if y = v + math.Copysign(r.tolerance, y-v); beyond(v, y, r.tolerance) { // rounded outward
		y = math.Nextafter(y, v)
	}
	return y
}

// beyond reports whether |x − y| > tolerance, in exact arithmetic.
func beyond(x, y, tolerance float64) bool {
	if math.IsInf(tolerance, 1) {
		return false
	}
	d := new(big.Rat).Sub(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
	return d.Abs(d).Cmp(new(big.Rat).SetFloat64(tolerance)) > 0
}

// Partner returns the second copy of the individual with these values of the dimensions.
func (g *Grid) Partner(x []float64) []float64 {
	out := g.Point(x)
	for i := range g.Relaxed {
		r := &g.Relaxed[i]
		out[r.Feature] = r.Value(g, x)
	}
	return out
}

// Coordinates sets x to the values of the dimensions for two copies, moved into the
// region if they are outside.
func (g *Grid) Coordinates(x, one, two []float64) {
	for d := range g.Dims {
		dim := &g.Dims[d]
		v := one[dim.Feature]
		if dim.IsShift {
			v = two[dim.Feature] - v
		}
		x[d] = dim.Nearest(v)
	}
}

// wider returns the wider of a relaxed feature's two dimensions in a box.
func (r *Relaxed) wider(g *Grid, b Box) int {
	from, to := r.first(g, b)
	if lo, hi := g.span(r.Shift, b); to-from > hi-lo {
		return r.X
	}
	return r.Shift
}

// Apart reports whether the second copy's f-th input of dimension d's feature may differ
// from the first's without being Tied to it.
func (g *Grid) Apart(d, f int) bool {
	for i := range g.Relaxed {
		if g.Relaxed[i].X == d {
			return !g.Relaxed[i].Tied(g, f)
		}
	}
	return false
}
