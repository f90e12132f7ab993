// Package lattice counts the points of a box on each side of parallel planes.
//
// For a box of cells and t = Σ t_d, where every dimension d contributes one of a
// few numbers, it bounds from below how many of the box's points have t above a
// threshold, below another, or between two. Contributions are put into bins of
// equal width, the numbers of points are convolved, in exact integers, and what
// binning moved each contribution by is added up and taken off the thresholds.
// The widest dimension is not binned at all.
package lattice

import (
	"math"
	"slices"
)

// The range of t, the widest dimension's apart, is cut into MinBins to MaxBins
// bins, so that what binning leaves uncertain is a part of what the thresholds
// leave so: fineness bins for each dimension over what is uncertain anyhow.
const (
	MinBins  = 32
	MaxBins  = 1024
	fineness = 8
)

// Thresholds are what is asked of t.
type Thresholds struct {
	Above, Below float64 // t > Above; t ≤ Below
	// From < t ≤ To. None where From is not less than To.
	From, To float64
}

// Dim is what a dimension contributes: Values where it is not nil, which Count
// changes, else Step·c for c from 0 to Cells−1. Either must have an entry.
type Dim struct {
	Values []float64
	Step   float64
	Cells  int
	width  float64 // of the contributions' range
}

// Counter is the memory of one goroutine. The zero value is not usable.
type Counter struct {
	*lanes
	row, next []float64 // numbers of points by bin, after MaxBins zeros
	offsets   []int32
	shift     shift
	even      spread
}

// NewCounter makes a counter with the vector loops of a name, batch.Plan.Kernel's;
// the fastest for none that it has.
func NewCounter(kernel string) *Counter {
	variants := supported()
	at := max(0, slices.IndexFunc(variants, func(l *lanes) bool { return l.name == kernel }))
	return &Counter{lanes: variants[at], row: make([]float64, 4*MaxBins), next: make([]float64, 4*MaxBins)}
}

// MaxDims bounds the dimensions of a box: binning moves a sum by half a bin for
// each at most, and there is room for so many.
const MaxDims = 2 * MaxBins

// Count bounds the numbers of points from below, for t = start + Σ t_d; margin is
// how far a sum computed of the contributions may be from the exact one, and open how much
// of t's range the thresholds leave uncertain anyhow. At most
// MaxDims dimensions, and at most 2⁵³ points. It rearranges dims.
func (c *Counter) Count(start float64, dims []Dim, th Thresholds, open, margin float64) (above, below, between float64) {
	low, width, total := start, 0.0, 1.0
	last, widest := -1, 0.0
	for i := range dims {
		low += dims[i].level()
		width += dims[i].width
		total *= float64(dims[i].Cells)
		if dims[i].width >= widest && dims[i].Cells > 1 {
			last, widest = i, dims[i].width
		}
	}
	// From here on t counts from low, and thresholds are on the safe side.
	margin += 0x1p-40 * (width + math.Abs(low))
	th = Thresholds{th.Above + margin - low, th.Below - margin - low, th.From + margin - low, th.To - margin - low}
	switch {
	case th.Above < 0:
		return total, 0, 0
	case th.Below >= width:
		return 0, total, 0
	case th.From < 0 && th.To >= width:
		return 0, 0, total
	}
	if th.Above >= width && th.Below < 0 && !(th.From < min(th.To, width) && th.To >= 0) {
		return 0, 0, 0
	}
	if last < 0 {
		return 0, 0, 0
	}
	wide := dims[last]
	dims[last] = dims[len(dims)-1]
	per := 0.0
	if width > widest {
		per = bins(width-widest, open, len(dims)) / (width - widest)
	}
	dims = dims[:len(dims)-1]
	sortByWidth(dims)
	end, early, late, times := c.convolve(dims, per)
	sums := c.row[MaxBins : MaxBins+end]
	accumulate(sums)
	if per == 0 {
		per = 1
	}
	q := query{sums: sums, all: sums[end-1]}
	step := wide.Step * per
	for i := range wide.Cells {
		o := step * float64(i)
		if wide.Values != nil {
			o = wide.Values[i] * per
		}
		above += q.all - q.at(th.Above*per-o-early)
		below += q.at(th.Below*per - o - late)
		if th.From < th.To {
			if n := q.at(th.To*per-o-late) - q.at(th.From*per-o-early); n > 0 {
				between += n
			}
		}
	}
	return above * times, below * times, between * times
}

