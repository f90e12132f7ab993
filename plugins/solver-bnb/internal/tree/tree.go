// Package tree is the branch and bound: boxes are cut, bounded and settled, the
// most promising first, until all are or a limit is reached.
//
// It goes in rounds. A round takes leaves from the top of the frontier, cuts each
// in two, and bounds the halves in tasks that share nothing, on as many threads
// as there are; then what the tasks found is put together in their order. So the
// tree does not depend on the number of threads or on time, and nothing is locked
// while boxes are bounded.
package tree

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/bound/batch"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
)

// ErrUnsupported tells of a query that the search cannot answer.
var ErrUnsupported = errors.New("not supported")

// ErrEmpty tells of a region without individuals.
var ErrEmpty = errors.New("empty region")

// Tree is a search. Not safe for concurrent use.
type Tree struct {
	q     *problem.Query
	grid  *grid.Grid
	rules *grid.Rules
	plan  *batch.Plan    // of a network; nil for trees
	trees *ensemble.Plan // of trees; nil for a network
	off   float64        // bounds the error of computed logits, once their inputs are known
	// overlooks: boxes' copies may have one logit, as the network does not see the protected
	// features everywhere.
	overlooks bool
	judge     notion.Notion
	bins      *notion.Bins       // for goals about k
	exact     func() model.Exact // made when first needed
	goal      goal
	pairs     bool // of copies are compared: see pairs.go
	clips     bool // boxes shrink to where values above the cutoff may be
	drops     bool // and keep the copies that may have them
	// pairwise: boxes' two copies are bounded together.
	pairwise bool
	// jointly: so they are for their score gaps.
	jointly bool
	yield   yield // of that, so far
	// joined: some boxes were.
	joined bool
	// splits: boxes may be settled by cases of ReLUs.
	splits   bool
	annealer annealer
	aim      aim // a bound that is searched for, where aims is set in place of what is wanted
	aims     bool
	// fewLeft: there are so few boxes until the limit that leaves are cut once.
	fewLeft bool
	// begun: the search began again with them, when it knew the bound earlier. Until then held are Pieces, each of which is told once.
	begun   bool
	anew    bool // at the region, with all boxes
	earlier float64
	first   Tally
	held    func([]Piece)

	parts   parts // of trees, to be dived for
	depth   int   // of dives: how many nodes they may look at
	workers []*worker
	stop    atomic.Bool

	pass
	// Total is how many individuals the region has, before constraints.
	Total grid.Count
	// Boxes were bounded.
	Boxes int64
	// Best is the best individual found, nil for none.
	Best *Best
	// Pieces, where not nil, is given the boxes that are settled.
	Pieces func([]Piece)
	// Proofs: pieces carry their slopes.
	Proofs bool
	// CasesAfter is how many boxes are bounded before the search begins again and settles boxes by cases of ReLUs; negative for as
	// many as boxesFirst says. 0 begins so.
	CasesAfter int64
	tail       float64    // τ of all boxes, where not 0: see few.go
	range_     [2]float64 // of values, for the frontier's buckets
	fresh      bool       // Best was found since the last climb
	random     *rand.Rand // of climbs
	walked     int64      // leaves that dives have walked through
	climbed    int64      // individuals that climbs have looked at
	summit     summit
}

// pass is one search through the region: its leaves, and what is known of the rest.
type pass struct {
	front *frontier
	// Tally counts individuals: Outside those that turned out not to be asked for, Fair and Unfair those
	// proved to be so.
	Tally
	// Stuck is how many boxes could neither be settled nor cut.
	Stuck  int64
	mass   float64 // individuals in leaves, and in boxes given up
	left   float64 // the bound of boxes given up, for goals with values
	beyond float64 // the largest bound of a leaf beyond the range of values
	cases  cases   // what those of ReLUs have brought so far
}

// newPass is one that has not begun, whose leaves have sets of copies of so many words.
func newPass(g *grid.Grid, setWords int) pass {
	p := pass{front: newFrontier(g), left: math.Inf(-1), beyond: math.Inf(-1), cases: cases{columns: firstColumns}}
	p.front.setWords = setWords
	return p
}

// Tally counts individuals.
type Tally struct{ Outside, Fair, Unfair grid.Count }

// Best is an individual and its value: a gap, a margin or a number of bins.
type Best struct {
	// X is the individual, the first copy with combination Z1; Y with Z2 is the
	// second, where no features are relaxed the same individual.
	X, Y   []float64
	Z1, Z2 int
	Value  float64
}

