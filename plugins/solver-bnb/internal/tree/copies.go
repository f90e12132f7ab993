package tree

import (
	"math"
	"math/bits"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// Where many copies are compared and boxes shrink, most of them soon cannot be part of
// a pair with a value above the cutoff anywhere in a box, nor in any part of it. A leaf
// keeps the set of those that can, and its halves are bounded with these copies alone,
// by a worker for so many.

// copies is a set of combinations.
type copies []uint64

// has reports whether z is in the set; nil has all.
func (c copies) has(z int) bool { return c == nil || c[z/64]>>(z%64)&1 != 0 }

// size is the number of combinations in the set.
func (c copies) size() (n int) {
	for _, word := range c {
		n += bits.OnesCount64(word)
	}
	return n
}

// fewest is the number of copies from which on a set of them is kept.
const fewest = 16

// narrowWidths are the numbers of lanes a box that narrower workers have.
var narrowWidths = []int{8, 16, 24, 32, 48, 64}

// narrow makes w's workers for fewer copies.
func (w *worker) narrow() {
	if !w.t.drops {
		return
	}
	for _, k := range narrowWidths {
		if k >= w.k {
			break
		}
		n := newWorkerOf(w.t, k, w.points)
		n.splitter = w.splitter
		n.combinations = make([]int, n.each*k)
		n.possible, n.sure = make([]bool, k), make([]bool, k)
		w.narrower = append(w.narrower, n)
	}
}

// fitting is the worker for a box of these copies.
func (w *worker) fitting(c copies) *worker {
	if c != nil {
		size := c.size()
		for _, n := range w.narrower {
			if size <= n.k {
				n.out, n.cutoff = w.out, w.cutoff
				return n
			}
		}
	}
	return w
}

// assign gives the lanes of the box that comes next its copies. Lanes left over have
// a copy of another lane, and are impossible.
func (w *worker) assign(c copies) {
	if w.combinations == nil {
		return
	}
	lanes := w.combinations[w.n*w.k : (w.n+1)*w.k]
	n := 0
	for z := range w.g.Combinations {
		if c.has(z) {
			lanes[n] = z
			n++
		}
	}
	for i := n; i < w.k; i++ {
		lanes[i] = lanes[0]
	}
	for i, z := range lanes {
		for _, f := range w.g.Combinations[z].Inputs {
			w.space.Centre(f.Input)[w.n*w.k+i], w.space.HalfWidth(f.Input)[w.n*w.k+i] = f.Centre, f.HalfWidth
		}
	}
	w.counts = append(w.counts, n)
}

// lanes turns what the rules say of combinations into what they say of the lanes of box
// b; nil stands for all.
func (w *worker) lanes(b int, possible, sure []bool) (_, _ []bool) {
	if w.combinations == nil {
		return possible, sure
	}
	for i, z := range w.combinations[b*w.k : (b+1)*w.k] {
		real := i < w.counts[b]
		w.possible[i], w.sure[i] = real && (possible == nil || possible[z]), real && (sure == nil || sure[z])
	}
	return w.possible, w.sure
}

// relevant finds the copies of bounded box b of which a pair may have what a value above
// the cutoff needs, as a set and by lane; nil stands for all. fewer tells that some were
// found to matter no more; ok is unset where less than two do.
func (w *worker) relevant(b int, need *notion.Need, possible []bool) (c copies, matter []bool, fewer, ok bool) {
	if !w.t.drops {
		return nil, possible, false, true
	}
	lane := b * w.k
	for i := range w.reaches {
		w.reaches[i] = reach{math.Inf(1), math.Inf(1)}
	}
	if w.parallel != nil {
		w.intervals(w.parallel, lane)
		w.take(possible)
	}
	if w.apart != nil {
		w.differences(b)
		w.take(possible)
	}
	w.enclosures(lane)
	w.take(possible)
	n := 0
	for i, r := range w.reaches {
		may := possible == nil || possible[i]
		w.matter[i] = may &&
			(w.hi[i] > need.Above && r.above >= need.Apart || w.lo[i] < need.Below && r.below >= need.Apart)
		if w.matter[i] {
			n++
		}
		fewer = fewer || may && !w.matter[i]
	}
	return w.set(b, w.matter), w.matter, fewer, n >= 2
}

// matchableWidth is how wide copies' enclosures are in the mean where a matching of all of
// them with bins may bound k; the copies with the largest and the smallest logit alone
// bound it by how far apart these are.
const matchableWidth = 1

// matchable reports that all copies should be bounded in parts of the box in these lanes.
func (w *worker) matchable(lane int) bool { return w.t.drops && w.width(lane) < matchableWidth }

// width is how wide the enclosures of the box in these lanes are, in the mean.
func (w *worker) width(lane int) (mean float64) {
	for _, r := range w.space.Rad()[lane : lane+w.k] {
		mean += 2 * r
	}
	return mean / float64(w.k)
}

// everyone is the set of all copies.
func (w *worker) everyone() copies {
	words := w.t.front.setWords
	w.out.sets = append(w.out.sets, make([]uint64, words)...)
	c := copies(w.out.sets[len(w.out.sets)-words:])
	for z := range w.g.Combinations {
		c[z/64] |= 1 << (z % 64)
	}
	return c
}

// kept is the copies that box b has; nil for all.
func (w *worker) kept(b int) copies {
	if !w.t.drops {
		return nil
	}
	has, _ := w.lanes(b, nil, nil)
	return w.set(b, has)
}

// set is the set of the lanes of box b that are told; nil stands for all.
func (w *worker) set(b int, of []bool) copies {
	words := w.t.front.setWords
	w.out.sets = append(w.out.sets, make([]uint64, words)...)
	c := copies(w.out.sets[len(w.out.sets)-words:])
	for i := range w.k {
		if of != nil && !of[i] {
			continue
		}
		z := i
		if w.combinations != nil {
			z = w.combinations[b*w.k+i]
		}
		c[z/64] |= 1 << (z % 64)
	}
	return c
}

// reach is by how much at most a lane's logit is above any other of its box, and below:
// differences that were rounded, which may be equal to a number that the exact ones
// exceed, and not less.
type reach struct{ above, below float64 }

// take lowers the lanes' reaches to what lo and hi allow, which enclose the logits from
// a number on that is the same for all of them.
func (w *worker) take(possible []bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for z, lo := range w.lo {
		if possible == nil || possible[z] {
			least, most = min(least, lo), max(most, w.hi[z])
		}
	}
	for z := range w.reaches {
		r := &w.reaches[z]
		r.above, r.below = min(r.above, w.hi[z]-least), min(r.below, most-w.lo[z])
	}
}
