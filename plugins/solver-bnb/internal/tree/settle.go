package tree

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/problem"
)

// enumerable is how many individuals a box may have to be enumerated rather than
// cut: evaluating so many costs about what bounding it and its parts would.
const enumerable = 32

// settle says what becomes of box b of those in the lanes.
func (w *worker) settle(box grid.Box, b int) {
	if w.t.pairs {
		w.match(box, b)
		return
	}
	t, lane := w.t, b*w.k
	clear(w.shown)
	if w.splitter != nil {
		w.splitter.shown = nil
	}
	size := w.g.Size(box)
	possible, sure := []bool(nil), []bool(nil)
	certain := true // who of the box is asked about, and has a counterfactual
	prefer := -1
	if t.rules != nil {
		s := &w.standing
		t.rules.Stand(box, s)
		if s.Asked == grid.Nowhere || s.Nobody {
			w.out.Outside = w.out.Outside.Add(w.all(box, size))
			w.piece(box, lane, PieceOutside, 0, 0)
			return
		}
		certain = s.Asked == grid.Everywhere && s.Individuals
		possible, sure, prefer = s.Possible, s.Sure, s.Cut
	}
	if w.trees != nil && certain && slices.Equal(possible, sure) && w.constant(box, size) {
		return
	}
	if w.g.Countable && size <= enumerable {
		w.points.enumerate(w, box)
		return
	}
	possible, sure = w.lanes(b, possible, sure)
	whole, spread := w.spreads(b, possible, sure)
	upper, lower := 0, 0
	if t.goal.bins {
		w.enclosures(lane)
		upper = t.bins.Across(max(whole.Apart, 0), whole.Least, whole.Most)
		if w.combinations == nil { // else copies are missing, which reach bins
			upper = min(upper, t.bins.Most(&w.room, w.lo, w.hi, possible))
		}
		lower = t.bins.Least(&w.room, w.lo, w.hi, sure)
	}
	if t.goal.values {
		bound := w.most(&whole, &spread, upper, lower)
		if bound <= w.cutoff {
			w.bounded(box, lane)
			return
		}
		c, rest := w.shrinks(box, b, &whole, possible, sure)
		if !rest {
			return
		}
		if t.clips {
			bound = min(bound, w.most(&whole, &spread, upper, lower))
		}
		if bound > w.cutoff {
			if bound, rest = w.together(box, b, bound); !rest {
				return
			}
		}
		if t.goal.bins && w.matchable(lane) {
			c = w.everyone() // whom the parts' matching needs
		}
		cut := w.cutOf(box, lane, prefer)
		if bound > w.cutoff && (w.settledByDives(box, cut, possible) || w.settledByCases(box, b, possible)) {
			w.bounded(box, lane)
			return
		}
		w.value(box, lane, cut, c, bound)
		return
	}
	th := t.judge.Thresholds(&whole)
	fair := th.Above < 0 || th.Below >= 0
	unfair := th.From < 0 && th.To >= 0
	if t.goal.reach > 0 {
		fair, unfair = upper < t.goal.reach, lower >= t.goal.reach
	} else if w.trees != nil && !fair && !unfair {
		fair, unfair = w.byPairs(possible, sure)
	}
	lost := w.lost(b, size)
	switch {
	case lost > 0 && (fair || unfair): // but for a few
		w.strict = append(w.strict, box...)
		return
	case certain && fair || fair && !t.goal.counts && t.goal.Goal == goalDecide:
		w.fair(box, lane, size)
		return
	case certain && unfair && t.goal.Goal != goalDecide:
		w.out.Unfair = w.out.Unfair.Add(w.all(box, size))
		w.piece(box, lane, PieceUnfair, 0, size)
		return
	}
	var count, violate float64
	c, rest := w.shrinks(box, b, &whole, possible, sure)
	if !rest {
		return
	}
	size = w.g.Size(box)
	if t.goal.reach == 0 {
		th = t.judge.Thresholds(&spread)
		if th.Above == math.Inf(-1) && lost == 0 && (certain || t.goal.Goal == goalDecide) {
			w.fair(box, lane, size)
			return
		}
		if t.goal.counts && certain && !t.Proofs && countable(box, size) {
			if w.cutting[b] {
				if cut := w.cutOf(box, lane, prefer); cut >= 0 {
					w.parts = append(w.parts, box...)
					w.uncounted = append(w.uncounted, part{box: w.parts[len(w.parts)-len(box):], cut: cut, c: c, tail: w.tailOf(b)})
					return
				}
			}
			if count, violate = w.count(box, b, lost, spread.Apart, th, possible, sure); lost > 0 && count+violate+2*lost >= size {
				w.strict = append(w.strict, box...)
				return
			} else if count+violate >= size {
				w.counted(count, violate)
				w.piece(box, lane, PieceCounted, count, violate)
				return
			}
			count, violate = floor(count), floor(violate)
		}
	}
	if (t.goal.counts && certain || t.goal.Goal == goalDecide && t.goal.reach == 0) && w.settledByCases(box, b, possible) {
		w.fair(box, lane, size)
		return
	}
	cut := w.cutOf(box, lane, prefer)
	if t.goal.Goal == goalDecide && w.settledByDives(box, cut, possible) {
		w.fair(box, lane, size)
		return
	}
	w.leaf(box, lane, cut, c, count, violate, byMass(size-count-violate))
}

