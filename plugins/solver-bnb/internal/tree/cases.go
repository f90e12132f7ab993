package tree

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// cases is how large boxes may be that are settled by cases of ReLUs: those whose linear programs have at most so many columns.
// The limit follows what comes of boxes near it.
type cases struct {
	columns int
	// Of boxes near the limit: how many were tried and settled, in sums of which the latest rounds make up the most.
	tried, settled float64
	// work is how many coefficients of tableaus were worked out.
	work int64
	// ways is how often each of them was asked about two copies or two sets of them, and was enough, in such sums.
	ways [3]struct{ tried, settled float64 }
}

// The ways to settle a box: by one copy alone, the one with the larger score or the other, which are programs of half the size, and by both.
const (
	higher = iota
	lower
	both
)

func (c *cases) add(d cases) {
	c.tried, c.settled, c.work = c.tried+d.tried, c.settled+d.settled, c.work+d.work
	for i, w := range d.ways {
		c.ways[i].tried, c.ways[i].settled = c.ways[i].tried+w.tried, c.ways[i].settled+w.settled
	}
}

// seldom reports that a way is seldom enough where another one is more often.
func (c *cases) seldom(way int) bool {
	if w := c.ways[way]; w.settled >= oftenEnough*w.tried {
		return false
	}
	for _, w := range c.ways {
		if w.settled > 2*oftenEnough*w.tried {
			return true
		}
	}
	return false
}

// follow moves the limit to where about half of the boxes are settled, and up where hardly any near it was tried.
func (c *cases) follow() {
	switch {
	case c.tried < 1 || c.settled >= 0.6*c.tried:
		c.columns = min(c.columns+splitMore, mostColumns)
	case c.settled <= 0.4*c.tried:
		c.columns = max(c.columns-splitMore, leastColumns)
	}
	c.tried, c.settled = splitFading*c.tried, splitFading*c.settled
	for i, w := range c.ways {
		c.ways[i].tried, c.ways[i].settled = splitFading*w.tried, splitFading*w.settled
	}
}

const (
	// splitWork is how many coefficients of tableaus a box may take for both copies, and for each of them alone.
	splitWork = 1 << 26
	// The limit begins with so many columns, and moves by so many a round; so near to it boxes count.
	firstColumns, leastColumns, mostColumns, splitMore, splitNear = 48, 8, 256, 4, 12
	splitFading                                                   = 0.7
	// A way that settles fewer than oftenEnough of what it is asked is tried with a task's first box only, where another one settles twice as many.
	oftenEnough = 0.125
	// mostOfBins is the share of the bins below which the largest k leaves too many lowest and highest bins to ask about.
	mostOfBins = 0.8
	// mostFirst is how many boxes it takes where bounds alone soon close a gap.
	mostFirst = 1 << 13
	// mostCounted is the share of people that bounds settle in about a second from which on boxes are not tried where people are counted.
	mostCounted = 0.4
	// aboutZero makes a logit of 0 one of either sign.
	aboutZero = 0x1p-40
	// Rounds and tasks are small, since each box may take long.
	splitRound, splitTask = 128, 4
)

// tries reports whether boxes may be settled by cases.
func (t *Tree) tries() bool {
	if !t.splits || t.Boxes < t.CasesAfter {
		return false
	}
	if t.goal.counts && !t.begun && t.Tally.share(t.Total) > mostCounted {
		t.splits = false
		return false
	}
	s := t.workers[0].splitter
	s.above(t, t.cutoff())
	return len(s.needs) > 0
}

// begin begins the search again, to settle boxes by cases while they are large: the leaves that there are by now are too small
// for that to be worth its time. What was found is kept; and the bound, unless pieces are to show it.
func (t *Tree) begin() {
	known := t.Bound() // by the cutoffs that there were
	t.begun, t.first = true, t.Tally
	if t.CasesAfter == 0 {
		return
	}
	if t.anew = true; t.Best != nil && t.weighs(t.Best.Value) {
		t.Best = t.Exactly(*t.Best)
	}
	if t.held == nil {
		t.earlier = known
	} else {
		t.Pieces, t.held, t.CasesAfter = t.held, nil, 0
	}
	t.pass = newPass(t.grid, t.front.setWords)
	t.round(nil)
}

