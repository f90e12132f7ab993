package bnb

import (
	"container/heap"
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk/problem"
)

// The initial and the smallest limit on the nodes of a dive, and the dives per round.
const firstDepth, minDepth, divesTogether = 256, 4, 64

// diving begins the search if the query asks for the largest value of trees, or for any violation. It
// examines the pairs of combinations one by one by dives of package ensemble, the most promising parts
// first. What dives cannot decide, because it depends on which individuals the query asks about, goes into
// the queue.
type diving struct {
	*Search
	parts  parts
	depth  int   // nodes that a dive may visit
	leaves int64 // leaves that dives have walked through
}

// divePart is a part with a bound on the values in it.
type divePart struct {
	ensemble.Part
	value float64
}

// parts is a heap with the largest value first.
type parts []divePart

func (p parts) Len() int           { return len(p) }
func (p parts) Less(i, j int) bool { return p[i].value > p[j].value }
func (p parts) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *parts) Push(v any)        { *p = append(*p, v.(divePart)) }
func (p *parts) Pop() any {
	last := len(*p) - 1
	v := (*p)[last]
	*p = (*p)[:last]
	return v
}

// dived is the result of a dive.
type dived struct {
	best          *goal.Incumbent
	nodes, leaves int
	settled       bool
	left          []ensemble.Part // if settled, parts with constant trees that stay open; else the whole part
}

// applies reports whether the search begins with dives.
func (d *diving) applies() bool {
	return d.trees != nil && thorough(d.Margins) && d.Pieces == nil && len(d.Grid.Dims) > 0 && !d.Off(params.Dives) &&
		(d.Goal == problem.Maximise || d.Goal == problem.Decide)
}

// thorough reports whether boxes are split as dives split parts.
func thorough(m *goal.Margins) bool {
	return !m.Pairs && !m.Binned && !m.Least && len(m.Grid.Combinations) <= ensemble.MostCombinations
}

// start adds the parts of the region.
func (d *diving) start() {
	w := d.workers[0]
	if w.bounder.Place(d.Grid.Whole(), 0); w.broken() {
		d.requeueRoot()
		return
	}
	for _, p := range w.ensemble.Parts(nil) {
		d.add(p)
	}
	d.Nodes++
}

// add adds a part if its bound is above the cutoff.
func (d *diving) add(p ensemble.Part) {
	if v := d.workers[0].ensemble.Most(p.Bounds); v > d.cutoff() {
		heap.Push(&d.parts, divePart{p, v})
	}
}

// round dives into the most promising parts, up to n nodes; 0 means no limit.
func (d *diving) round(n int64) {
	count := min(divesTogether, max(1, len(d.parts)/4))
	depth := d.depth
	if n > 0 {
		depth = int(max(1, min(int64(depth), n/int64(count))))
	}
	var list []divePart
	for len(list) < count && len(d.parts) > 0 {
		list = append(list, heap.Pop(&d.parts).(divePart))
	}
	outs := make([]*dived, len(list))
	d.parallel(len(list), func(w *worker, i int) {
		if !d.stop.Load() {
			outs[i] = diveFor(w, &list[i].Part, depth)
		}
	})
	nodes, vain := 0, 0
	for i, o := range outs {
		if o == nil {
			heap.Push(&d.parts, list[i])
			continue
		}
		d.Nodes += int64(o.nodes)
		d.leaves += int64(o.leaves)
		d.Take(o.best, params.Dives.String())
		if nodes += o.nodes; o.settled {
			d.enqueue(o.left)
			continue
		}
		vain += o.nodes
		for _, p := range o.left {
			d.add(p)
		}
	}
	if 2*vain > nodes {
		d.depth = max(d.depth/2, minDepth)
	} else {
		d.depth = min(2*d.depth, ensemble.NodeDepth)
	}
	d.heuristics.every.Improve(workOf(d.Search))
}

// enqueue moves parts that dives cannot decide to the queue.
func (d *diving) enqueue(list []ensemble.Part) {
	if len(list) == 0 {
		return
	}
	w := d.workers[0]
	w.task.output, w.task.cutoff = w.newOutput(), d.cutoff()
	for i := range list {
		w.add(&grid.Node{Box: d.trees.Box(&list[i])}, 0, false)
	}
	if w.flush(); !w.broken() {
		d.merge(w.task.output)
		return
	}
	d.Take(w.task.best, nodes)
	for i := range list { // they stay open
		d.add(list[i])
	}
}

// diveFor dives into a part and keeps the best individual of its leaves. limit bounds the
// number of nodes visited.
func diveFor(w *worker, p *ensemble.Part, limit int) *dived {
	b, out, t := w.ensemble, &dived{}, w.task
	t.cutoff = w.cutoff()
	x := make([]float64, len(w.Grid.Dims))
	demands := func(bounds ensemble.Pair) (ensemble.Pair, bool) { return b.Demands(bounds, t.cutoff) }
	out.left, out.settled = b.Dive.Settles(p, limit, demands, func(least []int32) {
		w.trees.At(x, least)
		v := w.points.Trees(x)
		out.best = w.Better(out.best, x, &v)
		switch {
		case out.best == nil:
		case w.Enough(out.best):
			b.Dive.Left = 0
		default:
			t.cutoff = max(t.cutoff, w.Above(out.best))
		}
	})
	out.nodes, out.leaves = b.Dive.Nodes, b.Dive.Leaves
	return out
}

// requeueRoot puts the region into the queue. It is called if bounding it was interrupted.
func (s *Search) requeueRoot() {
	box := s.Grid.Whole()
	s.mass, s.beyond = s.Grid.Size(box), math.Inf(1)
	s.queue.push(&grid.Node{Box: box, Branch: max(0, ensemble.Widest(box)), Bucket: numBuckets - 1})
}
