package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/judge"
)

// What is different where the model is trees: boxes are bounded one by one by package
// forest, cut where trees do, and settled at once where all trees are constant.

// encloseTrees puts the lanes' enclosures into lo and hi.
func (w *worker) encloseTrees() {
	f := w.trees
	e := 4 * w.t.off
	for z := range w.lo {
		w.lo[z], w.hi[z] = f.From+f.Lo[z]-e, f.To+f.Hi[z]+e
	}
}

// spreadTrees is what is known of the box, of which whole are the lanes' enclosures:
// trees in common are the same for all lanes.
func (w *worker) spreadTrees(whole judge.Spread, possible, sure []bool) (_, spread judge.Spread) {
	f := w.trees
	spread = judge.Gather(f.Lo, f.Hi, possible, sure)
	spread.From, spread.To = f.From, f.To
	spread.Apart = min(spread.Apart, f.Apart(possible))
	whole.Apart = min(whole.Apart, spread.Apart)
	return whole, spread
}

// broken reports that the time was over while a box was bounded, of which nothing is known then.
func (w *worker) broken() bool { return w.trees != nil && w.trees.Broken }

// unbounded puts the region into the frontier where its own bound was broken off.
func (t *Tree) unbounded() {
	box := t.grid.Whole()
	t.mass, t.beyond = t.grid.Size(box), math.Inf(1)
	t.front.push(&leaf{box: box, split: uint16(max(0, widest(box))), bucket: numBuckets - 1})
}

// widest is the dimension of a box with the most cells, −1 where all have one.
func widest(box grid.Box) int {
	cut := -1
	for d := 0; 2*d < len(box); d++ {
		if n := box[2*d+1] - box[2*d]; n > 0 && (cut < 0 || n > box[2*cut+1]-box[2*cut]) {
			cut = d
		}
	}
	return cut
}

// cutTrees is where to cut a box, of which the rules may have said that it is to be
// cut in dimension d.
func (w *worker) cutTrees(box grid.Box, d int) (dim int, last uint64) {
	if w.t.rules != nil && d != widest(box) {
		return d, box[2*d] + (box[2*d+1]-box[2*d])/2
	}
	if dim, last = w.trees.Cut(box); dim >= 0 {
		return dim, last
	}
	for i := range w.g.Relaxed { // where the second copies go
		if s := w.g.Relaxed[i].Shift; box[2*s] < box[2*s+1] {
			d = s
		}
	}
	return d, box[2*d] + (box[2*d+1]-box[2*d])/2
}

// constant settles a box all over which the trees are constant and all individuals
// alike: what holds for one of them holds for all. It reports that it did.
func (w *worker) constant(box grid.Box, size float64) bool {
	t := w.t
	if !w.trees.Constant || len(t.q.Exclude) > 0 {
		return false
	}
	x := make([]float64, len(w.g.Dims))
	for d := range x {
		lo, _ := w.g.Dims[d].Values(box[2*d])
		x[d] = lo
	}
	v := w.points.judgeTrees(x)
	w.out.best = t.better(w.out.best, x, &v)
	switch all := w.all(box, size); {
	case !v.asked:
		return false
	case t.goal.values || t.pairs:
		w.bounded(box, 0)
	case v.violates:
		w.out.Unfair = w.out.Unfair.Add(all)
		w.piece(box, 0, PieceUnfair, 0, size)
	default:
		w.out.Fair = w.out.Fair.Add(all)
		w.piece(box, 0, PieceFair, size, 0)
	}
	return true
}

// judgeTrees says what an individual's logits mean.
func (p *points) judgeTrees(x []float64) verdict {
	one := p.t.grid.Point(x)
	two := one
	if len(p.t.grid.Relaxed) > 0 {
		two = p.t.grid.Partner(x)
	}
	p.trees.Logits(p.logits, one, two)
	return p.judge(x, p.logits)
}
