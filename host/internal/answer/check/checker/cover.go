package checker

import (
	"context"
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/space"
)

// cover decides whether the leaves' boxes partition the region. Boxes of real features may
// share their borders.
//
// Only the order of ends along a feature matters. An end is stored in 4 bytes, as its rank
// among all ends of the feature. An integer interval lo to hi is stored as [lo, hi+1).
type cover struct {
	space  *space.Space
	free   []int // the features with more than one value in the region
	ends   []ends
	boxes  []int32 // for each leaf, its two ends along each free feature
	leaves int
}

// ends numbers the values of ends along one feature: first by arrival, finally by size.
type ends struct {
	number map[float64]int32
	values []float64
}

func (e *ends) code(v float64) int32 {
	n, ok := e.number[v]
	if !ok {
		n = int32(len(e.values))
		e.number[v] = n
		e.values = append(e.values, v)
	}
	return n
}

// maxCover bounds the memory for the boxes, in bytes. endBytes is roughly the memory of one
// value in ends, leafBytes that of a leaf without its box.
const (
	maxCover  = 4 << 30
	endBytes  = 64
	leafBytes = 16
)

func newCover(st *certificate.Statement) *cover {
	c := &cover{space: st.Space}
	region := st.RegionOrWhole()
	for _, i := range st.Space.Free() {
		if iv := region.Box[i]; iv.Lo != iv.Hi {
			e := ends{number: map[float64]int32{}}
			e.code(iv.Lo)
			e.code(c.end(i, iv.Hi))
			c.free, c.ends = append(c.free, i), append(c.ends, e)
		}
	}
	return c
}

// end returns the stored upper end of a feature's interval that ends with hi.
func (c *cover) end(feature int, hi float64) float64 {
	if c.space.Features[feature].Discrete() {
		return hi + 1
	}
	return hi
}

// add stores the box of the next leaf, which lies in the region.
func (c *cover) add(box space.Box) error {
	size := 4*len(c.boxes) + leafBytes*c.leaves
	for k := range c.ends {
		size += endBytes * len(c.ends[k].values)
	}
	if size >= maxCover {
		return fmt.Errorf("the boxes of %d leaves take %d GiB, the most that is allowed", c.leaves, maxCover>>30)
	}
	for k, i := range c.free {
		lo, hi := box[i].Lo, c.end(i, box[i].Hi)
		if lo == hi {
			return fmt.Errorf("the interval of %q is the single number %v, which covers nothing", c.space.Features[i].Name, lo)
		}
		c.boxes = append(c.boxes, c.ends[k].code(lo), c.ends[k].code(hi))
	}
	c.leaves++
	return nil
}

// hole is an error: a part of the region that no leaf covers.
type hole struct{ part string }

func (h *hole) Error() string { return "no leaf covers " + h.part }

// overlap is an error: two leaves, by number from 0, that intersect.
type overlap struct{ first, second int }

func (o *overlap) Error() string {
	return fmt.Sprintf("leaves %d and %d overlap", o.first+1, o.second+1)
}

// check returns nil if the leaves partition the region, else a hole, an overlap or ctx's error.
// It calls progress from time to time with the number of leaves placed.
func (c *cover) check(ctx context.Context, progress func(placed int)) error {
	// Ranks by size replace those by arrival.
	cell := make([]int32, 2*len(c.free))
	for k := range c.ends {
		e := &c.ends[k]
		sorted := slices.Clone(e.values)
		slices.Sort(sorted)
		rank := make([]int32, len(sorted))
		for i, v := range e.values {
			at, _ := slices.BinarySearch(sorted, v)
			rank[i] = int32(at)
		}
		for at := 2 * k; at < len(c.boxes); at += 2 * len(c.free) {
			c.boxes[at], c.boxes[at+1] = rank[c.boxes[at]], rank[c.boxes[at+1]]
		}
		e.values, e.number = sorted, nil
		cell[2*k+1] = int32(len(sorted) - 1) // the region's ends are the outermost
	}
	all := make([]int32, c.leaves)
	for i := range all {
		all[i] = int32(i)
	}
	d := &divider{cover: c, ctx: ctx, progress: progress}
	return d.divide(all, cell)
}

// interval returns the leaf's interval along the k-th free feature, clipped to the cell.
func (c *cover) interval(leaf int32, k int, cell []int32) (from, to int32) {
	at := (int(leaf)*len(c.free) + k) * 2
	return max(c.boxes[at], cell[2*k]), min(c.boxes[at+1], cell[2*k+1])
}

