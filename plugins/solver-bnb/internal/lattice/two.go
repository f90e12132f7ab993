package lattice

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// maxTwo is about how many bins two sums have together: rows of so many numbers stay in a first
// cache. With twice as many a quarter more time is taken, and hardly more is counted.
const maxTwo = 1 << 12

// finenessTwo bins for each dimension are enough over what is at stake.
const finenessTwo = 3

// maxVisited is how many points of the widest dimensions are visited, at most.
const maxVisited = 512

// two is the memory of CountTwo.
type two struct {
	visited   [2][]float64 // sums of those that are not binned
	offsets   [2][]int32
	wide      twoRows[float64]
	narrow    twoRows[uint32]
	narrowest twoRows[uint16]
}

// twoRows are rows for both sums, after as many zeros as may be looked at, and one for the first alone.
type twoRows[T number] struct{ rows, alone rows[T] }

const (
	maxStride = MaxBins    // of the first sum's bins
	front     = 4 * maxTwo // zeros
	roomOfTwo = 7 * maxTwo // of rows that are looked at
)

// ready makes room, once.
func (t *twoRows[T]) ready() {
	if t.rows.row == nil {
		row := func(n int) []T { return make([]T, n) }
		t.rows = rows[T]{row: row(front + 8*maxTwo), next: row(front + 8*maxTwo)}
		t.alone = rows[T]{row: row(3 * maxStride), next: row(3 * maxStride)}
	}
}

// CountTwo bounds from below for how many points both of two sums are above their thresholds,
// or with either, at least one of them. The sums are start[k] + Σ dims[k][d] over the same points: dims[0] and dims[1]
// have the same numbers of cells. The rest is as in Count; open is how much of a sum's range is at stake.
func (c *Counter) CountTwo(start [2]float64, dims [2][]Dim, above [2]float64, either bool, open, margin float64) float64 {
	var low, width [2]float64
	total := 1.0
	t := &c.two
	c.order = c.order[:0]
	for i := range dims[0] {
		total *= float64(dims[0][i].Cells)
		for k := range dims {
			low[k] += dims[k][i].level()
			width[k] += dims[k][i].width
		}
		if dims[0][i].Cells > 1 {
			c.order = append(c.order, int32(i))
		}
	}
	for k := range low {
		low[k] += start[k]
		above[k] += margin + 0x1p-40*(width[k]+math.Abs(low[k])) - low[k]
	}
	sure, never := above[0] < 0, above[0] >= width[0]
	if either {
		sure, never = sure || above[1] < 0, never && above[1] >= width[1]
	} else {
		sure, never = sure && above[1] < 0, never || above[1] >= width[1]
	}
	switch {
	case sure:
		return total
	case never || len(dims[0]) > MaxDims || math.IsNaN(above[0]+above[1]):
		return 0
	}
	// The widest are not binned: their points are visited one by one.
	slices.SortFunc(c.order, func(a, b int32) int {
		return cmp.Compare(dims[0][a].width+dims[1][a].width, dims[0][b].width+dims[1][b].width)
	})
	for k := range t.visited {
		t.visited[k] = append(t.visited[k][:0], 0)
	}
	var wide [2]float64
	for n := len(c.order) - 1; n >= 0 && len(t.visited[0])*dims[0][c.order[n]].Cells <= maxVisited; n-- {
		i := c.order[n]
		c.order = c.order[:n]
		for k := range t.visited {
			wide[k] += dims[k][i].width
			t.visited[k] = visit(t.visited[k], &dims[k][i])
		}
	}
	var rest [2]float64
	for _, i := range c.order {
		rest[0], rest[1] = rest[0]+dims[0][i].width, rest[1]+dims[1][i].width
	}
	bin := max(math.Sqrt(rest[0]*rest[1]/maxTwo), max(rest[0], rest[1])/(MaxBins/2), open/float64(finenessTwo*len(dims[0])))
	if len(c.order) == 0 {
		bin = 1
	}
	if !(bin > 0x1p-900) {
		return 0
	}
	switch points := total / float64(len(t.visited[0])); {
	case points < 1<<16:
		return twoSums(c, &t.narrowest, c.shiftAdd16, dims, wide[1], above, either, 1/bin)
	case points < 1<<32:
		return twoSums(c, &t.narrow, c.shiftAdd32, dims, wide[1], above, either, 1/bin)
	}
	return twoSums(c, &t.wide, c.shiftAdd, dims, wide[1], above, either, 1/bin)
}

// visit adds a dimension's contributions to each of some sums.
func visit(sums []float64, d *Dim) []float64 {
	n := len(sums)
	for i := 1; i < d.Cells; i++ {
		v := d.at(i)
		for _, s := range sums[:n] {
			sums = append(sums, s+v)
		}
	}
	v := d.at(0)
	for i := range sums[:n] {
		sums[i] += v
	}
	return sums
}

