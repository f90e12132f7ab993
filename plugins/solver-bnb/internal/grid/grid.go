// Package grid divides a region into cells, so that a box is a few small integers: the
// first and the last cell of each feature that varies.
package grid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// RealCells is the number of cells of a real feature, and the largest number of cells of
// a discrete one whose inputs are tabulated: cell numbers then fit in 16 bits.
const RealCells = 1 << 16

// Grid is a region divided into cells. It is read-only.
type Grid struct {
	Space *space.Space
	// Dims are the features with more than one value in the region, then the shifts of
	// those that may differ between the copies.
	Dims []Dim
	// Relaxed are the features that may differ between the copies. Mirrored is set if
	// each first copy may also be a second one, and the other way round.
	Relaxed  []Relaxed
	Mirrored bool
	// Fixed are the inputs from features that are not protected and have one value.
	Fixed []Fixed
	// Protected lists the protected features. Combinations are all their values in the
	// region, in lexicographic order, with the inputs that they feed.
	Protected    []int
	Combinations []Combination
	// Inputs encloses every network input over the region.
	Inputs []space.Interval
	// Countable is set if no varying feature is real, so that boxes contain finitely many
	// individuals.
	Countable bool
	base      []float64 // a point with the values of features that do not vary
}

// Dim is a feature that varies.
type Dim struct {
	Feature int
	// Cells is the number of cells. A cell is a value of a discrete feature, or an
	// interval of a real one.
	Cells  int
	Real   bool
	lo, hi float64 // the feature's range in the region
	// IsShift is set if the values are the second copy's value less the first's. Such a
	// dimension has no feeds: see Relaxed.
	IsShift bool
	// Even is set if the feature is discrete and all inputs are affine in it.
	Even bool
	// Feeds are the inputs that the feature feeds.
	Feeds []Feed
}

// Feed encloses a network input by cells.
type Feed struct {
	Input int
	// Width bounds the width of the input's enclosures over the cells.
	Width float64
	// lo and hi enclose the input in each cell; nil if there are more than RealCells and
	// the input is affine. monotone is set if they never fall from cell to cell, or never
	// rise.
	lo, hi   []float64
	monotone bool
	// least is the value of a discrete feature's first cell.
	least float64
	of    *space.Feature
	in    *space.Input
}

// Fixed is an input that does not vary within the region.
type Fixed struct {
	Input             int
	Centre, HalfWidth float64
}

// Combination is one value per protected feature, and the inputs that they feed.
type Combination struct {
	Values []float64
	Inputs []Fixed
}

// Box holds the first and the last cell of each dimension, in turn.
type Box []uint64

// New returns the grid of a query's region.
func New(q *problem.Query) (*Grid, error) {
	g := &Grid{Space: q.Space, Protected: q.Space.Protected(), Inputs: make([]space.Interval, q.Space.Inputs), Countable: true}
	region := q.RegionOrWhole()
	g.base = make([]float64, len(q.Space.Features))
	for i := range q.Space.Features {
		f := &q.Space.Features[i]
		if f.IsProtected() {
			continue
		}
		iv := within(f, region.Box[i])
		if iv.Empty() {
			return nil, fmt.Errorf("feature %q: the region has no value of its domain", f.Name)
		}
		g.base[i] = iv.Lo
		g.add(i, f, iv)
	}
	q.Space.EachCombination(region, g.base, func(point []float64) {
		c := Combination{}
		for _, i := range g.Protected {
			c.Values = append(c.Values, point[i])
			f := &q.Space.Features[i]
			for k := range f.Inputs {
				c.Inputs = append(c.Inputs, fixed(f.Inputs[k].Index, enclose(f, &f.Inputs[k], point[i], point[i])))
			}
		}
		g.Combinations = append(g.Combinations, c)
	})
	for _, f := range g.Fixed {
		g.Inputs[f.Input] = f.interval()
	}
	for n, c := range g.Combinations {
		for _, f := range c.Inputs {
			iv, all := f.interval(), &g.Inputs[f.Input]
			if n > 0 {
				iv = space.Interval{Lo: min(iv.Lo, all.Lo), Hi: max(iv.Hi, all.Hi)}
			}
			*all = iv
		}
	}
	g.relax(q, region)
	return g, nil
}