// sortByWidth puts narrow dimensions first, so that rows stay short for long.
func sortByWidth(dims []Dim) {
	for i := 1; i < len(dims); i++ {
		d := dims[i]
		at := i
		for ; at > 0 && dims[at-1].width > d.width; at-- {
			dims[at] = dims[at-1]
		}
		dims[at] = d
	}
}

// bins is how many bins a range deserves.
func bins(width, open float64, dims int) float64 {
	n := fineness * float64(dims) * width / max(open, 0)
	if !(n < MaxBins) {
		return MaxBins
	}
	return max(n, MinBins)
}

// Middle is the contribution in the middle of the values.
func (d *Dim) Middle() float64 {
	if d.Values != nil {
		return d.Values[len(d.Values)/2]
	}
	return d.Step * float64(d.Cells-1) / 2
}

// level makes the least contribution 0 and says what it was.
func (d *Dim) level() (least float64) {
	if d.Values == nil {
		d.width = d.Step * float64(d.Cells-1)
		if d.width < 0 { // the same numbers, the other way round
			least, d.width, d.Step = d.width, -d.width, -d.Step
		}
		return least
	}
	d.Cells = len(d.Values)
	least, most := d.Values[0], d.Values[0]
	for _, v := range d.Values {
		least, most = min(least, v), max(most, v)
	}
	for i := range d.Values {
		d.Values[i] -= least
	}
	d.width = most - least
	return least
}

// query looks up how many points have a bin of at most x.
type query struct {
	sums []float64
	all  float64
}

func (q *query) at(x float64) float64 {
	switch {
	case !(x >= 0):
		return 0
	case x >= float64(len(q.sums)-1):
		return q.all
	}
	return q.sums[int(x)]
}

// accumulate replaces numbers by their sums up to each, in four runs side by side,
// since an addition waits for the one before.
func accumulate(row []float64) {
	n := len(row) / 4
	if n < 2 {
		for k := 1; k < len(row); k++ {
			row[k] += row[k-1]
		}
		return
	}
	a, b, c, d := row[:n], row[n:2*n], row[2*n:3*n], row[3*n:]
	b, c = b[:len(a)], c[:len(a)]
	for k := 1; k < len(a); k++ {
		a[k] += a[k-1]
		b[k] += b[k-1]
		c[k] += c[k-1]
		d[k] += d[k-1]
	}
	for k := n; k < len(d); k++ {
		d[k] += d[k-1]
	}
	s := a[n-1]
	for k := range b {
		b[k] += s
	}
	s = b[n-1]
	for k := range c {
		c[k] += s
	}
	s = c[n-1]
	for k := range d {
		d[k] += s
	}
}

// slip outweighs the rounding of contributions in bins, of which there are some
// hundred.
const slip = 1e-9

// convolve leaves in c.row the numbers of points by bin, end bins of them, with
// per bins in a unit of t; each stands for times as many. A point of bin k has a
// sum from k + early to k + late bins.
func (c *Counter) convolve(dims []Dim, per float64) (end int, early, late, times float64) {
	row := c.row[MaxBins:]
	clear(row[:8])
	row[0] = 1
	end = 1
	early, late, times = -slip, slip, 1
	for i := range dims {
		d := &dims[i]
		if d.Cells == 1 {
			continue
		}
		lo, hi, most := c.bin(d, per)
		early += lo
		late += hi
		if most == 0 {
			times *= float64(d.Cells)
			continue
		}
		grown := end + int(most)
		octets := (grown + 7) / 8
		clear(row[end : 8*octets])
		c.shift = shift{dst: &c.next[MaxBins], src: &row[0], offsets: &c.offsets[0], n: len(c.offsets), octets: octets}
		c.shiftAdd(&c.shift)
		c.row, c.next = c.next, c.row
		row = c.row[MaxBins:]
		end = grown
	}
	return end, early, late, times
}

// bin finds the bins of a dimension's contributions, and the least and the
// greatest distance of one from its bin.
func (c *Counter) bin(d *Dim, per float64) (lo, hi float64, most int32) {
	if cap(c.offsets) < d.Cells+8 {
		c.offsets = make([]int32, d.Cells+8)
	}
	offsets := c.offsets[:d.Cells]
	c.offsets = offsets
	if d.Values == nil {
		c.even = spread{step: d.Step * per, offsets: &offsets[0], n: d.Cells}
		c.spread(&c.even)
		return c.even.least, c.even.most, offsets[d.Cells-1]
	}
	for i, v := range d.Values { // of which one is 0
		x := v * per
		k := int32(x + 0.5)
		rest := x - float64(k)
		lo, hi = min(lo, rest), max(hi, rest)
		most = max(most, k)
		offsets[i] = k
	}
	return lo, hi, most
}
