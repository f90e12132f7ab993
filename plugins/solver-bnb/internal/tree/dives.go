package tree

import (
	"container/heap"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Where the largest value of trees is wanted, or any that is a violation, pairs of
// combinations are looked at one by one, the most promising parts first, by dives of
// package forest. What they cannot decide, since it depends on who is asked about,
// becomes boxes of the frontier.

// dives reports that the search begins with dives.
func (t *Tree) dives() bool {
	return t.trees != nil && !t.pairs && !t.goal.bins && t.Pieces == nil && len(t.grid.Dims) > 0 &&
		(t.goal.Goal == problem.Maximise || t.goal.Goal == goalDecide) && len(t.grid.Combinations) <= mostCombinations
}

// mostCombinations bounds those whose pairs are looked at one by one: beyond it boxes
// that are bounded for all of them together are settled sooner.
const mostCombinations = 64

// Of dives: how many nodes they may look at, at first, at least, at most.
const firstDepth, minDepth, maxDepth = 256, 4, 4096

// partsTogether are dived for in one round.
const partsTogether = 64

// divePart is a part with a bound on the values in it.
type divePart struct {
	ensemble.Part
	value float64
}

// parts are a heap, the largest value first.
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

// dived is what a dive leaves.
type dived struct {
	best          *Best
	nodes, leaves int
	settled       bool
	left          []ensemble.Part // settled: where the trees are constant; else all
}

// whole makes the parts of the region.
func (t *Tree) whole() {
	w := t.workers[0]
	if w.trees.Bound(t.grid.Whole()); w.broken() {
		t.unbounded()
		return
	}
	for z1 := range t.grid.Combinations {
		for z2 := range t.grid.Combinations {
			if z1 != z2 {
				t.add(w.trees.Part(z1, z2))
			}
		}
	}
	t.Boxes++
}

// add adds a part, unless there is nothing in it.
func (t *Tree) add(p ensemble.Part) {
	if v := t.most(p.Bounds); v > t.cutoff() {
		heap.Push(&t.parts, divePart{p, v})
	}
}

// most bounds the value of a pair of logits.
func (t *Tree) most(b ensemble.Pair) float64 {
	s := notion.Spread{Least: -b[2], Most: b[1], Apart: b[0]}
	return t.judge.Upper(&s, &s)
}

// dive looks at the most promising parts, up to n nodes, 0 for any number.
func (t *Tree) dive(n int64) {
	count := min(partsTogether, max(1, len(t.parts)/4))
	depth := t.depth
	if n > 0 {
		depth = int(max(1, min(int64(depth), n/int64(count))))
	}
	var list []divePart
	for len(list) < count && len(t.parts) > 0 {
		list = append(list, heap.Pop(&t.parts).(divePart))
	}
	outs := make([]*dived, len(list))
	var next atomic.Int64
	work := func(w *worker) {
		for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
			if !t.stop.Load() {
				outs[i] = w.settleByDive(&list[i].Part, depth)
			}
		}
	}
	var others sync.WaitGroup
	for _, w := range t.workers[1:max(1, min(len(t.workers), len(list)))] {
		others.Go(func() { work(w) })
	}
	work(t.workers[0])
	others.Wait()
	nodes, vain := 0, 0
	for i, o := range outs {
		if o == nil {
			heap.Push(&t.parts, list[i])
			continue
		}
		t.Boxes += int64(o.nodes)
		t.walked += int64(o.leaves)
		t.take(o.best)
		if nodes += o.nodes; o.settled {
			t.hand(o.left)
			continue
		}
		vain += o.nodes
		for _, p := range o.left {
			t.add(p)
		}
	}
	if 2*vain > nodes {
		t.depth = max(t.depth/2, minDepth)
	} else {
		t.depth = min(2*t.depth, maxDepth)
	}
	t.improve()
}

// hand gives the frontier what dives cannot decide.
func (t *Tree) hand(list []ensemble.Part) {
	if len(list) == 0 {
		return
	}
	w := t.workers[0]
	w.out, w.cutoff = w.newOutput(), t.cutoff()
	for i := range list {
		w.add(t.trees.Box(&list[i]), nil, 0, false)
	}
	if w.flush(); !w.broken() {
		t.merge(w.out)
		return
	}
	t.take(w.out.best)
	for i := range list { // open as before
		t.add(list[i])
	}
}

// settleByDive dives for a part.
func (w *worker) settleByDive(p *ensemble.Part, depth int) *dived {
	t, out := w.t, &dived{}
	w.cutoff = t.cutoff()
	x := make([]float64, len(t.grid.Dims))
	out.left, out.settled = w.dive.Settles(p, depth, w.demands, func(least []int32) {
		t.trees.At(x, least)
		v := w.points.judgeTrees(x)
		out.best = t.better(out.best, x, &v)
		switch {
		case out.best == nil:
		case t.enough(out.best):
			w.dive.Left = 0
		default:
			w.cutoff = max(w.cutoff, t.cutoffOf(out.best))
		}
	})
	out.nodes, out.leaves = w.dive.Nodes, w.dive.Leaves
	return out
}

// demands are what a pair of logits within bounds must exceed for a value above the cutoff.
func (w *worker) demands(b ensemble.Pair) (demands ensemble.Pair, ok bool) {
	if w.t.most(b) <= w.cutoff {
		return demands, false
	}
	n, ok := w.t.judge.Need(&notion.Spread{Least: -b[2], Most: b[1], Apart: b[0]}, w.cutoff)
	if !ok { // nothing is known, but that a gap is one of two logits
		n = notion.Need{Above: ensemble.Anything, Below: -ensemble.Anything, Apart: ensemble.Anything}
		if w.cutoff >= 0 && !w.t.judge.Signs() {
			n.Apart = 0
		}
	}
	return ensemble.Pair{n.Apart, n.Above, -n.Below}, true
}