func (f *Fixed) interval() space.Interval {
	return space.Interval{Lo: f.Centre - f.HalfWidth, Hi: f.Centre + f.HalfWidth}
}

func (g *Grid) add(i int, f *space.Feature, iv space.Interval) {
	if iv.Lo == iv.Hi {
		for k := range f.Inputs {
			g.Fixed = append(g.Fixed, fixed(f.Inputs[k].Index, enclose(f, &f.Inputs[k], iv.Lo, iv.Hi)))
		}
		return
	}
	d := g.dim(i, f, iv)
	d.Even = !d.Real
	for k := range f.Inputs {
		in := &f.Inputs[k]
		d.Even = d.Even && in.Table == nil
		feed := Feed{Input: in.Index, least: iv.Lo, of: f, in: in}
		if d.Cells <= RealCells || in.Table != nil {
			g.Inputs[in.Index] = feed.tabulate(&d)
		} else {
			e := enclose(f, in, iv.Lo, iv.Hi)
			most := max(math.Abs(e.Lo), math.Abs(e.Hi))
			g.Inputs[in.Index], feed.Width = e, 2*(math.Nextafter(most, math.Inf(1))-most)
		}
		d.Feeds = append(d.Feeds, feed)
	}
	g.Dims = append(g.Dims, d)
}

// tabulate encloses the input in each cell, and returns the enclosure over all cells.
func (f *Feed) tabulate(d *Dim) space.Interval {
	f.lo, f.hi = make([]float64, d.Cells), make([]float64, d.Cells)
	whole := space.Interval{Lo: math.Inf(1), Hi: math.Inf(-1)}
	rises, falls := true, true
	for c := range d.Cells {
		lo, hi := d.Values(uint64(c))
		e := enclose(f.of, f.in, lo, hi)
		f.lo[c], f.hi[c] = e.Lo, e.Hi
		whole = space.Interval{Lo: min(whole.Lo, e.Lo), Hi: max(whole.Hi, e.Hi)}
		if e.Lo < e.Hi {
			f.Width = max(f.Width, math.Nextafter(e.Hi-e.Lo, math.Inf(1)))
		}
		if c > 0 {
			rises = rises && e.Lo >= f.lo[c-1] && e.Hi >= f.hi[c-1]
			falls = falls && e.Lo <= f.lo[c-1] && e.Hi <= f.hi[c-1]
		}
	}
	f.monotone = rises || falls
	return whole
}

// dim divides an interval of feature i into cells.
func (g *Grid) dim(i int, f *space.Feature, iv space.Interval) Dim {
	d := Dim{Feature: i, Real: !f.Discrete(), lo: iv.Lo, hi: iv.Hi}
	if d.Real {
		d.Cells = RealCells
		g.Countable = false
		return d
	}
	d.Cells = int(int64(iv.Hi)-int64(iv.Lo)) + 1
	return d
}

// Values returns the least and the greatest value in a cell; for a real feature, both are
// rounded outward except at the ends of its range in the region.
func (d *Dim) Values(cell uint64) (lo, hi float64) {
	if !d.Real {
		v := float64(int64(d.lo) + int64(cell))
		return v, v
	}
	return d.border(int(cell), -1), d.border(int(cell)+1, 1)
}

// border returns the border between cell−1 and cell, moved by at least its rounding:
// downwards if outward is −1, upwards if it is 1.
func (d *Dim) border(cell, outward int) float64 {
	switch cell {
	case 0:
		return d.lo
	case d.Cells:
		return d.hi
	}
	v := d.lo + (d.hi-d.lo)*(float64(cell)/float64(d.Cells))
	// Three roundings, of values no larger than the ends' magnitudes.
	slip := 0x1p-50 * max(math.Abs(d.lo), math.Abs(d.hi))
	return min(max(v+float64(outward)*slip, d.lo), d.hi)
}

