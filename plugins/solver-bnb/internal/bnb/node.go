package bnb

import (
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/count"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk/problem"
)

// state is the current node and what a worker knows about it.
type state struct {
	grid.Node
	slot           int
	size           float64 // number of individuals in its box
	certain        bool    // the query asks about all of them, and all have a counterfactual
	possible, sure []bool  // by lane; nil for all
	prefer         int     // the dimension to branch on, −1 for no preference
	bounds         goal.Bounds
	bound          float64 // the bound on its values
	excluded       float64 // mass that its bounds exclude
	standing       grid.Standing
	room           notion.Room
	x              []float64 // its midpoint
}

// step is a bounder, tightener, counter or prover: a worker applies its steps to each node in turn.
type step interface {
	// apply reports whether the node is finished.
	apply(n *state) bool
}

// stepsOf returns a worker's steps: those that apply to its query and are not switched off.
func stepsOf(w *worker) []step {
	if w.Pairs {
		return []step{pairs{w}}
	}
	list := []step{presolve{w}, bounds{w}}
	if w.ideas.clips {
		list = append(list, clips{w})
	}
	list = append(list, rebounds{w})
	if w.Counts {
		list = append(list, counts{w})
	}
	if w.ensemble != nil && w.Goal == problem.Quantify {
		list = append(list, moments{w})
	}
	list = append(list, branches{w})
	if w.ensemble != nil && (w.Values || w.Decides()) {
		list = append(list, dives{w})
	}
	if w.relu != nil {
		list = append(list, relus{w})
	}
	return list
}

// processNode bounds, tightens and proves the node in a slot, or puts it into the queue with its bounds.
func (w *worker) processNode(slot int) {
	n := &w.at
	n.slot, n.size, n.prefer = slot, w.Grid.Size(n.Box), -1
	for _, s := range w.do {
		if s.apply(n) {
			return
		}
	}
	w.enqueue(n)
}

// presolve settles nodes by the rules, by enumeration, or because trees are constant in
// them.
type presolve struct{ *worker }

func (w presolve) apply(n *state) bool {
	n.certain, n.possible, n.sure = true, nil, nil
	if w.ws != nil {
		clear(w.ws.Shown)
	}
	if w.relu != nil {
		w.relu.Shown = nil
	}
	if w.Rules != nil {
		s := &n.standing
		w.Rules.Stand(n.Box, s)
		if s.Asked == grid.Nowhere || s.None {
			w.settle(n.Box, n.slot, goal.Outside)
			return true
		}
		n.certain = s.Asked == grid.Everywhere && s.Individuals
		n.possible, n.sure, n.prefer = s.Possible, s.Sure, s.Cut
	}
	if w.ensemble != nil && n.certain && slices.Equal(n.possible, n.sure) && constant(w.worker, n) {
		return true
	}
	return w.enumerated(n)
}

// enumerated evaluates the individuals of a small node, and reports whether it did.
func (w *worker) enumerated(n *state) bool {
	if !w.Grid.Countable || w.Grid.Size(n.Box) > w.Params.Enumerate {
		return false
	}
	before := w.task.Tally
	w.points.Enumerate(n.Box)
	if w.Pieces != nil {
		w.points.Flush() // the piece says how many are fair
		fair, unfair := w.task.Fair.Without(before.Fair).Float(), w.task.Unfair.Without(before.Unfair).Float()
		w.task.pieces = append(w.task.pieces, Piece{Box: slices.Clone(n.Box), Claim: PieceCounted, Fair: fair, Unfair: unfair, Enumerated: true})
	}
	return true
}

// constant settles a node in which trees are constant and all individuals alike: what
// holds for one holds for all. It reports whether it did.
func constant(w *worker, n *state) bool {
	if !w.ensemble.Constant || len(w.Query.Exclude) > 0 {
		return false
	}
	x := make([]float64, len(w.Grid.Dims))
	for d := range x {
		x[d], _ = w.Grid.Dims[d].Values(n.Box[2*d])
	}
	v := w.points.Trees(x)
	w.task.best = w.Better(w.task.best, x, &v)
	switch {
	case !v.Asked:
		return false
	case w.Values || w.Pairs:
		w.settle(n.Box, n.slot, goal.Pruned)
	case v.Violates:
		w.settle(n.Box, n.slot, goal.Unfair)
	default:
		w.settle(n.Box, n.slot, goal.Fair)
	}
	return true
}

