// Package convolution counts the points of a box on each side of parallel planes.
//
// For a box of cells and t = Σ t_d, where every dimension d contributes one of a few
// numbers, it bounds from below how many of the box's points have t above a threshold,
// below another, or between two. It puts the contributions into bins of equal width and
// convolves the numbers of points in exact integers. It adds up how far binning moved
// each contribution and subtracts that from the thresholds. The widest dimension is not
// binned.
package convolution

import (
	"math"
	"unsafe"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// The range of t without the widest dimension is divided into MinBins to MaxBins bins.
// Of these, about fineness cover the width that the thresholds leave uncertain anyway,
// so that binning adds a small part to the uncertainty.
const (
	MinBins  = 32
	MaxBins  = 1024
	fineness = 128
)

// Dim is the contribution of a dimension: Values if it is not nil, else Step·c for c from 0 to Cells−1. There must be at
// least one number.
type Dim struct {
	Values []float64
	Step   float64
	Cells  int
	least  float64 // the least of Values
	width  float64 // of the contributions' range
}

// Counter is the memory of one goroutine. The zero value is not usable.
type Counter struct {
	*lanes
	wide    rows[float64]
	narrow  rows[uint32]
	order   []int32 // dimensions, by width
	offsets []int32
	even    spread
	uneven  binned
	ends    extent
	turned  bool // contributions count down from the greatest
}

// NewCounter returns a counter with the vector loops of a name, as in batch.Plan.Kernel;
// the fastest if there are none of that name.
func NewCounter(kernel string) *Counter {
	return &Counter{lanes: simd.Named(variants, kernel)}
}

// MaxDims bounds the dimensions of a box: binning moves a sum by at most half a bin per
// dimension, and rows have room for that.
const MaxDims = 2 * MaxBins

// Count bounds the numbers of points from below, for t = start + Σ t_d. margin bounds the
// error of a sum that is computed from the contributions. open is the part of t's range that
// the thresholds leave uncertain anyway. With more than MaxDims dimensions it counts no
// points. The box may have up to 2⁵³ points. Count changes dims, but not their Values.
func (c *Counter) Count(start float64, dims []Dim, th notion.Thresholds, open, margin float64) (above, below, between float64) {
	low, width, total := start, 0.0, 1.0
	last := -1
	c.order = c.order[:0]
	for i := range dims {
		d := &dims[i]
		low += c.level(d)
		total *= float64(d.Cells)
		if width += d.width; d.Cells > 1 && (last < 0 || d.width >= dims[last].width) {
			last = i
		}
	}
	// From here on t counts from low, and thresholds are on the safe side.
	margin += 0x1p-40 * (width + math.Abs(low))
	th = notion.Thresholds{Above: th.Above + margin - low, Below: th.Below - margin - low, From: th.From + margin - low, To: th.To - margin - low}
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
	if last < 0 || len(dims) > MaxDims || math.IsNaN(width+low) {
		return 0, 0, 0
	}
	c.sort(dims, last)
	rest, per := 0.0, 0.0
	for _, i := range c.order {
		rest += dims[i].width
	}
	if rest > 0 {
		per = bins(rest, open) / rest
	}
	if per > 0x1p900 { // numbers too small to be distinguished
		return 0, 0, 0
	}
	if total < 1<<32*float64(dims[last].Cells) {
		return sums(c, &c.narrow, c.shiftAdd32, dims, &dims[last], th, width, per)
	}
	return sums(c, &c.wide, c.shiftAdd, dims, &dims[last], th, width, per)
}

// sort orders the dimensions except one, narrow ones first, so that rows stay short as long
// as possible.
func (c *Counter) sort(dims []Dim, but int) {
	for i := range dims {
		if i == but || dims[i].Cells == 1 {
			continue
		}
		at := len(c.order)
		c.order = append(c.order, 0)
		for ; at > 0 && dims[c.order[at-1]].width > dims[i].width; at-- {
			c.order[at] = c.order[at-1]
		}
		c.order[at] = int32(i)
	}
}

// sums counts by adding each contribution of the widest dimension to the sums of the ordered dimensions; t is at most
// width.
//
// Rows are computed only as far as thresholds need. So if only t above a threshold in the upper half is counted, everything
// is mirrored: t > threshold if and only if width − t < width − threshold.
func sums[T number](c *Counter, r *rows[T], shiftAdd func(*shift), dims []Dim, widest *Dim, th notion.Thresholds, width, per float64) (above, below, between float64) {
	if per == 0 {
		per = 1
	}
	c.turned = th.Above > width/2 && th.Below < 0 && !(th.From < th.To)
	most := max(th.Below, th.From, th.To)
	if c.turned {
		th.Below, th.Above = width-th.Above, math.Inf(1)
		most = th.Below
	} else if th.Above < width {
		most = max(most, th.Above)
	}
	q, early, late, times := convolve(c, r, shiftAdd, dims, per, most)
	if q.sums == nil {
		return 0, 0, 0
	}
	step := widest.Step * per
	low, factor := c.from(widest, per)
	for i := range widest.Cells {
		o := step * float64(i)
		if widest.Values != nil {
			o = (widest.Values[i] - low) * factor
		}
		above += float64(q.all - q.at(th.Above*per-o-early))
		below += float64(q.at(th.Below*per - o - late))
		if th.From < th.To {
			if most, least := q.at(th.To*per-o-late), q.at(th.From*per-o-early); most > least {
				between += float64(most - least)
			}
		}
	}
	if c.turned {
		return below * times, 0, 0
	}
	return above * times, below * times, between * times
}

// from returns how a dimension's Values are converted to bins: v becomes (v − low)·factor. If the order is turned, low
// is the greatest value, and factor is negative.
func (c *Counter) from(d *Dim, per float64) (low, factor float64) {
	if c.turned {
		return d.least + d.width, -per
	}
	return d.least, per
}

// bins returns the number of bins for a range of t of the given width, from MinBins to
// MaxBins; open is as in Count.
func bins(width, open float64) float64 {
	n := fineness * width / max(open, 0)
	if !(n < MaxBins) {
		return MaxBins
	}
	return max(n, MinBins)
}

// level sets the range of a dimension's contributions, and returns the least one,
// relative to which bins are computed.
func (c *Counter) level(d *Dim) (least float64) {
	if d.Values == nil {
		d.width = d.Step * float64(d.Cells-1)
		if d.width < 0 { // the same numbers in reverse order
			least, d.width, d.Step = d.width, -d.width, -d.Step
		}
		return least
	}
	d.Cells = len(d.Values)
	e := &c.ends
	octets := len(d.Values) &^ 7
	if *e = (extent{values: &d.Values[0], n: octets, least: d.Values[0], most: d.Values[0]}); octets > 0 {
		c.extent(e)
	}
	if rest := d.Values[octets:]; len(rest) > 0 {
		tail := extent{values: &rest[0], n: len(rest)}
		extentScalar(&tail)
		e.least, e.most = min(e.least, tail.least), max(e.most, tail.most)
	}
	d.least, d.width = e.least, e.most-e.least
	return d.least
}

// number is the type of counts: uint32 if there are fewer than 2³² points without the
// widest dimension, which halves the rows' memory.
type number interface{ float64 | uint32 }

// perBlock returns how many numbers make 64 bytes.
func perBlock[T number]() int {
	var v T
	return 64 / int(unsafe.Sizeof(v))
}

// carryOn extends a row beyond its end with its last number, by at least as many blocks
// as the next row needs.
func carryOn[T number](l *lanes, row []T, end, blocks int) {
	last, per := row[end-1], perBlock[T]()
	if l.fill == nil {
		tail := row[end : blocks*per]
		for k := range tail {
			tail[k] = last
		}
		return
	}
	pattern := math.Float64bits(float64(last))
	if unsafe.Sizeof(last) == 4 {
		pattern = uint64(last)<<32 | uint64(last)
	}
	l.fill(unsafe.Pointer(&row[end]), pattern, (blocks*per-end)/per+1)
}

// rows holds, for each bin, the number of points up to it, after MaxBins zeros; next has
// room for the next row.
type rows[T number] struct {
	row, next []T
	shift     shift
}

// make allocates the rows on first use.
func (r *rows[T]) make() {
	if r.row == nil {
		r.row, r.next = make([]T, 4*MaxBins), make([]T, 4*MaxBins)
	}
}

// query looks up how many points have a bin of at most x; all is the number of points. If sums ends before that number is
// reached, no lookup may go beyond its end.
type query[T number] struct {
	sums []T
	all  T
}

func (q *query[T]) at(x float64) T {
	switch {
	case !(x >= 0):
		return 0
	case x >= float64(len(q.sums)-1):
		return q.all
	}
	return q.sums[int(x)]
}

// slip exceeds the rounding of a sum of contributions, in bins.
const slip = 1e-9

// convolve returns a query for the number of points up to each bin, as far as the highest threshold needs, which is
// furthest. The argument per is the number of bins in a unit of t. The result times is the number of points that each
// counted one stands for. A point counted in bin k has a sum from k + early to k + late, in bins.
//
// Sums over shifted rows of cumulative counts are cumulative counts again, so no row has to be summed at the end. Beyond
// its end a row continues with its last number. If the contributions need more bins than a row has, the query has no sums.
func convolve[T number](c *Counter, r *rows[T], shiftAdd func(*shift), dims []Dim, per, furthest float64) (q query[T], early, late, times float64) {
	r.make()
	row := r.row[MaxBins:]
	row[0] = 1
	end, all := 1, 1.0
	early, late, times = -slip, slip, 1
	// Binning moves a sum by half a bin for each dimension, at most.
	limit := int(min(max(furthest*per, 0), 4*MaxBins)) + len(c.order) + 2
	for _, i := range c.order {
		d := &dims[i]
		lo, hi, most := c.bin(d, per)
		early += lo
		late += hi
		if most == 0 {
			times *= float64(d.Cells)
			continue
		}
		all *= float64(d.Cells)
		grown := min(end+int(most), limit)
		if most < 0 || most > MaxBins || grown > 3*MaxBins-perBlock[T]()*2 {
			return query[T]{}, 0, 0, 0
		}
		per := perBlock[T]()
		blocks := (grown + per - 1) / per
		carryOn(c.lanes, row, end, blocks)
		r.shift = shift{
			dst: unsafe.Pointer(&r.next[MaxBins]), src: unsafe.Pointer(&row[0]), offsets: &c.offsets[0], n: len(c.offsets), blocks: blocks,
		}
		shiftAdd(&r.shift)
		r.row, r.next = r.next, r.row
		row = r.row[MaxBins:]
		end = grown
	}
	return query[T]{row[:end], T(all)}, early, late, times
}

// bin writes the bins of a dimension's contributions to offsets. It returns the least and
// the greatest distance of a contribution from its bin, and the largest bin.
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
	a := &c.uneven
	octets := len(d.Values) &^ 7
	*a = binned{values: &d.Values[0], offsets: &offsets[0], n: octets}
	if a.low, a.per = c.from(d, per); octets > 0 {
		c.binned(a)
	}
	if rest := d.Values[octets:]; len(rest) > 0 {
		tail := binned{values: &rest[0], low: a.low, per: a.per, offsets: &offsets[octets], n: len(rest)}
		binnedScalar(&tail)
		a.least, a.most = min(a.least, tail.least), max(a.most, tail.most)
	}
	return a.least, a.most, int32(math.RoundToEven(d.width * per))
}