// enclose bounds an input over the values lo to hi of the feature.
func enclose(f *space.Feature, in *space.Input, lo, hi float64) space.Interval {
	if in.Table != nil {
		e := space.Interval{Lo: math.Inf(1), Hi: math.Inf(-1)}
		for v := lo; v <= hi; v++ {
			t := in.Table[int(v-f.Lo)]
			e.Lo, e.Hi = min(e.Lo, t), max(e.Hi, t)
		}
		return e
	}
	a, b := math.FMA(in.Scale, lo, in.Offset), math.FMA(in.Scale, hi, in.Offset)
	if a > b {
		a, b = b, a
	}
	if in.Scale == 1 && in.Offset == 0 {
		return space.Interval{Lo: a, Hi: b}
	}
	return space.Interval{Lo: math.Nextafter(a, math.Inf(-1)), Hi: math.Nextafter(b, math.Inf(1))}
}

func fixed(input int, e space.Interval) Fixed {
	c, r := centre(e.Lo, e.Hi)
	return Fixed{Input: input, Centre: c, HalfWidth: r}
}

// centre returns the centre of an interval and a radius that covers it: exact if the ends
// are integers below 2⁵⁰, else rounded up.
func centre(lo, hi float64) (c, r float64) {
	if lo == hi {
		return lo, 0
	}
	c = lo + (hi-lo)/2
	r = max(hi-c, c-lo)
	if lo != math.Trunc(lo) || hi != math.Trunc(hi) || max(-lo, hi) > 1<<50 {
		r = math.Nextafter(r, math.Inf(1))
	}
	return c, r
}

// Low returns the lower end of the input's enclosure in a cell, which is at most Width
// wide.
func (f *Feed) Low(cell uint64) float64 {
	if f.lo != nil {
		return f.lo[cell]
	}
	return f.computed(cell)
}

//go:noinline
func (f *Feed) computed(cell uint64) float64 {
	v := f.least + float64(cell)
	return enclose(f.of, f.in, v, v).Lo
}

// Mean returns the mean of the lower ends of the input's enclosures over the cells [from, to].
// It differs from the mean of the inputs by at most Width, plus a rounding error per cell.
func (f *Feed) Mean(from, to uint64) float64 {
	sum := 0.0
	for cell := from; cell <= to; cell++ {
		sum += f.Low(cell)
	}
	return sum / float64(to-from+1)
}

// AddLows adds a·Low to sums, one cell each, beginning at the cell from.
func (f *Feed) AddLows(sums []float64, a float64, from uint64) {
	if f.lo == nil {
		for c := range sums {
			sums[c] += a * f.computed(from+uint64(c))
		}
		return
	}
	for c, low := range f.lo[from:][:len(sums)] {
		sums[c] += a * low
	}
}

// Enclose returns the centre and the radius of an input over the cells [from, to].
func (f *Feed) Enclose(from, to uint64) (c, r float64) {
	if f.lo == nil {
		e := enclose(f.of, f.in, f.least+float64(from), f.least+float64(to))
		return centre(e.Lo, e.Hi)
	}
	lo, hi := min(f.lo[from], f.lo[to]), max(f.hi[from], f.hi[to])
	if !f.monotone {
		for cell := from + 1; cell < to; cell++ {
			lo, hi = min(lo, f.lo[cell]), max(hi, f.hi[cell])
		}
	}
	return centre(lo, hi)
}

// Whole returns the box of the region.
func (g *Grid) Whole() Box {
	b := make(Box, 2*len(g.Dims))
	for d := range g.Dims {
		b[2*d+1] = uint64(g.Dims[d].Cells - 1)
	}
	return b
}

// Size returns the number of individuals of a box before constraints, exact up to 2⁵³ and
// rounded beyond; for real features it counts cells.
func (g *Grid) Size(b Box) float64 {
	n := 1.0
	for d := range g.Dims {
		n *= float64(b[2*d+1] - b[2*d] + 1)
	}
	return n
}

// Box returns b as intervals of the first copy's feature values.
func (g *Grid) Box(b Box) space.Box {
	out := make(space.Box, len(g.base))
	for i, v := range g.base {
		out[i] = space.Interval{Lo: v, Hi: v}
	}
	for d := range g.Dims {
		dim := &g.Dims[d]
		if dim.IsShift {
			continue
		}
		lo, hi := g.span(d, b)
		if dim.Real { // neighbours share their border
			lo, hi = dim.border(int(b[2*d]), 0), dim.border(int(b[2*d+1])+1, 0)
		}
		out[dim.Feature] = space.Interval{Lo: lo, Hi: hi}
	}
	for _, i := range g.Protected {
		out[i] = space.Interval{}
	}
	return out
}