// bounds settles nodes by their bounds alone, or defers them to bounds that hold for all
// individuals.
type bounds struct{ *worker }

func (w bounds) apply(n *state) bool {
	b := &n.bounds
	if w.ws != nil {
		n.possible, n.sure = w.ws.ByLane(n.slot, n.possible, n.sure)
	}
	b.Whole, b.Spread = w.bounder.Spreads(n.slot, n.possible, n.sure)
	b.Cutoff, b.Tightened, n.excluded = w.task.cutoff, false, 0
	if w.Binned {
		w.countBins(n)
	}
	n.bound = w.goal.Bound(b)
	v := w.goal.Prune(b, n.bound)
	if w.ensemble != nil && v == goal.Open && !w.Values && w.Reach == 0 {
		switch fair, unfair := w.ensemble.ByPairs(n.possible, n.sure); {
		case fair:
			v = goal.Fair
		case unfair:
			v = goal.Unfair
		}
	}
	if w.counter != nil {
		n.excluded = w.counter.Excluded(n.slot, n.size)
	}
	if n.excluded > 0 && v != goal.Open { // proved except for the excluded mass
		w.waiting.leave(n)
		return true
	}
	if !w.Accepts(v, n.certain) {
		return false
	}
	w.settle(n.Box, n.slot, v)
	return true
}

// countBins encloses the number of bins that an individual of the node falls into.
func (w bounds) countBins(n *state) {
	b := &n.bounds
	lo, hi := w.bounder.Enclosures(n.slot)
	b.Most = w.Bins.Across(max(b.Whole.Apart, 0), b.Whole.Least, b.Whole.Most)
	if w.ws == nil || w.ws.Subset == nil { // else copies that reach bins are missing
		b.Most = min(b.Most, w.Bins.Most(&n.room, lo, hi, n.possible))
	}
	b.Fewest = w.Bins.Least(&n.room, lo, hi, n.sure)
}

// clippableWidth is the largest mean width of copies' enclosures at which boxes are clipped for
// more bins; wider ones rarely shrink. matchableWidth is the largest mean width at which
// matching all copies with bins may bound k; for wider ones, the distance of the largest and
// the smallest logit bounds it.
const clippableWidth, matchableWidth = 4, 1

// need returns what a value above the cutoff requires of the logits; ok is false if that
// is not known.
func (w clips) need(n *state) (notion.Need, bool) {
	switch {
	case !w.Binned:
		return w.Notion.Need(&n.bounds.Whole, w.task.cutoff)
	case w.ws.Width(n.slot) > clippableWidth:
		return notion.Need{}, false
	}
	return w.Bins.Need(&n.bounds.Whole, int(max(w.task.cutoff, 0)))
}

// clips reduces nodes to what may have a value above the cutoff, and settles the rest.
type clips struct{ *worker }

func (w clips) apply(n *state) bool {
	need, ok := w.need(n)
	if !ok {
		if w.ideas.copies {
			has, _ := w.ws.ByLane(n.slot, nil, nil)
			w.keep(n, has)
		}
		return false
	}
	matter := n.possible
	if w.ideas.copies {
		var fewer bool
		if matter, fewer, ok = w.clipper.Relevant(n.slot, &need, n.possible); !ok {
			w.settlePart(n.Box, n.slot)
			return true
		}
		w.keep(n, matter)
		if fewer {
			n.bounds.Whole, _ = w.bounder.Spreads(n.slot, matter, n.sure)
			if need, ok = w.need(n); !ok {
				return false
			}
		}
	}
	if !w.clipper.Clip(n.Box, n.slot, &need, matter) {
		return true
	}
	if w.ideas.pairs && w.ws.Differences != nil && !w.clipper.Pair(n.Box, n.slot, &need, &n.bounds.Whole.Apart) {
		return true
	}
	return w.enumerated(n)
}