// cutOf is the dimension to cut, −1 for none: the preferred one, where there is one and
// it can be cut.
func (w *worker) cutOf(box grid.Box, lane, preferred int) int {
	if preferred >= 0 && box[2*preferred] < box[2*preferred+1] {
		return preferred
	}
	return w.choose(box, lane)
}

// leaf puts a box into the frontier, or where it cannot be cut, gives it up.
func (w *worker) leaf(box grid.Box, lane, cut int, c copies, fair, unfair float64, bucket int) {
	t := w.t
	w.counted(fair, unfair)
	w.out.mass += w.g.Size(box)
	if cut < 0 {
		w.out.stuck++
		w.piece(box, lane, PieceUndecided, fair, unfair)
		return
	}
	if !t.goal.counts && t.goal.Goal != problem.Quantify {
		w.points.middle(w, box)
	}
	w.out.boxes = append(w.out.boxes, box...)
	w.out.leaves = append(w.out.leaves, leaf{
		box: w.out.boxes[len(w.out.boxes)-len(box):], fair: fair, unfair: unfair, split: uint16(cut), bucket: bucket, copies: c,
	})
}

// fair settles a box in which all individuals are treated fairly.
func (w *worker) fair(box grid.Box, lane int, size float64) {
	w.out.Fair = w.out.Fair.Add(w.all(box, size))
	w.piece(box, lane, PieceFair, size, 0)
}

// counted adds what is known of a box, whole numbers up to 2⁵³.
func (w *worker) counted(fair, unfair float64) {
	w.out.Fair, w.out.Unfair = w.out.Fair.Add(grid.Of(fair)), w.out.Unfair.Add(grid.Of(unfair))
}

// all is the number of a box's individuals, exactly.
func (w *worker) all(box grid.Box, size float64) grid.Count {
	if size < 1<<53 {
		return grid.Of(size)
	}
	n, _ := w.g.Exactly(box)
	return n
}

// enclosures puts the combinations' enclosures into lo and hi.
func (w *worker) enclosures(lane int) {
	if w.trees != nil {
		w.encloseTrees()
		return
	}
	e := w.t.off
	mid, rad := w.space.Mid()[lane:lane+w.k], w.space.Rad()[lane:lane+w.k]
	for z := range mid {
		r := rad[z] + e
		w.lo[z], w.hi[z] = mid[z]-r, mid[z]+r
	}
}

// choose finds the dimension to cut, −1 for none: the one after which the copies
// would be enclosed best.
func (w *worker) choose(box grid.Box, lane int) int {
	if w.trees != nil {
		return widest(box)
	}
	cut, least := -1, math.Inf(1)
	for d, row := range w.halved {
		if box[2*d] == box[2*d+1] {
			continue
		}
		width := 0.0
		for _, v := range row[lane : lane+w.k] {
			width += v
		}
		if cut < 0 || width < least {
			cut, least = d, width
		}
	}
	return cut
}