// boxesFirst is about how many boxes are bounded in a second or less on one thread; but where a gap is wanted, no more than mostFirst.
func (t *Tree) boxesFirst() int64 {
	weights := 0
	for _, l := range t.plan.Layers() {
		weights += l.In * l.Out
	}
	n := int64(0.6e9 / (5e3 + 1.2*float64(t.grid.Lanes()*weights)))
	if t.goal.bins || !t.goal.values { // climbs often find the largest meanwhile, and the share is to say something
		return n
	}
	return min(n, mostFirst)
}

// need is what two copies' logits are beyond: all of these tangents. Of each alone tells one.
type need struct {
	both  []notion.Tangent
	alone [2][]notion.Tangent
}

// needOf is what needs both of two tangents, of one copy each.
func needOf(both []notion.Tangent) need {
	return need{both, [2][]notion.Tangent{both[:1], both[1:]}}
}

// splitter settles boxes by cases.
type splitter struct {
	prover *relu.Prover
	needs  []need // what a value above cutoff needs: one of these
	cutoff float64
	sides  [2]relu.Side
	own    []bool
	box    grid.Box // at hand, and its first lane
	lane   int
	all    []int // its lanes
	x      []float64
	// shown are the proofs of the box at hand, and bin that which is asked about.
	shown []sdk.CaseProof
	bin   int
}

func newSplitter(w *worker) *splitter {
	s := &splitter{prover: relu.New(w.t.plan)}
	s.prover.Stop = w.t.stop.Load
	s.own = make([]bool, w.t.q.Space.Inputs)
	for _, f := range w.g.Combinations[0].Inputs {
		s.own[f.Input] = true
	}
	s.prover.Steps = make([]relu.Step, w.t.q.Space.Inputs)
	for d := range w.g.Dims {
		if dim := &w.g.Dims[d]; dim.Even {
			for i := range dim.Feeds {
				feed := &dim.Feeds[i]
				s.prover.Steps[feed.Input] = relu.StepOf(feed.Low(0), feed.Low(uint64(dim.Cells-1)), dim.Cells)
			}
		}
	}
	layers := w.t.plan.Layers()
	for k, l := range layers {
		for i := range s.sides {
			if k < len(layers)-1 {
				s.sides[i].Lo, s.sides[i].Hi = append(s.sides[i].Lo, make([]float64, l.Out)), append(s.sides[i].Hi, make([]float64, l.Out))
			}
		}
	}
	for i := range s.sides {
		s.sides[i].Inputs = make([]space.Interval, w.t.q.Space.Inputs)
	}
	s.prover.Found, s.prover.Past = w.lookNear, w.t.goal.bins
	return s
}

// above finds what a value above a cutoff needs, or where people are counted, who is treated unfairly.
func (s *splitter) above(t *Tree, cutoff float64) {
	s.cutoff, s.needs = cutoff, s.needs[:0]
	switch {
	case !t.goal.values && t.judge.Signs(): // a yes and a no
		s.needs = append(s.needs, needOf([]notion.Tangent{{Up: 1, Beyond: -aboutZero}, {Down: 1, Beyond: -aboutZero}}))
	case cutoff < 0: // nobody is known
	case t.goal.bins:
		if cutoff >= mostOfBins*float64(t.bins.Count()) {
			s.needs = t.extremes(int(cutoff), s.needs)
		}
	default:
		if both := notion.Tangents(cutoff, nil); len(both) > 0 {
			alone := notion.Alone(cutoff)
			n := needOf([]notion.Tangent{{Up: 1, Beyond: alone}, {Down: 1, Beyond: alone}})
			n.both = both
			s.needs = append(s.needs, n)
		}
	}
}

// extremes appends what more than k bins need.
func (t *Tree) extremes(k int, out []need) []need {
	for _, both := range t.bins.Extremes(k, nil) {
		out = append(out, needOf(both))
	}
	return out
}

