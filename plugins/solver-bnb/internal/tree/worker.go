package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/count/convolution"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/bound/batch"
)

// worker bounds boxes on one thread.
type worker struct {
	t         *Tree
	g         *grid.Grid
	k         int // lanes a box: a combination each, of both copies where they may differ
	each      int // boxes bounded together
	space     *batch.Workspace
	waiting   []uint64 // boxes in the lanes
	strict    []uint64 // boxes to be bounded for all of their people: see few.go
	cutting   []bool   // which of the boxes in the lanes are to be cut in turn, not counted
	uncounted []part   // of those, the ones that are open
	parts     []uint64 // their boxes
	box       grid.Box // that is cut
	n         int
	ends      float64   // a box's neurons whose ends may be moved; 0 where bounds hold for all
	tails     []float64 // τ of the boxes in the lanes
	points    *points
	counter   *convolution.Counter
	room      notion.Room
	cutoff    float64
	out       *output
	spare     []*output // of tasks that are merged, to be used again

	// Inputs of protected features, and the lanes' differences; nil where these do
	// not matter.
	apart            []int32
	diffMid, diffRad []float64

	feeds  []feed      // all inputs fed, dimension by dimension
	inputs [][]int32   // by dimension: the inputs fed
	idle   []int       // dimensions that feed none
	halved [][]float64 // by dimension: how wide lanes would be after a cut

	// Forms with slopes in common, and where lattice points are counted, both sides by tables. Nil where they do not matter.
	parallel *aligned
	sum      sum
	values   []float64 // of its dimensions
	tables   *tables

	// Of boxes some of whose copies do not matter: see copies.go.
	narrower       []*worker // for fewer copies, the fewest first
	combinations   []int     // of lanes; nil where they are all of them in turn
	counts         []int     // of boxes: how many copies they have
	possible, sure []bool
	matter         []bool
	reaches        []reach

	first []int     // by dimension: which of feeds is its first
	needs []float64 // of clip, by combination

	joint *joint // where score gaps of two copies are wanted
	// shown are the tangents, by combination, by which the box at hand was bounded jointly; zero
	// for none.
	shown    []notion.Tangent
	splitter *splitter // where boxes may be settled by cases of ReLUs

	standing grid.Standing
	lo, hi   []float64

	trees    *ensemble.Boxes // where the model is trees: it holds the box that was placed last
	dive     *ensemble.Dive
	matching *matching // where boxes are of pairs
	relaxed  []relaxed // inputs of features that may differ between the copies
}

// output is what a task leaves.
type output struct {
	Tally
	owner        *worker
	leaves       []leaf
	boxes        []uint64 // of the leaves
	pieces       []Piece
	bounded      int64
	mass         float64 // of leaves, less that of those that were cut
	stuck        int64
	left, beyond float64
	best         *Best
	yield        yield
	cases        cases
	sets         []uint64 // of copies that matter in leaves
}

// lanesTogether is about how many lanes are bounded together: two to four octets
// keep the vector units busy, and the forms in the first cache.
const lanesTogether = 32

func newWorker(t *Tree) *worker {
	w := newWorkerOf(t, t.grid.Lanes(), newPoints(t))
	if t.splits {
		w.splitter = newSplitter(w)
	}
	w.narrow()
	return w
}

