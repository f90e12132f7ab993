package tree

import (
	"math/rand/v2"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// Somebody better is looked for in boxes around those who are good, by cases of ReLUs: what climbs miss, since it takes several
// features at once, linear programs find (large neighbourhood search; Shaw, "Using constraint programming and local search methods to
// solve vehicle routing problems", CP 1998). Nothing else of these boxes is kept.

const (
	// vicinities are so many boxes a round, half of them around the best, half around where climbs have led to.
	vicinities = 16
	// shareOfVicinities is which part of all coefficients beyond withoutMore they may take.
	shareOfVicinities = 0.125
)

// withoutMore is of how many coefficients of tableaus none are for vicinities or aims, since what closes by then closes sooner without. Tests have them from the start.
var withoutMore int64 = 1 << 35

// vicinity is a box of one individual's cells, and chance.
type vicinity struct {
	of     grid.Box
	random *rand.Rand
}

// mayLook reports that the search for a largest gap has not closed it by cases for so long that more is to be tried.
func (t *Tree) mayLook() bool {
	return t.begun && t.goal.values && !t.goal.bins && t.Best != nil && t.cases.work >= withoutMore
}

// lookAround has a round of vicinities.
func (t *Tree) lookAround() {
	var tasks []task
	x := make([]float64, len(t.grid.Dims))
	t.grid.Coordinates(x, t.Best.X, t.Best.Y)
	for i := range vicinities {
		if i == vicinities/2 && t.summit.x != nil {
			copy(x, t.summit.x)
		}
		v := &vicinity{t.grid.Whole(), rand.New(rand.NewPCG(t.random.Uint64(), 0))}
		for d, at := range x {
			cell := t.grid.Dims[d].Cell(at)
			v.of[2*d], v.of[2*d+1] = cell, cell
		}
		tasks = append(tasks, task{vicinity: v, jointly: t.yield.pays()})
	}
	t.do(tasks, nil)
}

// looksNext reports whether a round is for vicinities.
func (t *Tree) looksNext() bool {
	return t.mayLook() && float64(t.around) <= shareOfVicinities*float64(t.cases.work-withoutMore)
}

// lookAround bounds boxes, of which each holds the individual's and is a half of the one before, until one is settled or was tried.
func (w *worker) lookAround(v *vicinity) {
	for box := w.g.Whole(); ; v.halve(box) {
		w.add(box, nil, 0, false)
		w.flush()
		if len(w.out.leaves) == 0 || w.out.cases.work > 0 || w.t.stop.Load() {
			return
		}
		w.out.leaves, w.out.boxes = w.out.leaves[:0], w.out.boxes[:0]
	}
}

// halve leaves, of some dimension of a box that has more than the individual's cells, half of its cells.
func (v *vicinity) halve(box grid.Box) {
	dims := len(box) / 2
	d := v.random.IntN(dims)
	for box[2*d] == box[2*d+1] {
		d = (d + 1) % dims
	}
	at, more := v.of[2*d], (box[2*d+1]-box[2*d])/2
	first := max(box[2*d], at-min(more, at))
	last := min(at, box[2*d+1]-more)
	first += v.random.Uint64N(last - first + 1)
	box[2*d], box[2*d+1] = first, first+more
}

// looked takes in who was found in a vicinity.
func (t *Tree) looked(o *output) {
	t.around += o.cases.work + o.bounded*workOfOctet
	t.cases.work += o.cases.work
	t.take(o.best)
	o.owner.spare = append(o.owner.spare, o)
}