// settledByCases reports whether it proved by cases of ReLUs that nobody in a box, which is what is left of bounded box b, has a value above the cutoff.
func (w *worker) settledByCases(box grid.Box, b int, possible []bool) bool {
	s := w.splitter
	if !w.t.splits || w.t.Boxes < w.t.CasesAfter || len(s.needs) == 0 || w.t.stop.Load() || !w.t.goal.values && !w.t.begun {
		return false
	}
	s.box, s.lane = box, b*w.k
	s.all = s.all[:0]
	for z := range w.k {
		if possible == nil || possible[z] {
			s.all = append(s.all, z)
		}
	}
	columns := 2 * w.openIn(s.all)
	if columns > w.t.cases.columns {
		return false
	}
	settled, left := false, [3]int{splitWork, splitWork, splitWork}
	for again := true; again && left[both] > 0 && len(s.needs) > 0; {
		settled, s.shown = true, nil
		for bin := range s.needs {
			n := &s.needs[bin]
			s.bin = bin
			if len(s.all) == 2 {
				settled = w.apartBy(n, s.all[:1], s.all[1:], &left) && w.apartBy(n, s.all[1:], s.all[:1], &left)
			} else {
				settled = w.apartBy(n, s.all, s.all, &left)
			}
			if !settled {
				break
			}
		}
		if again = false; !settled && w.t.goal.values { // who was met may raise the cutoff
			w.points.flush(w)
			if w.out.best != nil {
				if v := w.t.cutoffOf(w.out.best); v > s.cutoff {
					again = true
					s.above(w.t, v)
				}
			}
		}
	}
	c := &w.out.cases
	c.work += int64(3*splitWork - left[higher] - left[lower] - left[both])
	if columns > w.t.cases.columns-splitNear {
		if c.tried++; settled {
			c.settled++
		}
	}
	return settled
}

// apartBy reports whether it proved that nobody has a lane of a and one of b beyond all tangents of a need, by as many coefficients as are left each way: that nobody has
// one of a, or one of b, beyond its own, or else of both together. Lanes are looked at together, each neuron between the least and the greatest of any.
func (w *worker) apartBy(n *need, a, b []int, left *[3]int) bool {
	s := w.splitter
	if len(a) == 1 && len(b) == 1 && a[0] == b[0] || w.tooNear(n.both, a, b) {
		return true
	}
	w.side(&s.sides[0], a)
	w.side(&s.sides[1], b)
	ways := []int{higher, lower, both}
	if known := &w.t.cases.ways; known[lower].settled > known[higher].settled {
		ways[0], ways[1] = lower, higher
	}
	if w.t.goal.bins { // the optima of both are of people who reach many: one copy alone only costs
		ways = ways[2:]
	}
	for _, way := range ways {
		if left[way] <= 0 || w.t.cases.seldom(way) && w.out.cases.work > 0 {
			continue
		}
		sides, tangents := [2]*relu.Side{&s.sides[0], &s.sides[1]}, n.both
		if way != both {
			sides[1-way], tangents = nil, n.alone[way]
		}
		w.out.cases.ways[way].tried++
		if w.proves(sides, tangents, a, b, &left[way]) {
			w.out.cases.ways[way].settled++
			return true
		}
	}
	return false
}

// proves reports whether it proved that nobody has lanes of a and b beyond tangents, which are of these sides, by as many coefficients as are left.
func (w *worker) proves(sides [2]*relu.Side, tangents []notion.Tangent, a, b []int, left *int) bool {
	p := w.splitter.prover
	proved, took := p.Prove(sides[0], sides[1], w.splitter.own, tangents, *left)
	if *left -= took; proved && p.Shown {
		w.show(a, b)
	}
	return proved
}

// tooNear reports that the lanes' logits alone say so.
func (w *worker) tooNear(need []notion.Tangent, a, b []int) bool {
	e := w.t.off
	mid, rad := w.space.Mid()[w.splitter.lane:], w.space.Rad()[w.splitter.lane:]
	most, least := math.Inf(-1), math.Inf(1)
	for _, z := range a {
		most = max(most, mid[z]+rad[z]+e)
	}
	for _, z := range b {
		least = min(least, mid[z]-rad[z]-e)
	}
	for _, t := range need {
		if v := t.Up*most - t.Down*least; v+0x1p-50*(math.Abs(most)+math.Abs(least)) < t.Beyond {
			return true
		}
	}
	return false
}

// combination is that of a lane of the box at hand.
func (w *worker) combination(z int) *grid.Combination {
	if w.combinations != nil {
		z = w.combinations[w.splitter.lane+z]
	}
	return &w.g.Combinations[z]
}

