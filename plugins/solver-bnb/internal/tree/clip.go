package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/bound/batch"
	"github.com/hyfair/hyfair/sdk/space"
)

// functional is a linear form of each lane of a box. A value above the cutoff needs
// that, somewhere, one lane's is more than by most below the largest that it takes in
// the box that was bounded.
type functional struct {
	form batch.Form
	// common slopes, by feed, are taken off; nil stands for none.
	common []float64
	sign   float64
	most   []float64 // by combination; a negative number rules one out
	widest int       // the combination with the largest
}

// shrinks leaves of bounded box b, of which whole tells, what may have a value above the
// cutoff, and settles the rest: box shrinks, and c are the copies that matter. rest is
// unset where nothing is left, or so little that it was gone through.
func (w *worker) shrinks(box grid.Box, b int, whole *notion.Spread, possible, sure []bool) (c copies, rest bool) {
	if !w.t.clips {
		return w.kept(b), true
	}
	need, ok := w.need(b*w.k, whole)
	if !ok {
		return w.kept(b), true
	}
	c, matter, fewer, ok := w.relevant(b, &need, possible)
	if !ok {
		w.settlePart(box, b*w.k)
		return nil, false
	}
	if fewer {
		*whole, _ = w.spreads(b, matter, sure)
		if need, ok = w.need(b*w.k, whole); !ok {
			return c, true
		}
	}
	if !w.clip(box, b, &need, matter) || !w.clipPair(box, b, &need, whole) {
		return nil, false
	}
	if w.g.Countable && w.g.Size(box) <= enumerable {
		w.points.enumerate(w, box)
		return nil, false
	}
	return c, true
}

// clippableWidth is how wide copies' enclosures are in the mean where boxes shrink to more
// bins: those of wider ones hardly do.
const clippableWidth = 4

// need is what a value above the cutoff needs of the logits of a box, which whole encloses.
func (w *worker) need(lane int, whole *notion.Spread) (notion.Need, bool) {
	switch {
	case !w.t.goal.bins:
		return w.t.judge.Need(whole, w.cutoff)
	case w.width(lane) > clippableWidth:
		return notion.Need{}, false
	}
	return w.t.bins.Need(whole, int(max(w.cutoff, 0)))
}

// clip cuts off from bounded box b the cells that cannot have what a value above the
// cutoff needs, and settles them. It reports whether anything is left, which is what box
// is then.
//
// A cell of a dimension goes where no lane can have what is needed, whatever the other
// dimensions are. All that goes is settled by the forms of the whole box, so that a
// checker who is given their slopes finds what was found here.
func (w *worker) clip(box grid.Box, b int, need *notion.Need, possible []bool) bool {
	lane := b * w.k
	w.enclosures(lane)
	f := functional{form: w.space.Logit(), sign: 1, most: w.needs}
	if !math.IsInf(need.Above, 0) && !w.shrink(box, lane, w.needing(&f, -need.Above, possible)) {
		return false
	}
	f.sign = -1
	if !math.IsInf(need.Below, 0) && !w.shrink(box, lane, w.needing(&f, need.Below, possible)) {
		return false
	}
	if w.parallel == nil || math.IsInf(need.Apart, 0) {
		return true
	}
	w.intervals(w.parallel, lane)
	s := notion.Gather(w.lo, w.hi, possible, nil)
	f = functional{form: w.parallel.form, common: w.parallel.of(w, b), sign: 1, most: w.needs}
	if !w.shrink(box, lane, w.needing(&f, -s.Least-need.Apart, possible)) {
		return false
	}
	f.sign = -1
	return w.shrink(box, lane, w.needing(&f, s.Most-need.Apart, possible))
}

// clipPair bounds by how much each of two copies' logits is above the other's, and goes on
// as clip does where that may be more than what is needed.
func (w *worker) clipPair(box grid.Box, b int, need *notion.Need, whole *notion.Spread) bool {
	if !w.t.pairwise || w.apart == nil { // no protected feature feeds an input
		return true
	}
	f := functional{sign: 1, most: w.needs}
	apart := math.Inf(-1)
	guard := w.clipError()
	for z := range f.most {
		most := w.space.Pair(b*w.k+z, b*w.k+1-z, w.k)
		w.shown[z] = notion.Tangent{Up: 1, Down: 1}
		apart = max(apart, most)
		if f.most[z] = -1; most > need.Apart {
			f.most[z] = most - need.Apart + guard + 0x1p-50*(math.Abs(most)+math.Abs(need.Apart))
		}
		if f.most[z] > f.most[f.widest] {
			f.widest = z
		}
	}
	whole.Apart = min(whole.Apart, apart)
	if f.form = w.space.Pairs(); f.most[f.widest] < 0 {
		w.settlePart(box, b*w.k)
		return false
	}
	return w.shrink(box, b*w.k, &f)
}

// needing says of f, whose lanes' values are in lo and hi, that one of them has to be
// positive together with shift.
func (w *worker) needing(f *functional, shift float64, possible []bool) *functional {
	guard := w.clipError()
	f.widest = 0
	for z := range f.most {
		top := w.hi[z]
		if f.sign < 0 {
			top = -w.lo[z]
		}
		if f.most[z] = -1; possible == nil || possible[z] {
			f.most[z] = top + shift
			f.most[z] += guard + 0x1p-50*(math.Abs(top)+math.Abs(shift))
		}
		if f.most[z] > f.most[f.widest] {
			f.widest = z
		}
	}
	return f
}

// clipError outweighs twice the rounding of what a form is in a cell against what
// it is in the bounded box.
func (w *worker) clipError() float64 { return 2 * w.alignError() }