// New prepares a query for a number of threads; climbs draw from the seed.
func New(q *problem.Query, seed int64, threads int) (*Tree, error) {
	if err := askable(q); err != nil {
		return nil, err
	}
	if err := scored(q); err != nil {
		return nil, err
	}
	g, err := grid.New(q)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEmpty, err)
	}
	t := &Tree{
		q: q, grid: g, rules: grid.NewRules(g, q), judge: notion.New(q.Notion, q.Epsilon), exact: sync.OnceValue(q.Model.Exact),
		random: rand.New(rand.NewPCG(uint64(seed), 0x626e62)), pass: newPass(g, 0), earlier: math.Inf(1), depth: firstDepth, pairs: len(g.Relaxed) > 0 || q.TellsCopiesApart(),
	}
	if err := t.prepare(); err != nil {
		return nil, err
	}
	if t.goal, err = goalOf(q); err != nil {
		return nil, err
	}
	t.goal.counts = t.goal.counts && t.trees == nil // their boxes become constant
	t.clips = t.trees == nil && (t.goal.Goal == problem.MaxK || !t.goal.bins && (t.goal.Goal == problem.Maximise || t.goal.Goal == goalDecide))
	if t.goal.bins {
		if t.bins, err = notion.NewBins(q.Model.Link(), q.Epsilon); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
	}
	two := !t.pairs && g.Lanes() == 2
	t.pairwise = t.clips && two && (q.Notion == fairness.Logit || q.Notion == fairness.Share)
	t.jointly = t.clips && two && q.Notion == fairness.Score && t.goal.values
	// decides: the first violation ends the search, and what is left of a box may be proved to have none.
	decides := t.goal.Goal == goalDecide && !t.goal.bins
	t.splits = t.clips && !t.pairs && (t.goal.values && q.Notion == fairness.Score || decides && (q.Notion == fairness.Score || t.judge.Signs())) ||
		t.goal.counts && two && t.judge.Signs()
	if t.drops = t.clips && !t.pairs && g.Lanes() >= fewest; t.drops {
		t.front.setWords = (g.Lanes() + 63) / 64
	}
	for range max(1, threads) {
		w := newWorker(t)
		if w.trees != nil {
			w.trees.Stop = &t.stop
		}
		t.workers = append(t.workers, w)
	}
	var fits bool
	if t.Total, fits = g.Exactly(g.Whole()); !fits && q.Goal == problem.Quantify {
		return nil, fmt.Errorf("%w: shares of a space of more than 2¹²⁷ individuals, or of more than seven real features", ErrUnsupported)
	}
	return t, nil
}

// prepare makes the plan of the model's family.
func (t *Tree) prepare() error {
	if e, ok := t.q.Model.(*trees.Ensemble); ok {
		plan, err := ensemble.New(e, t.grid)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		t.trees, t.off = plan, plan.Error()
		return nil
	}
	n, err := relu.Of(t.q.Model, "the bounds of many boxes")
	if err != nil {
		return err
	}
	if t.plan, err = batch.New(n, t.grid.Inputs); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	protected := make([]bool, n.Inputs())
	for _, f := range t.grid.Combinations[0].Inputs {
		protected[f.Input] = true
	}
	t.off, t.overlooks = t.plan.Error(), n.Overlooks(protected)
	return nil
}

// scored refuses an ε of scores for which the error of judge's bounds is not known
// to be small against ε and 1 − ε.
func scored(q *problem.Query) error {
	const least = 0x1p-30
	if q.Notion.Unit() != fairness.Score.Unit() {
		return nil
	}
	if eps, _ := q.Epsilon.Float64(); eps < least || eps > 1-least {
		return fmt.Errorf("%w: ε = %s; it can be from 2⁻³⁰ to 1 − 2⁻³⁰", ErrUnsupported, fairness.FormatRat(q.Epsilon))
	}
	return nil
}

// Limits end a search; zeros set none.
type Limits struct {
	Deadline time.Time
	Boxes    int64
	Memory   int64 // bytes of the process: see room
	// Done, where not nil, is asked between rounds whether that is enough.
	Done func() bool
}

// End is why a search ended.
type End uint8

// Ends of a search.
const (
	Complete End = iota // every box is settled or stuck
	Enough              // Limits.Done said so, or the goal was reached
	OutOfTime
	OutOfBoxes
	OutOfMemory
	Cancelled
)

