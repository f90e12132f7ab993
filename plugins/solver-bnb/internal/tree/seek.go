package tree

import "math"

// What the search looks at before it bounds anything: random individuals, and
// climbs from the most promising of them.
const (
	samples = 256
	climbs  = 8
	// triedValues bounds the values of a dimension that a climb tries at a time.
	triedValues = 128
)

// seek looks for a good individual.
func (t *Tree) seek() {
	w := t.workers[0]
	w.out = w.newOutput()
	type start struct {
		x       []float64
		promise float64
	}
	var best []start // the most promising first
	w.points.tell = func(x []float64, v *verdict) {
		w.out.best = t.better(w.out.best, x, v)
		if !v.asked {
			return
		}
		at := len(best)
		for at > 0 && best[at-1].promise < v.promise {
			at--
		}
		if at == climbs {
			return
		}
		best = append(best, start{})
		copy(best[at+1:], best[at:])
		best[at] = start{append([]float64(nil), x...), v.promise}
		best = best[:min(len(best), climbs)]
	}
	x := make([]float64, len(t.grid.Dims))
	if t.q.Near != nil {
		w.points.add(w, t.near(x), true)
	}
	for i := 0; i < samples && !t.stop.Load() && !t.enough(w.out.best); i++ {
		t.anywhere(x)
		w.points.add(w, x, true)
	}
	w.points.flush(w)
	w.points.tell = nil
	for i := 0; i < len(best) && !t.stop.Load() && !t.enough(w.out.best); i++ {
		t.climb(w, best[i].x, best[i].promise)
	}
	t.take(w.out.best)
	t.fresh = false
	w.spare = append(w.spare, w.out)
}

// anywhere makes x a random individual.
func (t *Tree) anywhere(x []float64) {
	for d := range x {
		x[d] = t.grid.Dims[d].Random(t.random)
	}
}

// towardsEnds moves about half of an individual's features to an end of their values,
// where large gaps often are. It leaves one individual out of two alone.
func (t *Tree) towardsEnds(x []float64) {
	if t.random.IntN(2) == 0 {
		return
	}
	for d := range x {
		dim := &t.grid.Dims[d]
		lo, _ := dim.Values(0)
		_, hi := dim.Values(uint64(dim.Cells - 1))
		switch t.random.IntN(4) {
		case 0:
			x[d] = lo
		case 1:
			x[d] = hi
		}
	}
}

// near is the query's point, moved into the region.
func (t *Tree) near(x []float64) []float64 {
	t.grid.Coordinates(x, t.q.Near, t.q.Near)
	return x
}

// enough reports whether b answers the question.
func (t *Tree) enough(b *Best) bool {
	return b != nil && t.goal.Goal == goalDecide
}

// reached reports that nothing more is to be found.
func (t *Tree) reached() bool { return t.enough(t.Best) }

// remember takes in who is evaluated: whoever promises more than promise is put into x, and
// better set.
func (t *Tree) remember(w *worker, x []float64, promise *float64, better *bool) func([]float64, *verdict) {
	return func(y []float64, v *verdict) {
		t.climbed++
		w.out.best = t.better(w.out.best, y, v)
		if v.asked && v.promise > *promise {
			*better, *promise = true, v.promise
			copy(x, y)
		}
	}
}

// climb goes from x to the most promising individual that differs in one feature, for
// gaps to the most promising that differs in each one in turn, until there is none, and
// returns where it ends. Each time around features come in another order: with the same, few tops are reached.
func (t *Tree) climb(w *worker, x []float64, promise float64) (top []float64, reached float64) {
	defer func() { w.points.tell = nil }()
	x = append([]float64(nil), x...)
	next := append([]float64(nil), x...)
	gaps := t.goal.values && !t.goal.bins
	order := make([]int, len(x))
	for d := range order {
		order[d] = d
	}
	for !t.stop.Load() && !t.enough(w.out.best) {
		better := false
		w.points.tell = t.remember(w, next, &promise, &better)
		if gaps {
			order = t.random.Perm(len(x))
		}
		for _, d := range order {
			if t.stop.Load() {
				break
			}
			was := x[d]
			try := func(v float64) {
				if v != was {
					x[d] = v
					w.points.add(w, x, true)
				}
			}
			t.grid.Dims[d].Try(triedValues, try)
			if t.grid.Dims[d].Cells > triedValues {
				t.grid.Dims[d].Steps(was, try)
			}
			x[d] = was
			if gaps { // they have many tops: the nearest will do
				if w.points.flush(w); better {
					copy(x, next)
				}
			}
		}
		w.points.flush(w)
		if !better {
			break
		}
		copy(x, next)
	}
	return x, promise
}

// kicksInVain is after how many kicks improve begins elsewhere.
const kicksInVain = 30

// shareOfClimbs is how many individuals climbs may look at for each box bounded:
// more of them where k is wanted, whose bounds seldom fall while boxes are large.
func (g *goal) shareOfClimbs() float64 {
	if g.bins {
		return 4
	}
	return 0.5
}

// fewerClimbs is after how many individuals climbs for k look at one for each box only:
// by then, few are found, and what is left to do is to bound.
const fewerClimbs = 1 << 19

// leavesOfBox are walked through by a dive while people are evaluated for a box.
const leavesOfBox = 1 << 8

