// Package tighten shrinks boxes, and the sets of relevant copies: what it removes cannot have a value above the cutoff.
package tighten

import (
	"math"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
)

// Clipper removes cells from boxes by linear forms (as Zhou et al., "Clip-and-Verify: Linear Constraint-Driven
// Domain Clipping", NeurIPS 2025, do with input domains).
type Clipper struct {
	*relax.Workspace
	// Settle receives each part that is removed from the box in a slot.
	Settle func(part grid.Box, slot int)
	// ByCell makes removed cells separate parts if a dimension has several inputs, because a checker's bound over several
	// cells takes each input's worst value.
	ByCell bool
	most   []float64 // form.most's memory, by lane
	reaches
}

// New returns a Clipper of the boxes that a workspace has bounded.
func New(w *relax.Workspace, settle func(part grid.Box, slot int)) *Clipper {
	return &Clipper{Workspace: w, Settle: settle, most: make([]float64, w.Lanes), reaches: newReaches(w.Lanes)}
}

// form is a linear form per lane of a box. A value above the cutoff requires that, at
// some point, some lane's form is near its maximum over the bounded box: the difference
// is no greater than the lane's entry in the list most.
type form struct {
	batch.Form
	// common are slopes, by feed, that are subtracted; nil if there are none.
	common []float64
	sign   float64
	most   []float64 // by lane; negative if the lane is excluded
	widest int       // the lane with the largest entry in the list most
}

// widen makes lane z the widest if its entry in the list most is larger.
func (f *form) widen(z int) {
	if f.most[z] > f.most[f.widest] {
		f.widest = z
	}
}

// Clip removes from the box in a slot the cells that cannot meet what a value above the
// cutoff needs, and settles them. It reports whether a part is left, and shrinks box to
// it.
//
// It removes a cell of a dimension if no lane can meet the need there, whatever the other
// dimensions are. The forms of the bounded box settle all removed cells, so a checker
// that gets their slopes finds the same.
func (c *Clipper) Clip(box grid.Box, slot int, need *notion.Need, possible []bool) bool {
	c.Enclosures(slot)
	f := form{Form: c.Batch.Logit(), sign: 1, most: c.most}
	if !math.IsInf(need.Above, 0) && !c.shrink(box, slot, c.needing(&f, -need.Above, possible)) {
		return false
	}
	f.sign = -1
	if !math.IsInf(need.Below, 0) && !c.shrink(box, slot, c.needing(&f, need.Below, possible)) {
		return false
	}
	if c.Aligned == nil || math.IsInf(need.Apart, 0) {
		return true
	}
	c.Remainders(slot)
	s := notion.Gather(c.Lo, c.Hi, possible, nil)
	f = form{Form: c.Aligned.Form, common: c.Aligned.Slopes(slot), sign: 1, most: c.most}
	if !c.shrink(box, slot, c.needing(&f, -s.Least-need.Apart, possible)) {
		return false
	}
	f.sign = -1
	return c.shrink(box, slot, c.needing(&f, s.Most-need.Apart, possible))
}

// Pair bounds by how much each of two copies' logits exceeds the other's, lowers apart to that, and
// removes the cells in which the difference cannot exceed what is needed.
func (c *Clipper) Pair(box grid.Box, slot int, need *notion.Need, apart *float64) bool {
	f := form{sign: 1, most: c.most}
	largest, guard, lane := math.Inf(-1), c.ClipError(), slot*c.Lanes
	for z := range f.most {
		most := c.Batch.Pair(lane+z, lane+1-z, c.Lanes)
		c.Shown[z] = notion.Tangent{Up: 1, Down: 1}
		largest = max(largest, most)
		if f.most[z] = -1; most > need.Apart {
			f.most[z] = most - need.Apart + guard + 0x1p-50*(math.Abs(most)+math.Abs(need.Apart))
		}
		f.widen(z)
	}
	*apart = min(*apart, largest)
	if f.Form = c.Batch.Pairs(); f.most[f.widest] < 0 {
		c.Settle(box, slot)
		return false
	}
	return c.shrink(box, slot, &f)
}

// Joint bounds the score gaps in the rest of the box in a slot, which it places there. If clips is set, it also removes
// what cannot be above the cutoff. It returns the bound, and whether a part is left.
func (c *Clipper) Joint(j *relax.Joint, box grid.Box, slot int, clips bool) (least float64, rest bool) {
	c.Place(box, slot)
	f := form{sign: 1, most: c.most}
	least = math.Inf(-1)
	lane := slot * c.Lanes
	for z := range f.most {
		if f.most[z] = -1; j.Lead(slot, z) {
			var gap float64
			gap, f.most[z] = j.Gap(z, lane+z, lane+1-z)
			least = max(least, gap)
		}
		f.widen(z)
	}
	if !clips {
		return least, true
	}
	if f.Form = c.Batch.Pairs(); f.most[f.widest] < 0 {
		c.Settle(box, slot)
		return least, false
	}
	return least, c.shrink(box, slot, &f)
}