// keep sets the node's combinations to those of these lanes; nil means all.
func (w clips) keep(n *state, lanes []bool) {
	n.Copies = w.task.copies(w.queue.setWords)
	w.ws.Keep(n.Copies, n.slot, lanes)
}

// copies returns an empty set in the task's memory.
func (o *output) copies(words int) grid.Copies {
	o.sets = append(o.sets, make([]uint64, words)...)
	return grid.Copies(o.sets[len(o.sets)-words:])
}

// rebounds settles nodes by the bounds after tightening.
type rebounds struct{ *worker }

func (w rebounds) apply(n *state) bool {
	n.size = w.Grid.Size(n.Box)
	if n.bounds.Tightened = true; w.Values {
		if w.ideas.clips {
			n.bound = min(n.bound, w.goal.Bound(&n.bounds))
		}
		if n.bound > w.task.cutoff && !w.boundJointly(n) {
			return true
		}
	}
	v := w.goal.Prune(&n.bounds, n.bound)
	if n.excluded > 0 || !w.Accepts(v, n.certain) {
		return false
	}
	w.settle(n.Box, n.slot, v)
	return true
}

// boundJointly lowers the bound of a score gap by tangents, and clips what cannot be above the cutoff. It reports whether a
// part remains that was not enumerated.
func (w rebounds) boundJointly(n *state) bool {
	t, always := w.task, w.task.plan.joint
	if w.joint == nil || w.joint.Idle() || !always && t.probes == 0 {
		return true
	}
	t.yield.Before += n.bound - t.cutoff
	bound, rest := w.clipper.Joint(w.joint, n.Box, n.slot, always)
	bound = min(n.bound, max(t.cutoff, bound))
	if t.yield.After += bound - t.cutoff; !always {
		t.probes--
		return true
	}
	n.bound = bound
	return rest && !w.enumerated(n)
}

// counts counts the individuals of nodes, or defers that to their halves.
type counts struct{ *worker }

func (w counts) apply(n *state) bool {
	if !n.certain || w.Proofs || !count.Countable(n.Box, n.size) {
		return false
	}
	q := &w.waiting
	if q.twice[n.slot] {
		if n.Branch = w.branchingFeature(n); n.Branch >= 0 {
			q.parts = append(q.parts, n.Box...)
			n.Box = q.parts[len(q.parts)-len(n.Box):]
			q.later = append(q.later, part{n.Node, w.counter.Tail(n.slot)})
			return true
		}
	}
	th := w.Notion.Thresholds(&n.bounds.Spread)
	fair, unfair := w.counter.Count(n.Box, n.slot, n.excluded, n.bounds.Spread.Apart, th, n.possible, n.sure, !w.task.short)
	switch {
	case n.excluded > 0 && fair+unfair+2*n.excluded >= n.size:
		q.leave(n)
		return true
	case fair+unfair >= n.size:
		w.task.Count(fair, unfair)
		w.piece(n.Box, n.slot, PieceCounted, fair, unfair)
		return true
	}
	n.Fair, n.Unfair = floor(fair), floor(unfair)
	return false
}

// moments counts the individuals of nodes of trees.
type moments struct{ *worker }

func (w moments) apply(n *state) bool {
	if n.certain && !slices.Contains(n.sure, false) && w.task.moments && n.size >= w.Params.Count.TableMass {
		fair, unfair := w.ensemble.Moments.Count(w.ensemble.Boxes, n.Box)
		n.Fair, n.Unfair = floor(fair*n.size), floor(unfair*n.size)
	}
	return false
}

// branches chooses the branching feature of nodes.
type branches struct{ *worker }

func (w branches) apply(n *state) bool {
	if w.ideas.copies && w.Binned && w.ws.Width(n.slot) < matchableWidth { // in the halves, all copies are matched with bins
		n.Copies = w.task.copies(w.queue.setWords)
		for z := range w.Grid.Combinations {
			n.Copies.Add(z)
		}
	}
	n.Branch = w.branchingFeature(n)
	return false
}