// workOfOctet is about how many coefficients of tableaus are worked out while a box of up to eight lanes is bounded.
const workOfOctet = 1 << 14

// allowed is how many individuals climbs may look at, for what was bounded, walked through and worked out in linear programs.
func (t *Tree) allowed() float64 {
	done := t.Boxes + t.walked/leavesOfBox + t.cases.work/(workOfOctet*int64((t.grid.Lanes()+7)/8))
	return t.goal.shareOfClimbs() * float64(done)
}

// mayStepTwice reports that all steps in two features are a small part of what is allowed.
func (t *Tree) mayStepTwice() bool { return t.twoAway() <= t.allowed()/4 }

// mayClimb reports that climbs may go on.
func (t *Tree) mayClimb() bool {
	if t.isLong() {
		return false // annealing finds more
	}
	most := t.allowed()
	if t.goal.bins {
		most = min(most, fewerClimbs+float64(t.Boxes))
	}
	return float64(t.climbed) < most && t.Size() > 0 && !t.stop.Load()
}

// summit is where climbs have led to.
type summit struct {
	x       []float64
	promise float64
	vain    int  // kicks since it was reached
	paired  bool // nobody two features away has more promise
	begun   int  // at how many individuals climbs have begun anew
	// closest: promise is how near logits are to all bins, where k itself is wanted and does not grow.
	closest bool
}

// improve climbs where the largest value is wanted, as long as that takes a part of
// the time: from the best individual where it is a new one, then from where something
// leads away from the top. Where bins count that is a kick, some features being given random
// values, and after many kicks without success a random individual (iterated local search,
// Lourenço, Martin and Stützle, 2003), every other time by closeness to all bins instead
// of by k; for gaps it is a step in two features at once, and when there is none, in turn a random
// individual and a kick from the best, until annealing takes over.
func (t *Tree) improve() {
	if !t.goal.values {
		return
	}
	w := t.workers[0]
	w.out = w.newOutput()
	x := make([]float64, len(t.grid.Dims))
	if t.fresh {
		t.grid.Coordinates(x, t.Best.X, t.Best.Y)
		t.summit.promise, t.summit.closest = math.Inf(-1), false
		t.ascend(w, x)
	}
	t.fresh = false
	for t.mayClimb() {
		t.take(w.out.best)
		switch {
		case t.summit.x != nil && t.goal.bins && t.summit.vain < kicksInVain:
			copy(x, t.summit.x)
			t.kick(x)
		case t.summit.x != nil && !t.goal.bins && !t.summit.paired && t.mayStepTwice():
			if promise, better := t.inPairs(w, x); better {
				t.summit.x, t.summit.promise = t.climb(w, x, promise)
			} else {
				t.summit.paired = true
			}
			continue
		default:
			t.summit.begun++
			second := t.summit.begun%2 == 0
			t.summit.promise = math.Inf(-1)
			switch {
			case t.goal.bins:
				t.anywhere(x)
				t.summit.closest = second && !t.goal.least
			case second && t.Best != nil:
				t.grid.Coordinates(x, t.Best.X, t.Best.Y)
				t.kick(x)
			default:
				t.anywhere(x)
				t.towardsEnds(x)
			}
		}
		t.ascend(w, x)
	}
	t.take(w.out.best)
	w.spare = append(w.spare, w.out)
}

// kick gives some of an individual's features random values.
func (t *Tree) kick(x []float64) {
	for range 2 + t.random.IntN(3) {
		d := t.random.IntN(len(x))
		x[d] = t.grid.Dims[d].Random(t.random)
	}
}

// ascend climbs from x, and stays on top unless it is lower than where it was.
func (t *Tree) ascend(w *worker, x []float64) {
	top, promise := t.climb(w, x, math.Inf(-1))
	if t.summit.vain++; promise >= t.summit.promise {
		if promise > t.summit.promise {
			t.summit.vain, t.summit.paired = 0, false
		}
		t.summit.x, t.summit.promise = top, promise
	}
}

// twoAway is about how many individuals inPairs looks at.
func (t *Tree) twoAway() float64 {
	sum, squares := 0.0, 0.0
	for d := range t.grid.Dims {
		n := 2 * math.Log2(float64(t.grid.Dims[d].Cells))
		sum, squares = sum+n, squares+n*n
	}
	return (sum*sum - squares) / 2
}

// inPairs makes x the individual of most promise among those that differ from the
// summit in two features, by powers of two: a single step leaves the border where
// scores are steep, which another one may lead back to. It returns its promise,
// and whether that is more than the summit's.
func (t *Tree) inPairs(w *worker, x []float64) (promise float64, better bool) {
	defer func() { w.points.tell = nil }()
	at := append([]float64(nil), t.summit.x...)
	promise = t.summit.promise
	w.points.tell = t.remember(w, x, &promise, &better)
	for d := range at {
		for e := range d {
			one, other := at[d], at[e]
			t.grid.Dims[d].Steps(one, func(v float64) {
				at[d] = v
				t.grid.Dims[e].Steps(other, func(v float64) {
					at[e] = v
					w.points.add(w, at, true)
				})
			})
			at[d], at[e] = one, other
		}
		if t.stop.Load() {
			break
		}
	}
	w.points.flush(w)
	return promise, better
}
