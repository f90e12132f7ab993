package bnb

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/count"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/primal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/tighten"
	"github.com/hyfair/hyfair/sdk/problem"
)

// bounder bounds nodes of one family of models, one or more at a time.
type bounder interface {
	relax.Encloser
	// Place puts a box into a slot. Bound bounds all placed boxes.
	Place(box grid.Box, slot int)
	Bound()
	// Spreads encloses the logits of a slot, for the lanes that are possible and for those that are
	// sure; nil means all.
	Spreads(slot int, possible, sure []bool) (whole, spread notion.Spread)
	// BranchingFeature returns the dimension to split a slot's box along, −1 if there is
	// none.
	BranchingFeature(box grid.Box, slot int) int
}

// worker processes nodes on one thread.
type worker struct {
	*Search
	bounder  bounder
	ws       *relax.Workspace  // the bounder of a network, else nil
	ensemble *ensemble.Bounder // the bounder of trees, else nil
	clipper  *tighten.Clipper
	joint    *relax.Joint    // nil unless the score gaps of two copies are bounded jointly
	relu     *relu.Branching // nil unless nodes may be proved by branching on ReLUs
	do       []step
	counter  *count.Counter // nil unless individuals are counted
	pairing  *relax.Pairing // nil unless nodes are of pairs
	points   *primal.Points
	narrower []*worker // for fewer copies, by narrowLanes; nil until needed
	waiting  waiting
	at       state
	task     *taskState // of this worker and narrower ones
}

// taskState is a worker's current task and its results.
type taskState struct {
	plan
	cutoff float64
	*output
	probes int       // number of nodes still to bound jointly, only to measure the yield
	spare  []*output // of merged tasks, for reuse
}

// output is the result of a task.
type output struct {
	grid.Tally
	owner        *worker
	open         []grid.Node
	boxes        []uint64 // of the open nodes
	pieces       []Piece
	bounded      int64
	mass         float64 // of open nodes, less that of the nodes that were branched on
	stuck        int64
	left, beyond float64
	best         *goal.Incumbent
	yield        relax.Yield // of joint bounds
	lp           relu.Stats
	sets         []uint64 // of the relevant copies of open nodes
}

// waiting holds the nodes in slots, and the nodes that the worker has postponed.
type waiting struct {
	nodes  []grid.Node // in the slots
	boxes  []uint64    // of the nodes in the slots
	twice  []bool      // by slot: branch on the node again before counting
	later  []part      // postponed nodes, to branch on before they are counted
	parts  []uint64    // boxes of the nodes in later and strict
	strict []grid.Node // postponed nodes, to bound again for all of their individuals
	from   grid.Node   // the node that is branched on
}

// leave queues a node to be bounded again, for all of its individuals.
func (q *waiting) leave(n *state) {
	q.parts = append(q.parts, n.Box...)
	q.strict = append(q.strict, grid.Node{Box: q.parts[len(q.parts)-len(n.Box):], Path: n.Path})
}

// part is a node to branch on, with the τ of its halves.
type part struct {
	grid.Node
	tau float64
}

// narrowLanes are the lanes per box of narrower workers, in ascending order.
var narrowLanes = []int{8, 16, 24, 32, 48, 64}

func newWorker(s *Search) *worker {
	w := &worker{Search: s, points: primal.NewPoints(s.Store, s.trees), task: &taskState{}}
	w.points.Learn = func(x []float64, v *goal.Individual, probe bool) { w.task.learn(s.Store, x, v, probe) }
	w.waiting.from.Box = s.Grid.Whole()
	if s.Pairs {
		w.pairing = relax.NewPairing(s.Problem, s.Grid.Lanes(), true)
	}
	if s.trees != nil {
		w.ensemble = ensemble.NewBounder(s.Problem, s.trees, &s.stop)
		w.bounder, w.ensemble.Thorough = w.ensemble, thorough(s.Margins)
		w.ensemble.Dive.Difference = s.Notion.Signs() && s.Values
		w.do = stepsOf(w)
		return w
	}
	w.use(relax.NewWorkspace(s.Problem, s.Grid.Lanes(), boundsOf(s.Margins)))
	if s.ideas.relu {
		found := func(x []float64) { w.points.Add(x, true) }
		if s.Off(params.Rounding) {
			found = nil
		}
		w.relu = relu.NewBranching(s.Problem, s.stop.Load, found)
		w.relu.Prover.Past = s.Binned
	}
	w.do = stepsOf(w)
	for _, k := range narrowLanes {
		if k < w.ws.Lanes && s.ideas.copies {
			w.narrower = append(w.narrower, nil)
		}
	}
	return w
}

