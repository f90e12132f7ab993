package count

import (
	"cmp"
	"math"
	"slices"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/count/convolution"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// tables holds the sides' bounds by groups of dimensions (docs/developer/solver-bnb.md, Counting). If a dimension has more
// cells than a group may have points, consecutive cells form blocks; cells that do not fill a block are not counted.
type tables struct {
	batch *batch.Tables
	state int       // what is computed for the boxes in the lanes
	order []int     // dimensions, group by group
	ends  []int     // of groups, in order
	sizes []int     // number of points, by group
	block []int     // cells per block, by dimension
	times float64   // number of the box's points that a point stands for
	only  []bool    // by copy; all unset between calls
	pull  []float64 // by input
	pulls []float64 // by dimension
	row   []float64
	dims  []convolution.Dim
}

// Values of state: what is computed for the boxes in the lanes.
const (
	nothing = iota
	sides
	leftOut
)

// Blocks reports whether the last tables had blocks of cells.
func (c *Counter) Blocks() bool { return c.times > 1 }

// group divides the dimensions into groups. The first group has the dimensions with the
// largest pull.
func (c *Counter) group(box grid.Box, b int) {
	t := &c.tables
	t.batch.Pull(b, t.pull)
	t.order, t.times = t.order[:0], 1
	for d := range c.Grid.Dims {
		cells := cellsOf(box, d)
		if len(c.Inputs[d]) == 0 {
			t.times *= float64(cells)
			continue
		}
		t.order, t.pulls[d], t.block[d] = append(t.order, d), 0, (cells-1)/c.Params.Count.Points+1
		t.times *= float64(t.block[d])
		for _, i := range c.Inputs[d] {
			t.pulls[d] += t.pull[i]
		}
	}
	slices.SortStableFunc(t.order, func(a, b int) int { return cmp.Compare(t.pulls[b], t.pulls[a]) })
	t.ends, t.sizes = t.ends[:0], t.sizes[:0]
	for from := 0; from < len(t.order); {
		size, end := 1, from
		for i := from; i < len(t.order); i++ {
			d := t.order[i]
			if blocks := cellsOf(box, d) / t.block[d]; end == from || size*blocks <= c.Params.Count.Points {
				copy(t.order[end+1:i+1], t.order[end:i])
				t.order[end] = d
				size, end = size*blocks, end+1
			}
		}
		t.ends, t.sizes = append(t.ends, end), append(t.sizes, size)
		from = end
	}
}

// Limits of Outlook, in standard deviations. If a side's mean is farther below the number than a limit, too few points are
// beyond the number for tables to pay. The limit is hopeless for a side's upper bound, and for its lower bound if gaps
// matter. If signs matter, it is farBelow for the lower bound, which may be far off in a deep network although individuals
// near the border are open.
const (
	hopeless = -3
	farBelow = -12
)

// Tabulate bounds both sides in box, a part of the bounded box in slot b, for points beyond a number. It reports whether
// such points are likely enough.
func (c *Counter) Tabulate(box grid.Box, b int, beyond float64) bool {
	t := &c.tables
	if len(c.Idle) == len(c.Grid.Dims) || c.Grid.Size(box) < c.Params.Count.TableMass { // all points are alike, or they are few
		return false
	}
	if t.state == nothing {
		c.Batch.Sides()
		t.state = sides
	}
	hope, least := false, float64(farBelow)
	if !c.Notion.Signs() {
		least = hopeless
	}
	t.batch.Look(b)
	for side := range 2 {
		below, above := t.batch.Outlook(side, beyond)
		hope = hope || below > least && above > hopeless
	}
	if !hope {
		return false
	}
	if t.state == sides {
		c.Batch.LeaveOut()
		t.state = leftOut
	}
	c.group(box, b)
	t.batch.Shape(t.sizes)
	from := 0
	for g, end := range t.ends {
		repeated := 1 // consecutive copies of each value
		for _, d := range t.order[from:end] {
			blocks := cellsOf(box, d) / t.block[d]
			for f := range c.Grid.Dims[d].Feeds {
				c.feature(d, f, g, box[2*d], blocks, repeated)
			}
			repeated *= blocks
		}
		from = end
	}
	t.batch.Bound(b, beyond)
	t.row = slices.Grow(t.row[:0], t.batch.Width())[:t.batch.Width()]
	return true
}

// feature sets the values that dimension d of group g feeds to its f-th input, by blocks of cells that begin at cell. Each value
// takes as many consecutive entries as repeated says; the entire sequence recurs until the group is full.
func (c *Counter) feature(d, f, g int, cell uint64, blocks, repeated int) {
	t, dim := &c.tables, &c.Grid.Dims[d]
	feed, block, size := &dim.Feeds[f], t.block[d], t.sizes[g]
	wide := block > 1 || dim.Real
	row, away := t.batch.Feature(feed.Input, g, wide)
	for i := range blocks {
		at, from := row[i*repeated:][:repeated], cell+uint64(i*block)
		var v, r float64
		if wide {
			v, r = feed.Enclose(from, from+uint64(block)-1)
			fill(away[i*repeated:][:repeated], r)
		} else {
			v = feed.Low(from)
		}
		fill(at, v)
	}
	for _, row := range [][]float64{row, away} {
		for i, n := blocks*repeated, blocks*repeated; i < min(size, len(row)); i += n {
			copy(row[i:size], row[:n])
		}
		for i := size; i < len(row); i++ {
			row[i] = row[size-1]
		}
	}
}

func fill(row []float64, v float64) {
	for i := range row {
		row[i] = v
	}
}

// Uncertain returns the mean distance of the two sides' bounds over the box, each side
// in the possible lane where its bound is worst.
func (c *Counter) Uncertain(possible []bool) (open float64) {
	for side := range 2 {
		least := math.Inf(1)
		for z := range c.Lanes {
			if possible == nil || possible[z] {
				least = min(least, c.tables.batch.Mean(side, z))
			}
		}
		open -= least
	}
	return open
}

// Beyond bounds from below how many individuals of the box have a side beyond a number in all copies that among marks;
// nil marks all. open is the distance that is uncertain anyway.
func (c *Counter) Beyond(side int, among []bool, number, open float64) float64 {
	t := &c.tables
	rest := t.batch.Lowest(side, among, t.row)
	t.dims = t.dims[:0]
	for g, size := range t.sizes {
		t.dims = append(t.dims, convolution.Dim{Values: t.row[t.batch.Point(g):][:size]})
	}
	inf := math.Inf(1)
	n, _, _ := c.convolution.Count(rest, t.dims, notion.Thresholds{Above: number, Below: -inf, From: inf, To: -inf}, open, t.batch.Error(side))
	return n * t.times
}

// Opposite bounds from below how many individuals have a positive logit in one copy and a
// negative one in another, for the two copies for which this is most likely: the number
// with the first, plus the number with the second, less all.
func (c *Counter) Opposite(box grid.Box, sure []bool) float64 {
	t, height := &c.tables, 0.0
	var highest [2]int
	for side := range highest {
		most := math.Inf(-1)
		for z := range c.Lanes {
			if m := t.batch.Mean(side, z); (sure == nil || sure[z]) && m > most {
				most, highest[side] = m, z
			}
		}
		height += most
	}
	if !(height > 0) {
		return 0
	}
	n := -c.Grid.Size(box)
	for side, z := range highest {
		t.only[z] = true
		n += c.Beyond(side, t.only, 0, c.Uncertain(t.only))
		t.only[z] = false
	}
	return n
}