// needing sets f, with the lanes' values in Lo and Hi, to the condition that one of them
// plus shift is positive.
func (c *Clipper) needing(f *form, shift float64, possible []bool) *form {
	guard := c.ClipError()
	f.widest = 0
	for z := range f.most {
		top := c.Hi[z]
		if f.sign < 0 {
			top = -c.Lo[z]
		}
		if f.most[z] = -1; possible == nil || possible[z] {
			f.most[z] = top + shift
			f.most[z] += guard + 0x1p-50*(math.Abs(top)+math.Abs(shift))
		}
		f.widen(z)
	}
	return f
}

// shrink removes from the box in a slot the cells in which no lane's form is large enough. It reports whether a part is
// left.
func (c *Clipper) shrink(box grid.Box, slot int, f *form) bool {
	lane := slot * c.Lanes
	for d := range c.Grid.Dims {
		from, to := box[2*d], box[2*d+1]
		if from == to || c.reach(d, lane+f.widest, f) < f.most[f.widest] {
			continue
		}
		first, last := c.cells(d, from, to, lane+f.widest, f.most[f.widest], f)
		for z, most := range f.most {
			if first == from && last == to {
				break
			}
			if most >= 0 && z != f.widest {
				a, o := c.cells(d, from, to, lane+z, most, f)
				first, last = min(first, a), max(last, o)
			}
		}
		if first > last {
			c.cutOff(box, d, from, to, slot)
			return false
		}
		if first > from {
			c.cutOff(box, d, from, first-1, slot)
		}
		if last < to {
			c.cutOff(box, d, last+1, to, slot)
		}
		box[2*d], box[2*d+1] = first, last
	}
	return true
}

// cells returns the first and the last of the cells [from, to] of dimension d that the cutoff does
// not remove in a lane: those for which the method below returns a number less than the argument
// most. It returns MaxUint64 and 0 if there is none.
func (c *Clipper) cells(d int, from, to uint64, lane int, most float64, f *form) (first, last uint64) {
	at, end := c.below(d, from, lane, f), c.below(d, to, lane, f)
	if at < most && end < most {
		return from, to
	}
	none, before := uint64(math.MaxUint64), uint64(0)
	goes := func(cell uint64) bool { return c.below(d, cell, lane, f) >= most }
	if dim := &c.Grid.Dims[d]; !dim.Even && !dim.Real {
		for first = from; first <= to && goes(first); first++ {
		}
		if first > to {
			return none, before
		}
		for last = to; goes(last); last-- {
		}
		return first, last
	}
	// The form is affine in the feature: cells between two removed cells are removed as
	// well.
	switch {
	case at >= most && end >= most:
		return none, before
	case at >= most:
		k := from + uint64((at-most)/(at-end)*float64(to-from))
		for k = min(k, to); k > from && !goes(k); {
			k -= 1 + (k-from)/4
		}
		return k + 1, to
	default:
		k := to - min(uint64((end-most)/(end-at)*float64(to-from)), to-from)
		for k < to && !goes(k) {
			k += 1 + (to-k)/4
		}
		return from, k - 1
	}
}

// slope returns a lane's slope in a dimension's input, without the form's sign.
func (c *Clipper) slope(d, i, input, lane int, f *form) float64 {
	a := f.Slope(input)[lane]
	if f.common != nil {
		a -= f.common[c.First[d]+i]
	}
	return a
}

// reach estimates the largest difference of a lane's form between two cells of a dimension
// of the bounded box.
func (c *Clipper) reach(d, lane int, f *form) float64 {
	sum, feeds, batch := 0.0, c.Grid.Dims[d].Feeds, c.Batch
	for i := range feeds {
		input := feeds[i].Input
		sum += math.Abs(c.slope(d, i, input, lane, f)) * batch.HalfWidth(input)[lane]
	}
	return 2 * sum
}

// below bounds from below, up to ClipError, by how much a lane's form in a cell of a
// dimension is less than its maximum over the bounded box.
func (c *Clipper) below(d int, cell uint64, lane int, f *form) float64 {
	sum, batch := 0.0, c.Batch
	feeds := c.Grid.Dims[d].Feeds
	for i := range feeds {
		feed := &feeds[i]
		a := c.slope(d, i, feed.Input, lane, f) * f.sign
		at := feed.Low(cell)
		if a > 0 {
			at += feed.Width
		}
		sum += a*(batch.Centre(feed.Input)[lane]-at) + math.Abs(a)*batch.HalfWidth(feed.Input)[lane]
	}
	return sum
}

// cutOff settles the cells [from, to] of dimension d of a box: no value in them is above the cutoff.
func (c *Clipper) cutOff(box grid.Box, d int, from, to uint64, slot int) {
	if c.ByCell && len(c.Grid.Dims[d].Feeds) > 1 {
		for ; from < to; from++ {
			box[2*d], box[2*d+1] = from, from
			c.Settle(box, slot)
		}
	}
	box[2*d], box[2*d+1] = from, to
	c.Settle(box, slot)
}