// Point returns the individual with these values of the dimensions.
func (g *Grid) Point(x []float64) []float64 {
	out := slices.Clone(g.base)
	g.Put(out, x)
	return out
}

// Put sets the features of a point that vary to the values x of the dimensions; it
// ignores shifts.
func (g *Grid) Put(point, x []float64) {
	for d, v := range x {
		if !g.Dims[d].IsShift {
			point[g.Dims[d].Feature] = v
		}
	}
}

// Complete returns a copy of a point with the protected values of combination z.
func (g *Grid) Complete(point []float64, z int) []float64 {
	out := slices.Clone(point)
	for i, f := range g.Protected {
		out[f] = g.Combinations[z].Values[i]
	}
	return out
}

// Input returns the value that v of dimension d feeds to its f-th input, up to a rounding of
// the product and of the sum.
func (g *Grid) Input(d, f int, v float64) float64 {
	dim := &g.Dims[d]
	if feed := &dim.Feeds[f]; feed.lo != nil && !dim.Real {
		cell := int(v - dim.lo)
		return feed.lo[cell] + (feed.hi[cell]-feed.lo[cell])/2
	}
	return g.Fed(dim.Feature, f, v)
}

// Fed is Input for a feature, which need not vary.
func (g *Grid) Fed(feature, f int, v float64) float64 {
	of := &g.Space.Features[feature]
	e := enclose(of, &of.Inputs[f], v, v)
	return e.Lo + (e.Hi-e.Lo)/2
}

// Random returns a uniformly random value of the feature.
func (d *Dim) Random(r *rand.Rand) float64 {
	if d.Real {
		return min(d.lo+r.Float64()*(d.hi-d.lo), d.hi)
	}
	return d.lo + float64(r.Int64N(int64(d.hi-d.lo)+1))
}

// Nearest returns the feature's value nearest to v.
func (d *Dim) Nearest(v float64) float64 {
	if v = min(max(v, d.lo), d.hi); d.Real {
		return v
	}
	return math.Round(v)
}

// Reach returns the first cell with a value of at least v; Cells if there is none.
func (d *Dim) Reach(v float64) int {
	return sort.Search(d.Cells, func(cell int) bool { _, top := d.Values(uint64(cell)); return top >= v })
}

// Middle returns the value nearest to the middle of a cell.
func (d *Dim) Middle(cell uint64) float64 {
	lo, hi := d.Values(cell)
	return d.Nearest(lo + (hi-lo)/2)
}

// Try visits all values of the feature if there are at most n, else n evenly spaced ones
// including both ends.
func (d *Dim) Try(n int, visit func(v float64)) {
	if values := d.hi - d.lo + 1; !d.Real && values <= float64(n) {
		for v := d.lo; v <= d.hi; v++ {
			visit(v)
		}
		return
	}
	for i := range n {
		visit(d.Nearest(d.lo + (d.hi-d.lo)*float64(i)/float64(n-1)))
	}
}

// shortest returns the length of the shortest step: 1, or for a real feature
// 1/RealCells of its range.
func (d *Dim) shortest() float64 {
	if d.Real {
		return (d.hi - d.lo) / RealCells
	}
	return 1
}

// Step returns a value at a random distance from v whose logarithm is uniform, or the range's end if that lies before
// it.
func (d *Dim) Step(v float64, r *rand.Rand) float64 {
	most := d.hi - d.lo + 1 // times the shortest
	if d.Real {
		most = RealCells
	}
	step := d.shortest() * math.Exp(r.Float64()*math.Log(most))
	if r.IntN(2) == 0 {
		step = -step
	}
	if !d.Real {
		step = math.Trunc(step)
	}
	return d.Nearest(v + step)
}

// Steps visits values at distances from v that double, as far as the range goes. The
// first distance is 1, or for a real feature 1/RealCells of its range.
func (d *Dim) Steps(v float64, visit func(v float64)) {
	for step := d.shortest(); step <= d.hi-d.lo && step > 0; step *= 2 {
		if v-step >= d.lo {
			visit(v - step)
		}
		if v+step <= d.hi {
			visit(v + step)
		}
	}
}
