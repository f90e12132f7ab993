package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/judge"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/lattice"
	"github.com/hyfair/hyfair/sdk/problem"
)

// enumerable is how many individuals a box may have to be enumerated rather than
// cut: evaluating so many costs about what bounding it and its parts would.
const enumerable = 32

// settle says what becomes of the box whose lanes begin at lane.
func (w *worker) settle(box grid.Box, lane int) {
	t := w.t
	size := w.g.Size(box)
	possible, sure := []bool(nil), []bool(nil)
	certain := true // who of the box is asked about, and has a counterfactual
	prefer := -1
	if t.rules != nil {
		s := &w.standing
		t.rules.Stand(box, s)
		if s.Asked == grid.Nowhere || s.Nobody {
			w.out.Outside += size
			w.piece(box, lane, PieceOutside, 0, 0)
			return
		}
		certain = s.Asked == grid.Everywhere && s.Individuals
		possible, sure, prefer = s.Possible, s.Sure, s.Cut
	}
	if w.g.Countable && size <= enumerable {
		w.points.enumerate(w, box)
		return
	}
	w.enclosures(lane)
	whole := judge.Gather(w.lo, w.hi, possible, sure)
	upper, lower := 0, 0
	if t.goal.bins {
		upper = t.bins.Most(&w.room, w.lo, w.hi, possible)
		lower = t.bins.Least(&w.room, w.lo, w.hi, sure)
	}
	cut, start := w.forms(box, lane)
	spread := judge.Gather(w.lo, w.hi, possible, sure)
	if w.apart != nil {
		mid, rad := w.diffMid[lane:lane+w.k], w.diffRad[lane:lane+w.k]
		for z := range mid {
			w.lo[z], w.hi[z] = mid[z]-rad[z], mid[z]+rad[z]
		}
		differences := judge.Gather(w.lo, w.hi, possible, sure)
		spread.Apart = min(spread.Apart, differences.Apart)
	}
	whole.Apart = min(whole.Apart, spread.Apart)
	if t.goal.bins {
		upper = min(upper, t.bins.Across(max(whole.Apart, 0), whole.Least, whole.Most))
	}
	if prefer >= 0 && box[2*prefer] < box[2*prefer+1] {
		cut = prefer
	}
	if t.goal.values {
		w.value(box, lane, cut, w.most(&whole, &spread, upper, lower))
		return
	}
	th := t.judge.Thresholds(&whole)
	fair := th.Above < 0 || th.Below >= 0
	unfair := th.From < 0 && th.To >= 0
	if t.goal.reach > 0 {
		fair, unfair = upper < t.goal.reach, lower >= t.goal.reach
	}
	switch {
	case certain && fair || fair && !t.goal.counts && t.goal.Goal == goalDecide:
		w.out.Fair += size
		w.piece(box, lane, PieceFair, size, 0)
		return
	case certain && unfair && t.goal.Goal != goalDecide:
		w.out.Unfair += size
		w.piece(box, lane, PieceUnfair, 0, size)
		return
	}
	var count, violate float64
	if t.goal.reach == 0 {
		th = t.judge.Thresholds(&spread)
		if th.Above == math.Inf(-1) && (certain || t.goal.Goal == goalDecide) {
			w.out.Fair += size
			w.piece(box, lane, PieceFair, size, 0)
			return
		}
		if t.goal.counts && certain && !t.Proofs {
			above, below, between := w.counter.Count(start, w.dims, th, 4*t.plan.Error())
			if count, violate = above+below, between; count+violate >= size {
				w.out.Fair += count
				w.out.Unfair += violate
				w.piece(box, lane, PieceCounted, count, violate)
				return
			}
			count, violate = floor(count), floor(violate)
		}
	}
	w.leaf(box, lane, cut, count, violate, byMass(size-count-violate))
}

