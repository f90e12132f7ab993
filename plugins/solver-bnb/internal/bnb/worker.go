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

// bounder bounds nodes of one family of models, some at a time.
type bounder interface {
	relax.Encloser
	// Place puts a box into a slot, and Bound bounds all that were placed.
	Place(box grid.Box, slot int)
	Bound()
	// Spreads encloses the logits of a slot, of the lanes that are possible, and surely so; nil for all.
	Spreads(slot int, possible, sure []bool) (whole, spread notion.Spread)
	// BranchingFeature is the dimension to cut a box in a slot, −1 for none.
	BranchingFeature(box grid.Box, slot int) int
}

// worker processes nodes on one thread.
type worker struct {
	*Search
	bounder  bounder
	ws       *relax.Workspace  // the bounder of a network, else nil
	ensemble *ensemble.Bounder // the bounder of trees, else nil
	clipper  *tighten.Clipper
	joint    *relax.Joint    // where score gaps of two copies are wanted
	relu     *relu.Branching // where nodes may be proved so
	do       []step
	counter  *count.Counter // where individuals are counted
	pairing  *relax.Pairing // where nodes are of pairs
	points   *primal.Points
	narrower []*worker // for fewer copies, by narrowLanes; nil until needed
	waiting  waiting
	at       state
	task     *taskState // of this worker and narrower ones
}

// taskState is a worker's current task, and what it has found.
type taskState struct {
	plan
	cutoff float64
	*output
	probes int       // how many nodes are still bounded jointly for their yield alone
	spare  []*output // of tasks that are merged, to be used again
}

// output is what a task leaves.
type output struct {
	grid.Tally
	owner        *worker
	open         []grid.Node
	boxes        []uint64 // of these
	pieces       []Piece
	bounded      int64
	mass         float64 // of open nodes, less that of those that were branched on
	stuck        int64
	left, beyond float64
	best         *goal.Incumbent
	yield        relax.Yield // of joint bounds
	lp           relu.Stats
	sets         []uint64 // of copies that matter in open nodes
}

// waiting are nodes in slots, and those to come.
type waiting struct {
	nodes  []grid.Node // in the slots
	boxes  []uint64    // of these
	twice  []bool      // which are to be branched on in turn, not counted
	later  []part      // of those, the ones that are open
	parts  []uint64    // their boxes, and those of strict
	strict []grid.Node // to be bounded for all of their individuals
	from   grid.Node   // that is branched on
}

// leave queues a node for bounds that hold for all of its individuals.
func (q *waiting) leave(n *state) {
	q.parts = append(q.parts, n.Box...)
	q.strict = append(q.strict, grid.Node{Box: q.parts[len(q.parts)-len(n.Box):], Path: n.Path})
}

// part is a node that is to be branched on, with the τ of its halves.
type part struct {
	grid.Node
	tau float64
}

// narrowLanes are lanes of a box in narrower workers, in ascending order.
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

// newNarrower makes a worker with fewer lanes a box, for the current task of another.
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
		// Copies whose logits differ at all, if by little, may get two decisions.
		Differences: !w.Off(params.Differences) && (!signs || w.Overlooks),
		Aligned:     !w.Off(params.Aligned) && (w.Binned || w.Values || !w.Notion.Signs()),
	}
}

// use bounds nodes in a workspace.
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

// free gives the output's memory back.
func (o *output) free() { o.owner.task.spare = append(o.owner.task.spare, o) }

// newOutput is an empty one, in the memory of one that was merged where there is.
func (w *worker) newOutput() *output {
	o, spare := &output{owner: w}, &w.task.spare
	if n := len(*spare); n > 0 {
		o, *spare = (*spare)[n-1], (*spare)[:n-1]
		*o = output{owner: w, open: o.open[:0], boxes: o.boxes[:0], sets: o.sets[:0]}
	}
	o.left, o.beyond = math.Inf(-1), math.Inf(-1)
	return o
}

// begin makes the worker ready for a task, for values above a cutoff.
func (w *worker) begin(k task, cutoff float64) {
	w.task.plan, w.task.probes, w.task.cutoff, w.task.output = k.plan, k.probes, cutoff, w.newOutput()
	if w.ws != nil {
		w.ws.Retune(!k.short)
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

// run does a task.
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

// broken reports that the time was over while a box was bounded, of which nothing is known then.
func (w *worker) broken() bool { return w.ensemble != nil && w.ensemble.Broken }

// tau is the τ for the halves of a box, by how many of its individuals are decided.
func (w *worker) tau(box grid.Box, decided float64) float64 {
	if !w.task.tails || w.counter == nil {
		return 0
	}
	return w.counter.TailFor(box, decided)
}

// middle is the last cell of the lower half of a dimension.
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

// halve bounds both halves of a node, of which the lower one ends at last; twice: these are branched on in turn, not counted.
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

// fitting is the worker for a node of these copies.
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

// add puts a node into a slot, to be bounded and processed
// with others; excluding a small mass where tau is not 0; twice: to be branched on in turn, not counted.
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

// flush bounds and processes the nodes that wait.
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

// learn takes an individual into the task's output; a probe belongs to a box
// that is not enumerated.
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