// newWorkerOf makes a worker that has k lanes a box.
func newWorkerOf(t *Tree, k int, p *points) *worker {
	g := t.grid
	w := &worker{t: t, g: g, k: k, points: p, box: g.Whole()}
	w.lo, w.hi = make([]float64, w.k), make([]float64, w.k)
	if t.pairs {
		w.matching = newMatching(t, w.k)
		w.matching.pairs.OneWay = t.oneWay()
	}
	if t.trees != nil {
		w.each, w.trees, w.dive = 1, t.trees.NewBoxes(), t.trees.NewDive(&t.stop)
		w.dive.Difference = t.judge.Signs() && t.goal.values
		return w
	}
	w.counter = convolution.NewCounter(t.plan.Kernel())
	w.each = max(1, lanesTogether/w.k)
	w.space = t.plan.NewWorkspace(w.each * w.k)
	fixInputs(g, w.space)
	if len(g.Relaxed) == 0 { // differences speak of lanes with the same box
		for _, f := range g.Combinations[0].Inputs {
			w.apart = append(w.apart, int32(f.Input))
		}
	}
	if t.judge.Signs() && !t.goal.values && !t.overlooks {
		w.apart = nil // copies whose logits differ at all, if by little, may get two decisions
	}
	cells := 0
	for d := range g.Dims {
		dim := &g.Dims[d]
		if !dim.Even {
			cells += min(dim.Cells, maxCounted)
		}
		var inputs []int32
		w.first = append(w.first, len(w.feeds))
		for f := range dim.Feeds {
			inputs = append(inputs, int32(dim.Feeds[f].Input))
			w.feeds = append(w.feeds, feed{&dim.Feeds[f], d, g.Apart(d, f)})
		}
		if len(inputs) == 0 {
			w.idle = append(w.idle, d)
		}
		w.inputs, w.halved = append(w.inputs, inputs), append(w.halved, make([]float64, w.space.Lanes()))
	}
	if t.jointly && w.apart != nil {
		w.joint = &joint{}
	}
	if t.pairs {
		w.relaxAll()
	}
	w.shown = make([]notion.Tangent, w.k)
	w.needs, w.matter, w.reaches = make([]float64, w.k), make([]bool, w.k), make([]reach, w.k)
	if t.goal.bins || t.goal.values || !t.judge.Signs() {
		w.parallel = w.newAligned()
	}
	if t.goal.counts {
		w.values, w.tables = make([]float64, cells), w.newTables()
		w.prepareFew()
	}
	return w
}

// fixInputs fills in what does not vary: lane v has combination v mod K.
func fixInputs(g *grid.Grid, s *batch.Workspace) {
	for lane := range s.Lanes() {
		for _, f := range g.Fixed {
			s.Centre(f.Input)[lane], s.HalfWidth(f.Input)[lane] = f.Centre, f.HalfWidth
		}
		for _, f := range g.Combinations[lane%len(g.Combinations)].Inputs {
			s.Centre(f.Input)[lane], s.HalfWidth(f.Input)[lane] = f.Centre, f.HalfWidth
		}
	}
}

// newOutput is an empty one, in the memory of one that was merged where there is.
func (w *worker) newOutput() *output {
	o := &output{owner: w}
	if n := len(w.spare); n > 0 {
		o, w.spare = w.spare[n-1], w.spare[:n-1]
		*o = output{owner: w, leaves: o.leaves[:0], boxes: o.boxes[:0], sets: o.sets[:0]}
	}
	o.left, o.beyond = math.Inf(-1), math.Inf(-1)
	return o
}

// run does a task.
func (w *worker) run(k task) *output {
	w.out = w.newOutput()
	w.cutoff = w.t.cutoff()
	w.tryIntervals()
	if w.joint != nil {
		w.joint.begin(w.cutoff, k)
	}
	if w.splitter != nil {
		w.splitter.above(w.t, w.cutoff)
		w.splitter.prover.All = w.t.cases.work >= withoutMore
	}
	for _, n := range w.narrower {
		n.tryIntervals()
	}
	switch {
	case k.chain != nil:
		w.follow(k.chain)
	case k.p == nil:
		w.add(w.g.Whole(), nil, w.tail(w.g.Whole(), 0), false)
	default:
		for i := k.from; i < k.to; i++ {
			w.cut(k.p, i)
		}
	}
	w.flush()
	w.cutUncounted()
	w.again()
	for _, n := range w.narrower {
		n.out = w.out
		n.flush()
	}
	w.points.flush(w)
	return w.out
}

// tryIntervals bounds neurons by intervals, too, as long as that brings something; and from both sides, unless the search is short.
func (w *worker) tryIntervals() {
	if w.space != nil {
		w.space.Intervals, w.space.Sharpens = true, !w.t.isShort()
	}
}

// part is a box that is to be cut.
type part struct {
	box  grid.Box
	cut  int
	c    copies
	tail float64
}

// cut bounds both halves of leaf i of page p. Where people are counted, these are cut in turn.
//
// Counting takes most of a box's time, and of a tree's boxes half have been cut in the end: so a third of them
// need not be counted.
func (w *worker) cut(p *page, i int) {
	box := w.box
	w.t.front.box(p, i, box)
	w.out.mass -= w.g.Size(box)
	w.out.Fair = w.out.Fair.Sub(grid.Of(float64(p.fair[i])))
	w.out.Unfair = w.out.Unfair.Sub(grid.Of(float64(p.unfair[i])))
	d := int(p.split[i])
	mid := middle(box, d)
	if w.trees != nil {
		d, mid = w.cutTrees(box, d)
	}
	tail := w.tail(box, float64(p.fair[i])+float64(p.unfair[i]))
	w.halve(part{box: box, cut: d, c: w.t.front.set(p, i), tail: tail}, mid, w.t.cutsTwice())
}