// leaf puts a box into the frontier, or where it cannot be cut, gives it up.
func (w *worker) leaf(box grid.Box, lane, cut int, fair, unfair float64, bucket int) {
	t := w.t
	w.out.Fair += fair
	w.out.Unfair += unfair
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
		box: w.out.boxes[len(w.out.boxes)-len(box):], fair: fair, unfair: unfair, split: uint8(cut), bucket: bucket,
	})
}

// enclosures puts the combinations' enclosures into lo and hi.
func (w *worker) enclosures(lane int) {
	e := w.t.plan.Error()
	mid, rad := w.space.Mid()[lane:lane+w.k], w.space.Rad()[lane:lane+w.k]
	for z := range mid {
		r := rad[z] + e
		w.lo[z], w.hi[z] = mid[z]-r, mid[z]+r
	}
}

// forms writes every combination's logit as t plus what lies in [lo, hi], where t
// = start + what dims contribute is the same for all: their forms' mean slopes.
// It also chooses the dimension to cut, −1 for none.
//
// Of the error of the sums, which have at most as many terms as the plan's own
// and the same magnitudes, four times the plan's is more than enough.
func (w *worker) forms(box grid.Box, lane int) (cut int, start float64) {
	s, e := w.space, 4*w.t.plan.Error()
	base, slack := s.Base()[lane:lane+w.k], s.Slack()[lane:lane+w.k]
	for z := range w.lo {
		w.lo[z], w.hi[z] = base[z], slack[z]+e
	}
	for _, f := range w.g.Fixed {
		w.absorb(s.Slope(f.Input)[lane:lane+w.k], 0, f.Centre, f.Radius)
	}
	for _, f := range w.g.Combinations[0].Inputs {
		slope, c, r := s.Slope(f.Input)[lane:lane+w.k], s.Centre(f.Input)[lane:lane+w.k], s.Radius(f.Input)[lane:lane+w.k]
		for z, v := range slope {
			w.lo[z] += v * c[z]
			w.hi[z] += math.Abs(v) * r[z]
		}
	}
	w.dims = w.dims[:0]
	values := w.values
	cut, most := -1, -1.0
	for d := range w.g.Dims {
		dim := &w.g.Dims[d]
		from, to := box[2*d], box[2*d+1]
		cells := int(to-from) + 1
		contribution := lattice.Dim{Cells: cells}
		if !dim.Even && w.t.goal.counts {
			contribution.Values, values = values[:cells], values[cells:]
			clear(contribution.Values)
		}
		var first, last, influence float64
		for f := range dim.Feeds {
			feed := &dim.Feeds[f]
			slope := s.Slope(feed.Input)[lane : lane+w.k]
			a := mean(slope)
			w.absorb(slope, a, s.Centre(feed.Input)[lane], s.Radius(feed.Input)[lane])
			for _, v := range s.Influence(feed.Input)[lane : lane+w.k] {
				influence += v
			}
			first += a * feed.Lo[from]
			last += a * feed.Lo[to]
			for c := range contribution.Values {
				contribution.Values[c] += a * feed.Lo[int(from)+c]
			}
		}
		if from < to && influence > most {
			most, cut = influence, d
		}
		switch {
		case contribution.Values != nil:
			w.dims = append(w.dims, contribution)
		case cells == 1:
			start += first
		default:
			start += first
			contribution.Step = (last - first) / float64(cells-1)
			w.dims = append(w.dims, contribution)
		}
	}
	for z := range w.lo {
		b, r := w.lo[z], w.hi[z]
		w.lo[z], w.hi[z] = b-r, b+r
	}
	return cut, start
}

// absorb takes what an input contributes beyond slope a into the intervals, whose
// middles are in lo and radii in hi.
func (w *worker) absorb(slopes []float64, a, centre, radius float64) {
	for z, v := range slopes {
		w.lo[z] += (v - a) * centre
		w.hi[z] += math.Abs(v-a) * radius
	}
}

func mean(row []float64) float64 {
	a := 0.0
	for _, v := range row {
		a += v
	}
	return a / float64(len(row))
}
