package tree

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
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
func (w *worker) spreadTrees(whole notion.Spread, possible, sure []bool) (_, spread notion.Spread) {
	f := w.trees
	spread = notion.Gather(f.Lo, f.Hi, possible, sure)
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
	if w.t.thorough() {
		if dim, last = w.cutPair(box); dim >= 0 {
			return dim, last
		}
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

// byPairs says what the bounds of single pairs of combinations mean for the box that was bounded last: fair where no
// pair that may be allowed violates, unfair where one does that surely is.
func (w *worker) byPairs(possible, sure []bool) (fair, unfair bool) {
	if len(w.g.Combinations) > mostCombinations {
		return false, false
	}
	fair = true
	for z1 := range w.g.Combinations {
		for z2 := range w.g.Combinations {
			if z1 == z2 || possible != nil && !(possible[z1] && possible[z2]) {
				continue
			}
			one, two := w.trees.Pair(z1, z2), w.trees.Pair(z2, z1)
			fair = fair && w.t.most(one) <= w.t.judge.Tolerated()
			// The pair the other way round has the least of the first logit, and the greatest of the second.
			high, low := space.Interval{Lo: -two[2], Hi: one[1]}, space.Interval{Lo: -one[2], Hi: two[1]}
			if (sure == nil || sure[z1] && sure[z2]) && w.t.judge.SurelyApart(high, low, -two[0]) {
				return false, true
			}
		}
	}
	return fair, false
}

// fewPlaces is how many combinations of places a box has too many of for dives to prove a leaf of it. A checker that cuts it down
// to single ones has twice as many parts to look at, which is what it does at most.
const fewPlaces = 1 << 19

// settledByDives reports that no pair of combinations has a value above the cutoff in the box that was bounded last, where
// that is to be found out by dives: they go on within a cell of a real feature, which boxes do not, and where a proof is
// wanted, a box with fewer than fewPlaces is one leaf of it. cut is −1 where the box cannot be cut.
func (w *worker) settledByDives(box grid.Box, cut int, possible []bool) bool {
	t := w.t
	if w.trees == nil || !t.thorough() || cut >= 0 && !t.Proofs || t.Proofs && w.trees.Places(fewPlaces) >= fewPlaces {
		return false
	}
	var list []ensemble.Part
	for z1 := range w.g.Combinations {
		for z2 := range w.g.Combinations {
			if z1 != z2 && (possible == nil || possible[z1] && possible[z2]) {
				list = append(list, w.trees.Part(z1, z2))
			}
		}
	}
	for i := range list {
		cutoff := w.cutoff
		o := w.settleByDive(&list[i], maxDepth)
		w.cutoff = max(w.cutoff, cutoff)
		if o.best != nil && (w.out.best == nil || t.goal.values && o.best.Value > w.out.best.Value) {
			w.out.best = o.best
		}
		if !o.settled || len(o.left) > 0 {
			return false
		}
	}
	return true
}

// thorough reports that boxes are cut as dives cut parts.
func (t *Tree) thorough() bool {
	return !t.pairs && !t.goal.bins && !t.goal.least && len(t.grid.Combinations) <= mostCombinations
}

// triedPairs bounds the pairs of combinations for which a cut of a box is looked for.
const triedPairs = 8

// cutPair is where to cut a box for the pair of combinations that promises the largest value, so that
// the bounds of both halves become small, or where that is known within cells of real features already, for
// the next; dim is −1 where nothing speaks for a cut.
func (w *worker) cutPair(box grid.Box) (dim int, last uint64) {
	w.trees.Bound(box)
	if w.t.goal.Goal == problem.Quantify {
		defer func(c float64) { w.cutoff = c }(w.cutoff)
		w.cutoff = w.t.judge.Tolerated()
	}
	type pair struct {
		z1, z2 int
		most   float64
	}
	var best []pair // the most promising first
	for i := range w.g.Combinations {
		for j := range w.g.Combinations {
			if v := w.t.most(w.trees.Pair(i, j)); i != j && v > w.cutoff {
				at := len(best)
				for at > 0 && best[at-1].most < v {
					at--
				}
				if best = slices.Insert(best, at, pair{i, j, v}); len(best) > triedPairs {
					best = best[:triedPairs]
				}
			}
		}
	}
	for _, b := range best {
		p := w.trees.Part(b.z1, b.z2)
		f, c := w.dive.Cut(&p, w.demands, func(feature, last int32) bool { // not within a cell of a real feature
			dim, _ := w.trees.Cell(box, int(feature), int(last))
			return dim >= 0
		})
		if f >= 0 {
			return w.trees.Cell(box, int(f), int(c))
		}
	}
	return -1, 0
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