// Run searches. It may be called once.
func (t *Tree) Run(ctx context.Context, l Limits) End {
	defer t.watch(ctx, l)()
	t.splits = t.splits && (t.Pieces == nil || t.Proofs && t.goal.values)
	if t.splits && t.CasesAfter < 0 {
		t.CasesAfter = t.boxesFirst()
	}
	if t.splits && t.CasesAfter > 0 { // until it is known whether the search begins again
		t.held, t.Pieces = t.Pieces, nil
	}
	if t.Proofs {
		t.drops, t.front.setWords = false, 0 // a checker asks for every copy
		t.clips = t.clips && !t.goal.bins    // and knows of no clips for bins
		for _, w := range t.workers {
			w.forAll()
			if w.k != 2 && !t.judge.Signs() {
				w.apart = nil // a checker knows what two copies are apart alone, but for decisions
			}
			if w.space != nil {
				w.space.Shown = true
			}
			if w.splitter != nil {
				w.splitter.prover.Shown = true
			}
		}
	}
	t.range_ = t.valueRange()
	t.seek()
	switch {
	case t.reached():
	case t.dives():
		t.whole()
	default:
		t.round(nil)
	}
	end := t.search(ctx, l)
	if t.held == nil {
		return end
	}
	// Bounds alone do, or there was no time for more. With cases, a checker has fewer leaves to look at.
	if t.begin(); end == Complete || end == Enough {
		end = t.search(ctx, l)
	}
	return end
}

// search goes on until everything is settled, or a limit is reached.
func (t *Tree) search(ctx context.Context, l Limits) End {
	memory := room(l.Memory)
	for {
		switch {
		case t.reached():
			return Enough
		case t.Size() == 0:
			return Complete
		case ctx.Err() != nil:
			return Cancelled
		case t.stop.Load():
			return OutOfTime
		case l.Boxes > 0 && t.Boxes >= l.Boxes:
			return OutOfBoxes
		case memory > 0 && t.bytes() > memory+memory/4:
			return OutOfMemory
		case l.Done != nil && l.Done():
			return Enough
		}
		if len(t.parts) > 0 {
			t.dive(max(0, l.Boxes-t.Boxes))
			continue
		}
		if !t.begun && t.tries() {
			t.begin()
			continue
		}
		if t.annealsNext() {
			t.anneal()
			continue
		}
		if t.aimsNext() {
			t.aimRound(l, memory)
			continue
		}
		if memory > 0 && t.front.bytes() > memory {
			t.round(t.front.takeLast(minRound)) // depth first, which needs little
			continue
		}
		t.round(t.front.take(t.leaves(l)))
	}
}

// leaves is how many leaves a round cuts: few at first, so that good order comes of them soon, and no more than there are boxes until the limit.
func (t *Tree) leaves(l Limits) int {
	n := min(maxRound, max(minRound, t.front.size/4))
	if t.tries() {
		n = min(n, splitRound)
	}
	// Leaves come in pages, so they are cut once where few boxes are left.
	left := l.Boxes - t.Boxes
	t.fewLeft = l.Boxes > 0 && left < 12*pageSize
	switch {
	case l.Boxes == 0:
	case t.cutsTwice():
		n = min(n, int(left/6)-pageSize)
	default:
		n = min(n, int((left+1)/2))
	}
	return n
}

// room is what the boxes to come may take of a process's memory: the rest of the
// program takes some 50 MiB, and the heap grows to twice what is alive before it is
// collected.
func room(memory int64) int64 {
	const rest, least = 48 << 20, 4 << 20
	if memory == 0 {
		return 0
	}
	return max((memory-rest)/2, least)
}

// bytes is the memory that leaves and parts take.
func (t *Tree) bytes() int64 {
	aims := int64(0)
	if t.aim.front != nil {
		aims = t.aim.front.bytes()
	}
	return t.front.bytes() + aims + int64(len(t.parts))*int64(80+8*len(t.q.Space.Features))
}

// watch sets t.stop when the time is over or ctx ends.
func (t *Tree) watch(ctx context.Context, l Limits) (end func()) {
	if !l.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, l.Deadline)
		stop := context.AfterFunc(ctx, func() { t.stop.Store(true) })
		return func() { stop(); cancel() }
	}
	stop := context.AfterFunc(ctx, func() { t.stop.Store(true) })
	return func() { stop() }
}

const (
	minRound = 64
	maxRound = 1 << 15
)

// taskSize is how many leaves a task cuts.
const taskSize = 64

type task struct {
	p        *page
	from, to int
	// Whether all boxes are bounded jointly, or else how many are probed.
	jointly bool
	probes  int
	// chain, where not nil, is followed; nothing is kept but who is found.
	chain *chain
}