// soonDone is how many boxes settle small questions. Tests have none.
var soonDone int64 = 1 << 14

// isShort reports that the search may be over soon, and does without what takes longer for a box and pays later: for as many boxes, or most of a second.
func (t *Tree) isShort() bool {
	return t.Boxes < soonDone && t.plan != nil && !t.begun && t.Boxes < t.boxesFirst()*3/4
}

// cutsTwice: leaves' halves are cut in turn.
func (t *Tree) cutsTwice() bool {
	return t.goal.counts && t.workers[0].space != nil && !t.begun && !t.fewLeft && !t.isShort()
}

// middle is the last cell of the lower half of a dimension.
func middle(box grid.Box, d int) uint64 { return box[2*d] + (box[2*d+1]-box[2*d])/2 }

// halve bounds both halves of a box, of which the lower one ends at mid; through: these are cut in turn, not counted.
func (w *worker) halve(p part, mid uint64, through bool) {
	of, to := w.fitting(p.c), p.box[2*p.cut+1]
	p.box[2*p.cut+1] = mid
	of.add(p.box, p.c, p.tail, through)
	p.box[2*p.cut], p.box[2*p.cut+1] = mid+1, to
	of.add(p.box, p.c, p.tail, through)
}

// cutUncounted bounds the halves of boxes that were not counted.
func (w *worker) cutUncounted() {
	for _, p := range w.uncounted {
		w.halve(p, middle(p.box, p.cut), false)
	}
	w.uncounted, w.parts = w.uncounted[:0], w.parts[:0]
	w.flush()
}

// add puts a box into the lanes, with the copies that matter, to be bounded and settled
// with others; for all people but a few where tail is not 0; through: to be cut in turn, not counted.
func (w *worker) add(box grid.Box, c copies, tail float64, through bool) {
	w.place(box, w.n)
	w.spread(box, w.n, tail)
	w.assign(c)
	w.waiting, w.cutting = append(w.waiting, box...), append(w.cutting, through)
	if w.n++; w.n == w.each {
		w.flush()
	}
}

// place puts a box into the lanes of box b.
func (w *worker) place(box grid.Box, b int) {
	if w.trees != nil {
		w.trees.Bound(box)
		return
	}
	lane := b * w.k
	for d := range w.g.Dims {
		from, to := box[2*d], box[2*d+1]
		for f := range w.g.Dims[d].Feeds {
			feed := &w.g.Dims[d].Feeds[f]
			c, r := feed.Enclose(from, to)
			centre, radius := w.space.Centre(feed.Input)[lane:lane+w.k], w.space.HalfWidth(feed.Input)[lane:lane+w.k]
			cut, h := w.space.SplitReduction(feed.Input)[lane:lane+w.k], r*halves(to-from+1)
			for z := range centre {
				centre[z], radius[z], cut[z] = c, r, h
			}
		}
	}
	w.relax(box, b)
}

// halves is by which share of itself the radius of so many cells in a row shrinks
// where they are cut in two.
func halves(cells uint64) float64 {
	if cells == 1 {
		return 0
	}
	return float64(cells) / float64(2*(cells-1))
}

// flush bounds and settles the boxes that wait.
func (w *worker) flush() {
	if w.n == 0 {
		return
	}
	w.bound()
	n := 2 * len(w.g.Dims)
	for b := range w.n {
		w.settle(w.waiting[b*n:(b+1)*n], b)
	}
	w.out.bounded += int64(w.n)
	w.n, w.waiting, w.cutting, w.counts = 0, w.waiting[:0], w.cutting[:0], w.counts[:0]
}

// bound bounds the boxes that wait.
func (w *worker) bound() {
	if w.trees != nil {
		return // placed is bounded
	}
	intervals := w.space.Intervals
	w.space.Bound()
	if w.n < w.each { // lanes that hold boxes of before have no say
		w.space.Intervals = intervals
	}
	for d, inputs := range w.inputs {
		w.cutShifts(d)
		copy(w.halved[d], w.space.SplitWidths(inputs))
	}
	if w.apart != nil {
		w.diffMid, w.diffRad = w.space.Differences(w.k, w.apart)
	}
	if w.parallel != nil {
		w.tie() // from here on the lanes hold no boxes any more, but what copies have in common
		w.alignMean(w.parallel)
		w.shift(w.parallel)
	}
	if w.tables != nil {
		w.tables.state = nothing
	}
}