// newNarrower returns a worker with fewer lanes per box, for another worker's current
// task.
func newNarrower(of *worker, lanes int) *worker {
	w := &worker{Search: of.Search, points: of.points, relu: of.relu, task: of.task}
	w.use(relax.Narrow(w.Problem, lanes, boundsOf(w.Margins)))
	w.ws.Retune(!w.task.short)
	w.do = stepsOf(w)
	return w
}

// boundsOf returns the bounds that a goal can use.
func boundsOf(w *goal.Margins) relax.Bounds {
	signs := w.Notion.Signs() && !w.Values
	return relax.Bounds{
		// Copies with any difference of logits, however small, may get two decisions.
		Differences: !w.Off(params.Differences) && (!signs || w.Overlooks),
		Aligned:     !w.Off(params.Aligned) && (w.Binned || w.Values || !w.Notion.Signs()),
	}
}

// use makes the worker bound nodes in a workspace.
func (w *worker) use(ws *relax.Workspace) {
	w.ws, w.bounder = ws, ws
	w.clipper = tighten.New(ws, w.settlePart)
	if w.ideas.joint && ws.Differences != nil {
		w.joint = &relax.Joint{Workspace: ws}
	}
	if w.Counts {
		w.counter = count.New(ws, !w.Pairs && w.Grid.Countable && !w.Off(params.Tails))
	}
}

// free returns the output's memory to its owner.
func (o *output) free() { o.owner.task.spare = append(o.owner.task.spare, o) }

// newOutput returns an empty output, in the memory of a merged one if there is one.
func (w *worker) newOutput() *output {
	o, spare := &output{owner: w}, &w.task.spare
	if n := len(*spare); n > 0 {
		o, *spare = (*spare)[n-1], (*spare)[:n-1]
		*o = output{owner: w, open: o.open[:0], boxes: o.boxes[:0], sets: o.sets[:0]}
	}
	o.left, o.beyond = math.Inf(-1), math.Inf(-1)
	return o
}

// begin prepares the worker for a task that looks for values above a cutoff.
func (w *worker) begin(k task, cutoff float64) {
	w.task.plan, w.task.probes, w.task.cutoff, w.task.output = k.plan, k.probes, cutoff, w.newOutput()
	if w.ws != nil {
		w.ws.Retune(!k.short)
	}
	if k.moments && w.ensemble.Moments == nil {
		w.ensemble.Moments = w.trees.NewMoments(&w.stop)
	}
	if w.joint != nil {
		w.joint.Aim(cutoff)
	}
	if w.relu != nil {
		w.relu.Requirements, w.relu.Cutoff = w.goal.Requirements(cutoff), cutoff
		w.relu.Prover.All = k.all
	}
	for _, n := range w.narrower {
		if n != nil {
			n.ws.Retune(!k.short)
		}
	}
}

// run processes a task (an annealing chain, the root, or nodes to branch on) and what it postponed.
func (w *worker) run(k task) *output {
	w.begin(k, w.cutoff())
	switch {
	case k.chain != nil:
		k.chain.Follow(w.points)
	case k.p == nil:
		root := grid.Node{Box: w.Grid.Whole()}
		w.add(&root, w.tau(root.Box, 0), false)
	default:
		for i := k.from; i < k.to; i++ {
			w.branchOn(k.p, i)
		}
	}
	w.flush()
	for _, p := range w.waiting.later {
		w.halve(&p, middle(p.Box, p.Branch), false)
	}
	w.waiting.later = w.waiting.later[:0]
	w.flush()
	for i := range w.waiting.strict {
		w.add(&w.waiting.strict[i], 0, false)
	}
	w.waiting.strict, w.waiting.parts = w.waiting.strict[:0], w.waiting.parts[:0]
	w.flush()
	for _, n := range w.narrower {
		if n != nil {
			n.flush()
		}
	}
	w.points.Flush()
	return w.task.output
}

// broken reports whether the search was stopped while a box was bounded. Its bounds are then invalid.
func (w *worker) broken() bool { return w.ensemble != nil && w.ensemble.Broken }