// round cuts the leaves of the pages; nil stands for the region, uncut.
func (t *Tree) round(pages []*page) {
	tasks := []task{{}}
	if pages != nil {
		tasks = tasks[:0]
	}
	size := taskSize
	if t.cutsTwice() {
		size /= 4 // at the end of the time tasks are waited for
	}
	if t.tries() {
		size = splitTask
		t.cases.follow()
	}
	for _, p := range pages {
		for from := 0; from < p.len(); from += size {
			tasks = append(tasks, task{p: p, from: from, to: min(from+size, p.len())})
		}
	}
	jointly := t.yield.pays()
	t.joined = t.joined || jointly
	for i := range tasks {
		if tasks[i].jointly = jointly; i*size%(probed*taskSize) == 0 {
			tasks[i].probes = probes
		}
	}
	t.yield.fade()
	t.do(tasks, pages)
}

// do does a round's tasks, which are of these pages.
func (t *Tree) do(tasks []task, pages []*page) {
	outs, broken := make([]*output, len(tasks)), make([]bool, len(tasks))
	var next atomic.Int64
	work := func(w *worker) {
		for i := int(next.Add(1)) - 1; i < len(tasks); i = int(next.Add(1)) - 1 {
			if t.stop.Load() && (tasks[i].p != nil || tasks[i].chain != nil) {
				continue // the leaves go back; the region itself is begun with in any case
			}
			outs[i] = w.run(tasks[i])
			broken[i] = w.broken()
		}
	}
	var others sync.WaitGroup
	for _, w := range t.workers[1:max(1, min(len(t.workers), len(tasks)))] {
		others.Go(func() { work(w) })
	}
	work(t.workers[0])
	others.Wait()
	for i, o := range outs {
		switch {
		case tasks[i].chain != nil:
			if o != nil {
				t.take(o.best)
				o.owner.spare = append(o.owner.spare, o)
			}
		case o == nil:
			t.front.putBack(tasks[i])
		case !broken[i]:
			t.merge(o)
		default: // who was found is found, and all boxes stay as they were
			if t.take(o.best); tasks[i].p == nil {
				t.unbounded()
			} else {
				t.front.putBack(tasks[i])
			}
		}
	}
	t.front.release(pages)
	t.improve()
}

func (t *Tree) merge(o *output) {
	t.Outside, t.Fair, t.Unfair = t.Outside.Add(o.Outside), t.Fair.Add(o.Fair), t.Unfair.Add(o.Unfair)
	t.Boxes += o.bounded
	t.mass += o.mass
	t.Stuck += o.stuck
	t.yield.add(o.yield)
	t.cases.add(o.cases)
	t.left, t.beyond = max(t.left, o.left), max(t.beyond, o.beyond)
	t.take(o.best)
	for i := range o.leaves {
		t.front.push(&o.leaves[i])
	}
	o.owner.spare = append(o.owner.spare, o)
	if t.Pieces != nil && len(o.pieces) > 0 {
		t.Pieces(o.pieces)
	}
}

// Size is the number of leaves and parts.
func (t *Tree) Size() int { return t.front.size + len(t.parts) }

// Share is that of the region, before constraints, which is settled; rounded. It is 0 while
// dives are under way: their parts overlap.
func (t *Tree) Share() float64 {
	if t.Boxes == 0 || len(t.parts) > 0 {
		return 0
	}
	return max(0, min(1, 1-t.mass/t.grid.Size(t.grid.Whole())))
}

// Known is what the search knows by now: where it began again, by what it knew then if that is the larger share.
func (t *Tree) Known() Tally {
	if t.first.share(t.Total) > t.Tally.share(t.Total) {
		return t.first
	}
	return t.Tally
}

// Of is how many individuals a region of total has, as far as is known: an upper bound
// that is reached when nothing is left undecided.
func (t Tally) Of(total grid.Count) grid.Count { return total.Sub(t.Outside) }

// share is that of those individuals who are known to be treated one way or the other; 1 of nobody.
func (t Tally) share(total grid.Count) float64 {
	if of := t.Of(total).Float(); of > 0 {
		return t.Fair.Add(t.Unfair).Float() / of
	}
	return 1
}

// Settled reports that every individual of the region is known to be asked about
// or not, so that it is known exactly how many individuals there are.
func (t *Tree) Settled() bool { return t.rules == nil || t.front.size == 0 && t.Stuck == 0 }