// side is what is known of lanes of the box at hand, all together.
func (w *worker) side(s *relu.Side, lanes []int) {
	enclose := func(c, r float64) space.Interval {
		if r == 0 {
			return space.Interval{Lo: c, Hi: c}
		}
		return space.Interval{Lo: math.Nextafter(c-r, math.Inf(-1)), Hi: math.Nextafter(c+r, math.Inf(1))}
	}
	box := w.splitter.box
	for d := range w.g.Dims {
		for i := range w.g.Dims[d].Feeds {
			feed := &w.g.Dims[d].Feeds[i]
			s.Inputs[feed.Input] = enclose(feed.Enclose(box[2*d], box[2*d+1]))
		}
	}
	for _, f := range w.g.Fixed {
		s.Inputs[f.Input] = enclose(f.Centre, f.HalfWidth)
	}
	for n, z := range lanes {
		for _, f := range w.combination(z).Inputs {
			iv := enclose(f.Centre, f.HalfWidth)
			if n > 0 {
				iv = space.Interval{Lo: min(iv.Lo, s.Inputs[f.Input].Lo), Hi: max(iv.Hi, s.Inputs[f.Input].Hi)}
			}
			s.Inputs[f.Input] = iv
		}
	}
	w.neurons(s, lanes)
}

// neurons is what is known of the hidden neurons of lanes of the box at hand, all together.
func (w *worker) neurons(s *relu.Side, lanes []int) {
	for k := range s.Lo {
		for j := range s.Lo[k] {
			mid, rad, e := w.space.Neuron(k, j)
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, z := range lanes {
				m, r := mid[w.splitter.lane+z], rad[w.splitter.lane+z]+e
				lo, hi = min(lo, m-r), max(hi, m+r)
			}
			s.Lo[k][j], s.Hi[k][j] = lo, hi
		}
	}
}

// openIn is how many ReLUs are not settled in lanes of the box at hand together.
func (w *worker) openIn(lanes []int) int {
	s := &w.splitter.sides[0]
	w.neurons(s, lanes)
	return w.splitter.prover.Open(s)
}

// show keeps the last proof, of lanes of a above those of b, for a checker.
func (w *worker) show(a, b []int) {
	s := w.splitter
	c := s.prover.Proof()
	c.First.Copies, c.Second.Copies, c.Bin = slices.Clone(a), slices.Clone(b), s.bin
	c.Steps, _ = w.ofFeatures(c.Steps)
	s.shown = append(s.shown, c)
}

// ofFeatures is the first tree of steps, which cut features where they cut inputs, and what follows it.
func (w *worker) ofFeatures(steps []sdk.CaseStep) (tree, rest []sdk.CaseStep) {
	step, rest := steps[0], steps[1:]
	if step.Kind == sdk.CaseEnd {
		return steps[:1:1], rest
	}
	low, rest := w.ofFeatures(rest)
	high, rest := w.ofFeatures(rest)
	if step.Kind == sdk.CaseCut {
		dim, feed := w.fed(step.Feature)
		cell := step.At
		if feed.Low(0) > feed.Low(uint64(dim.Cells-1)) { // the input falls
			cell, low, high = -cell-1, high, low
		}
		step.Feature = dim.Feature
		step.At, _ = dim.Values(uint64(cell))
	}
	return slices.Concat([]sdk.CaseStep{step}, low, high), rest
}

// fed is by what an input is fed that goes by steps.
func (w *worker) fed(input int) (*grid.Dim, *grid.Feed) {
	for i := range w.feeds {
		if f := &w.feeds[i]; f.Input == input {
			return &w.g.Dims[f.dim], f.Feed
		}
	}
	panic("no feature feeds the input")
}

// lookNear looks at the individual of the box whose inputs are about these.
func (w *worker) lookNear(inputs []float64) {
	s := w.splitter
	s.x = s.x[:0]
	for d := range w.g.Dims {
		dim := &w.g.Dims[d]
		from, to := s.box[2*d], s.box[2*d+1]
		cell := from
		if len(dim.Feeds) > 0 && from < to {
			feed := &dim.Feeds[0]
			lo, hi := feed.Low(from), feed.Low(to)
			if share := (inputs[feed.Input] - lo) / (hi - lo); share > 0 {
				cell = from + uint64(math.Round(min(share, 1)*float64(to-from)))
			}
		}
		s.x = append(s.x, dim.Middle(cell))
	}
	w.points.add(w, s.x, true)
}