// divider splits a cell, and the leaves in it, until each cell holds one leaf, which must
// equal the cell.
type divider struct {
	*cover
	ctx      context.Context
	progress func(placed int)
	placed   int
	// Scratch memory of cuts.
	places        []int32
	begin, across []int32
}

func (d *divider) divide(leaves, cell []int32) error {
	switch len(leaves) {
	case 0:
		return &hole{d.describe(cell)}
	case 1:
		for k := range d.free {
			if from, to := d.interval(leaves[0], k, cell); from > cell[2*k] || to < cell[2*k+1] {
				rest := slices.Clone(cell)
				if from > cell[2*k] {
					rest[2*k+1] = from
				} else {
					rest[2*k] = to
				}
				return &hole{d.describe(rest)}
			}
		}
		if d.placed++; d.placed%4096 == 0 {
			d.progress(d.placed)
			return d.ctx.Err()
		}
		return nil
	}
	k, at, ok := d.cut(leaves, cell)
	if !ok {
		// No leaf ends inside the cell: every leaf fills it.
		return &overlap{int(min(leaves[0], leaves[1])), int(max(leaves[0], leaves[1]))}
	}
	var low, high []int32
	for _, leaf := range leaves {
		from, to := d.interval(leaf, k, cell)
		if from < at {
			low = append(low, leaf)
		}
		if to > at {
			high = append(high, leaf)
		}
	}
	below, above := slices.Clone(cell), slices.Clone(cell)
	below[2*k+1], above[2*k] = at, at
	if err := d.divide(low, below); err != nil {
		return err
	}
	return d.divide(high, above)
}

// cut chooses a feature and an end of some leaf inside the cell, if there is one. It
// minimises the number of leaves that the cut crosses, none if the leaves come from
// bisection, then maximises the smaller side.
func (d *divider) cut(leaves, cell []int32) (feature int, at int32, ok bool) {
	n := int32(len(leaves))
	fewest, smaller := n+1, int32(-1)
	for k := range d.free {
		from, to := cell[2*k], cell[2*k+1]
		d.marks(leaves, cell, k)
		var begun, across int32
		for i, place := range d.places {
			// begun counts the leaves that begin before the place; across counts those that
			// also end after it.
			across += d.across[i]
			if place > from && place < to {
				side := min(begun, n-begun)
				if across < fewest || across == fewest && side > smaller {
					feature, at, ok = k, place, true
					fewest, smaller = across, side
				}
			}
			begun += d.begin[i]
			across += d.begin[i]
		}
		if fewest == 0 && smaller >= n/4 {
			break
		}
	}
	return feature, at, ok
}

// marks sets places, begin and across for the k-th feature: the sorted ends of leaves within
// the cell, the number of leaves that begin at each, and minus the number that end there.
func (d *divider) marks(leaves, cell []int32, k int) {
	d.places = d.places[:0]
	from, to := cell[2*k], cell[2*k+1]
	dense := int(to-from) <= 4*len(leaves)
	if dense {
		for p := from; p <= to; p++ {
			d.places = append(d.places, p)
		}
	} else {
		for _, leaf := range leaves {
			a, b := d.interval(leaf, k, cell)
			d.places = append(d.places, a, b)
		}
		slices.Sort(d.places)
		d.places = slices.Compact(d.places)
	}
	d.begin = append(d.begin[:0], make([]int32, len(d.places))...)
	d.across = append(d.across[:0], make([]int32, len(d.places))...)
	index := func(p int32) int {
		if dense {
			return int(p - from)
		}
		i, _ := slices.BinarySearch(d.places, p)
		return i
	}
	for _, leaf := range leaves {
		a, b := d.interval(leaf, k, cell)
		d.begin[index(a)]++
		d.across[index(b)]--
	}
	if !dense {
		return
	}
	// Keeps the places where a leaf begins or ends.
	kept := 0
	for i, p := range d.places {
		if d.begin[i] != 0 || d.across[i] != 0 {
			d.places[kept], d.begin[kept], d.across[kept] = p, d.begin[i], d.across[i]
			kept++
		}
	}
	d.places = d.places[:kept]
}

// describe formats a cell as intervals of features.
func (d *divider) describe(cell []int32) string {
	var p space.Predicate
	for k, i := range d.free {
		iv := space.Interval{Lo: d.ends[k].values[cell[2*k]], Hi: d.ends[k].values[cell[2*k+1]]}
		if d.space.Features[i].Discrete() {
			iv.Hi--
		}
		p = append(p, space.Condition{Feature: i, Interval: iv})
	}
	if len(p) == 0 {
		return "the region"
	}
	return p.Format(d.space)
}