// tau returns the τ for the halves of a box, by how many of its individuals are decided.
func (w *worker) tau(box grid.Box, decided float64) float64 {
	if !w.task.tails || w.counter == nil {
		return 0
	}
	return w.counter.TailFor(box, decided)
}

// middle returns the last cell of the lower half of a dimension.
func middle(box grid.Box, d int) uint64 { return box[2*d] + (box[2*d+1]-box[2*d])/2 }

// branchOn bounds both halves of node i of a page.
func (w *worker) branchOn(p *page, i int) {
	n := &w.waiting.from
	w.queue.node(p, i, n)
	w.task.mass -= w.Grid.Size(n.Box)
	w.task.Take(n)
	last := middle(n.Box, n.Branch)
	if w.ensemble != nil {
		cutoff := w.task.cutoff
		if w.Goal == problem.Quantify {
			cutoff = w.Notion.Tolerated()
		}
		n.Branch, last = w.ensemble.Branch(n.Box, n.Branch, cutoff)
	}
	w.halve(&part{*n, w.tau(n.Box, n.Fair+n.Unfair)}, last, w.task.twice)
}

// halve bounds both halves of a node. last is the last cell of the lower half. With twice, it branches on the halves
// again before it counts them.
func (w *worker) halve(p *part, last uint64, twice bool) {
	of, d, to := w.fitting(p.Copies), p.Branch, p.Box[2*p.Branch+1]
	child := grid.Node{Box: p.Box, Copies: p.Copies}
	path := p.Path
	for side := range 2 {
		if side == 0 {
			p.Box[2*d+1] = last
		} else {
			p.Box[2*d], p.Box[2*d+1] = last+1, to
		}
		if w.Params.KeepPaths {
			child.Path = &grid.Branching{Parent: path, Dim: d, Last: last, Upper: side == 1}
		}
		of.add(&child, p.tau, twice)
	}
}

// fitting returns the narrowest worker with enough lanes for these copies; w itself if
// c is nil, or if no narrower worker has enough.
func (w *worker) fitting(c grid.Copies) *worker {
	if c != nil {
		size := c.Size()
		for i, n := range w.narrower {
			if size <= narrowLanes[i] {
				if n == nil {
					n = newNarrower(w, narrowLanes[i])
					w.narrower[i] = n
				}
				return n
			}
		}
	}
	return w
}

// add puts a node into a slot, to be bounded and processed with others. If tau is not 0, its bounds
// exclude a small mass. With twice, it is branched on again before it is counted.
func (w *worker) add(n *grid.Node, tau float64, twice bool) {
	q, slots := &w.waiting, 1
	slot := len(q.nodes)
	w.bounder.Place(n.Box, slot)
	if w.ws != nil {
		if w.counter != nil {
			w.counter.PlaceTail(n.Box, slot, tau)
		}
		w.ws.Assign(n.Copies, slot)
		w.ws.N, slots = slot+1, w.ws.Slots
	}
	q.boxes, q.twice = append(q.boxes, n.Box...), append(q.twice, twice)
	q.nodes = append(q.nodes, *n)
	if slot+1 == slots {
		w.flush()
	}
}

// flush bounds and processes the waiting nodes.
func (w *worker) flush() {
	q := &w.waiting
	if len(q.nodes) == 0 {
		return
	}
	w.bounder.Bound()
	if w.counter != nil {
		w.counter.Bounded()
	}
	n := 2 * len(w.Grid.Dims)
	for slot := range q.nodes {
		w.at.Node = grid.Node{Box: q.boxes[slot*n : (slot+1)*n], Path: q.nodes[slot].Path}
		w.processNode(slot)
	}
	w.task.bounded += int64(len(q.nodes))
	q.nodes, q.boxes, q.twice = q.nodes[:0], q.boxes[:0], q.twice[:0]
	if w.ws != nil {
		w.ws.Clear()
	}
}

// learn adds an individual to the task's results. It counts the individual unless probe
// is set, as for one that does not come from an enumerated box.
func (o *output) learn(s *goal.Store, x []float64, v *goal.Individual, probe bool) {
	one := grid.Counted(1)
	switch {
	case probe:
	case !v.Asked:
		o.Outside = o.Outside.Add(one)
	case v.Violates:
		o.Unfair = o.Unfair.Add(one)
	default:
		o.Fair = o.Fair.Add(one)
	}
	o.best = s.Better(o.best, x, v)
}