// shrink cuts off from box, whose lanes begin at lane, the cells in which no lane's
// functional is large enough. It reports whether anything is left.
func (w *worker) shrink(box grid.Box, lane int, f *functional) bool {
	for d := range w.g.Dims {
		from, to := box[2*d], box[2*d+1]
		if from == to || w.reachOf(d, lane+f.widest, f) < f.most[f.widest] {
			continue
		}
		first, last := w.cells(d, from, to, lane+f.widest, f.most[f.widest], f)
		for z, most := range f.most {
			if first == from && last == to {
				break
			}
			if most >= 0 && z != f.widest {
				a, o := w.cells(d, from, to, lane+z, most, f)
				first, last = min(first, a), max(last, o)
			}
		}
		if first > last {
			w.cutOff(box, d, from, to, lane)
			return false
		}
		if first > from {
			w.cutOff(box, d, from, first-1, lane)
		}
		if last < to {
			w.cutOff(box, d, last+1, to, lane)
		}
		box[2*d], box[2*d+1] = first, last
	}
	return true
}

// cells is the first and the last cell of dimension d, of those from from to to, in
// which a lane's functional may be as large as most demands. Where there is none, the
// first is behind all cells and the last before.
func (w *worker) cells(d int, from, to uint64, lane int, most float64, f *functional) (first, last uint64) {
	at, end := w.below(d, from, lane, f), w.below(d, to, lane, f)
	if at < most && end < most {
		return from, to
	}
	none, before := uint64(math.MaxUint64), uint64(0)
	goes := func(cell uint64) bool { return w.below(d, cell, lane, f) >= most }
	if dim := &w.g.Dims[d]; !dim.Even && !dim.Real {
		for first = from; first <= to && goes(first); first++ {
		}
		if first > to {
			return none, before
		}
		for last = to; goes(last); last-- {
		}
		return first, last
	}
	// The functional is affine in the feature: what goes at two cells goes between them.
	switch {
	case at >= most && end >= most:
		return none, before
	case at >= most:
		c := from + uint64((at-most)/(at-end)*float64(to-from))
		for c = min(c, to); c > from && !goes(c); {
			c -= 1 + (c-from)/4
		}
		return c + 1, to
	default:
		c := to - min(uint64((end-most)/(end-at)*float64(to-from)), to-from)
		for c < to && !goes(c) {
			c += 1 + (to-c)/4
		}
		return from, c - 1
	}
}

// reachOf is about how far apart a lane's functional can be in two cells of a dimension.
func (w *worker) reachOf(d, lane int, f *functional) float64 {
	sum := 0.0
	for i := range w.g.Dims[d].Feeds {
		input := w.g.Dims[d].Feeds[i].Input
		a := f.form.Slope(input)[lane]
		if f.common != nil {
			a -= f.common[w.first[d]+i]
		}
		sum += math.Abs(a) * w.space.HalfWidth(input)[lane]
	}
	return 2 * sum
}

// below bounds from below, but for clipError, by how much less a lane's functional
// is in a cell of a dimension than where it is largest in the box that was bounded.
func (w *worker) below(d int, cell uint64, lane int, f *functional) float64 {
	sum := 0.0
	feeds := w.g.Dims[d].Feeds
	for i := range feeds {
		feed := &feeds[i]
		a := f.form.Slope(feed.Input)[lane]
		if f.common != nil {
			a -= f.common[w.first[d]+i]
		}
		a *= f.sign
		at := feed.Low(cell)
		if a > 0 {
			at += feed.Width
		}
		sum += a*(w.space.Centre(feed.Input)[lane]-at) + math.Abs(a)*w.space.HalfWidth(feed.Input)[lane]
	}
	return sum
}

// cutOff settles the cells of dimension d from from to to of a box, in which no value
// is above the cutoff. Of a dimension with several inputs, that is known of each cell
// alone: a bound over some cells would take each input's worst.
func (w *worker) cutOff(box grid.Box, d int, from, to uint64, lane int) {
	if w.t.Proofs && len(w.g.Dims[d].Feeds) > 1 {
		for ; from < to; from++ {
			box[2*d], box[2*d+1] = from, from
			w.settlePart(box, lane)
		}
	}
	box[2*d], box[2*d+1] = from, to
	w.settlePart(box, lane)
}

// settlePart settles a part of a bounded box.
func (w *worker) settlePart(part grid.Box, lane int) {
	if w.t.goal.values {
		w.bounded(part, lane)
	} else {
		w.fair(part, lane, w.g.Size(part))
	}
	if w.t.Pieces == nil || !w.t.Proofs {
		return
	}
	copies := w.out.pieces[len(w.out.pieces)-1].Copies
	for i := range copies {
		copies[i].Logit = w.within(part, lane+copies[i].Combination)
	}
}

// within encloses a lane's logit over a part of the box that was bounded, by the whole
// box's form.
func (w *worker) within(part grid.Box, lane int) space.Interval {
	form := w.space.Logit()
	mid, rad := form.Base[lane], w.space.Slack()[lane]+w.alignError()
	add := func(input int, c, r float64) {
		s := form.Slope(input)[lane]
		mid += s * c
		rad += math.Abs(s) * r
	}
	for d := range w.g.Dims {
		for i := range w.g.Dims[d].Feeds {
			feed := &w.g.Dims[d].Feeds[i]
			c, r := feed.Enclose(part[2*d], part[2*d+1])
			add(feed.Input, c, r)
		}
	}
	for _, f := range w.g.Fixed {
		add(f.Input, f.Centre, f.HalfWidth)
	}
	for _, f := range w.g.Combinations[lane%w.k].Inputs {
		add(f.Input, f.Centre, f.HalfWidth)
	}
	return space.Interval{Lo: mid - rad, Hi: mid + rad}
}