// at is contribution i, after level.
func (d *Dim) at(i int) float64 {
	switch {
	case d.Values != nil:
		return d.Values[i]
	case d.falls:
		i = d.Cells - 1 - i
	}
	return d.Step * float64(i)
}

// twoSums counts by rows of the first sum's bins, one for each bin of the second, in which
// there are the points up to that bin. Of these only the rows are worked out that may be asked for in the end: about as
// many as the widest dimension and those that are still to come have bins.
func twoSums[T number](c *Counter, r *twoRows[T], shiftAdd func(*shift), dims [2][]Dim, wide float64, above [2]float64, either bool, per float64) float64 {
	t := &c.two
	stride, ahead := 1, 0 // bins of the first sum, and what of the second's is still to come, at most
	for _, i := range c.order {
		stride += binsOf(&dims[0][i], per)
		ahead += binsOf(&dims[1][i], per)
	}
	if stride > maxStride || stride*(1+ahead) > roomOfTwo {
		return 0
	}
	// Rows that are asked for in the end: bins are away from sums by half a one for each dimension, at most.
	away := len(c.order) + 1
	within := func(x float64) int { return int(min(max(x*per, 0), float64(ahead))) }
	lowest, highest := max(0, within(above[1]-wide)-away), within(above[1])+away
	r.ready()
	row, alone := r.rows.row[front:], r.alone.row[maxStride:]
	clear(row[:stride])
	clear(alone[:stride])
	row[0], alone[0] = 1, 1
	// Rows from first to end−1 are there; those behind are the last one again, if they are asked for.
	first, end, times := 0, 1, 1.0
	early := [2]float64{-slip, -slip}
	for _, i := range c.order {
		var most [2]int32
		for k := range dims {
			d := &dims[k][i]
			lo, _, last := c.bin(d, per, &t.offsets[k])
			if early[k], most[k] = early[k]+lo, last; d.falls {
				slices.Reverse(t.offsets[k])
			}
		}
		offsets := t.offsets
		ahead -= binsOf(&dims[1][i], per)
		if most[0] == 0 && most[1] == 0 {
			times *= float64(len(offsets[0]))
			continue
		}
		from := max(first, lowest-ahead)
		to := min(end+int(most[1]), highest+1)
		if from >= to || int(most[1]+1)*stride > front {
			return 0
		}
		r.alone.shift = shift{
			dst: unsafe.Pointer(&r.alone.next[maxStride]), src: unsafe.Pointer(&alone[0]), offsets: &offsets[0][0], n: len(offsets[0]), blocks: (stride + perBlock[T]() - 1) / perBlock[T](),
		}
		shiftAdd(&r.alone.shift)
		r.alone.row, r.alone.next = r.alone.next, r.alone.row
		alone = r.alone.row[maxStride:]
		for k, b := range offsets[1] {
			offsets[0][k] += b * int32(stride)
		}
		blocks := ((to-from)*stride + perBlock[T]() - 1) / perBlock[T]()
		need := from*stride + blocks*perBlock[T]()
		for k := end * stride; k < need; {
			k += copy(row[k:need], row[(end-1)*stride:k])
		}
		r.rows.shift = shift{
			dst: unsafe.Pointer(&r.rows.next[front+from*stride]), src: unsafe.Pointer(&row[from*stride]), offsets: &offsets[0][0], n: len(offsets[0]), blocks: blocks,
		}
		shiftAdd(&r.rows.shift)
		r.rows.row, r.rows.next = r.rows.next, r.rows.row
		row, first, end = r.rows.row[front:], from, to
	}
	// Now points up to a bin of the first as well.
	sumUp(alone[:stride])
	for k := first; k < end; k++ {
		sumUp(row[k*stride : (k+1)*stride])
	}
	every := alone[stride-1]
	count := 0.0
	second := t.visited[1]
	for i, o := range t.visited[0] {
		// From which bins on the sums are surely above.
		x, y := surely((above[0]-o)*per-early[0], stride), surely((above[1]-second[i])*per-early[1], end)
		var one, other, both T // how many points have the first not surely above, the second not, and neither
		if x > 0 {
			one = alone[x-1]
		}
		if y > 0 {
			r := row[(y-1)*stride:]
			if other = r[stride-1]; x > 0 {
				both = r[x-1]
			}
		}
		if either {
			count += float64(every - both)
		} else {
			count += float64(every - (one + other - both))
		}
	}
	return count * times
}

// surely is from which of n bins on a sum is above x bins.
func surely(x float64, n int) int {
	switch {
	case x < 0:
		return 0
	case x < float64(n-1):
		return int(x) + 1
	}
	return n
}

// sumUp puts sums of what is up to each place there.
func sumUp[T number](row []T) {
	sum := T(0)
	for i, n := range row {
		sum += n
		row[i] = sum
	}
}

// binsOf is one more than the bins that a contribution may be moved by, at most.
func binsOf(d *Dim, per float64) int { return int(d.width*per) + 2 }