// branchingFeature returns the dimension to branch on, −1 if there is none: the preferred one if
// it can be split.
func (w *worker) branchingFeature(n *state) int {
	if d := n.prefer; d >= 0 && n.Box[2*d] < n.Box[2*d+1] {
		return d
	}
	return w.bounder.BranchingFeature(n.Box, n.slot)
}

// enqueue puts a node into the queue, or counts it as stuck if it cannot be branched on.
func (w *worker) enqueue(n *state) {
	o := w.task.output
	if w.Values || w.Pairs {
		if n.bound <= w.task.cutoff {
			w.settle(n.Box, n.slot, goal.Pruned)
			return
		}
		if n.bound > w.values[1] {
			o.beyond = max(o.beyond, n.bound)
		}
		if n.Branch < 0 {
			o.left = max(o.left, n.bound)
		}
		n.Bucket = bucketOf(n.bound, w.values)
	} else {
		n.Bucket = byMass(n.size - n.Fair - n.Unfair)
	}
	o.Count(n.Fair, n.Unfair)
	o.mass += w.Grid.Size(n.Box)
	if n.Branch < 0 {
		o.stuck++
		w.piece(n.Box, n.slot, PieceUndecided, n.Fair, n.Unfair)
		return
	}
	if w.Goal != problem.Quantify && !w.Off(params.Midpoints) {
		n.x = n.x[:0]
		for d := range w.Grid.Dims {
			n.x = append(n.x, w.Grid.Dims[d].Middle(middle(n.Box, d)))
		}
		w.points.Add(n.x, true)
	}
	o.boxes = append(o.boxes, n.Box...)
	n.Box = o.boxes[len(o.boxes)-len(n.Box):]
	o.open = append(o.open, n.Node)
}

// pairs bounds nodes of pairs of copies.
type pairs struct{ *worker }

func (w pairs) apply(n *state) bool {
	m := w.pairing
	w.Rules.Match(n.Box, &m.Matching)
	switch {
	case !m.Any:
		w.settle(n.Box, n.slot, goal.Outside)
		return true
	case w.ensemble != nil && m.Cut < 0 && constant(w.worker, n), w.enumerated(n):
		return true
	}
	n.prefer = m.Cut
	n.Branch = w.branchingFeature(n)
	n.bound = m.Widest(w.Problem, w.bounder, n.slot)
	return false
}

// relus proves nodes by branching on ReLUs.
type relus struct{ *worker }

func (w relus) apply(n *state) bool {
	if !w.task.relu || n.bound <= w.task.cutoff || !w.Values && !n.certain && !w.Decides() || len(w.relu.Requirements) == 0 || w.stop.Load() {
		return false
	}
	if !w.relu.Prove(w.ws, n.Box, n.slot, n.possible, &w.lp, &w.task.lp, w.raise) {
		return false
	}
	w.settleProved(n.Box, n.slot)
	return true
}

// raise raises the cutoff of ReLU branching to that of the best individual found meanwhile, if it is above the given one.
// It reports whether it did.
func (w relus) raise(cutoff float64) bool {
	if !w.Values {
		return false
	}
	w.points.Flush()
	if w.task.best == nil {
		return false
	}
	v := w.Above(w.task.best)
	if v > cutoff {
		w.relu.Cutoff, w.relu.Requirements = v, w.goal.Requirements(v)
	}
	return v > cutoff
}

// dives proves nodes of trees by dives for each pair of combinations.
type dives struct{ *worker }

func (w dives) apply(n *state) bool {
	if n.bound <= w.task.cutoff || !w.ensemble.Provable(n.Branch, w.Proofs) {
		return false
	}
	for _, p := range w.ensemble.Parts(n.possible) {
		cutoff := w.task.cutoff
		o := diveFor(w.worker, &p, ensemble.NodeDepth)
		w.task.cutoff = max(w.task.cutoff, cutoff)
		if o.best != nil && (w.task.best == nil || w.Values && o.best.Value > w.task.best.Value) {
			w.task.best = o.best
		}
		if !o.settled || len(o.left) > 0 {
			return false
		}
	}
	w.settleProved(n.Box, n.slot)
	return true
}
