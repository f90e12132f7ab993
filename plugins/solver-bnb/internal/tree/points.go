package tree

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/bound/batch"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// points evaluates individuals, some at a time.
type points struct {
	t     *Tree
	space *batch.Workspace
	each  int
	n     int
	xs    []float64 // of those that wait, a value a dimension
	probe []bool    // of those: looked at on the way, and not counted
	x     []float64
	lo    []float64
	hi    []float64
	room  notion.Room
	// tell, where not nil, hears of every individual instead of the task.
	tell func(x []float64, v *verdict)

	matching *matching // where pairs are compared

	trees  *ensemble.Boxes // where the model is trees, which are evaluated one by one
	logits []float64
}

// verdict is what is known of an individual.
type verdict struct {
	asked    bool // it is in the space, and the query asks about it
	violates bool
	value    float64 // as goals with values have it
	promise  float64 // grows towards what is looked for
	z1, z2   int     // of the largest and the smallest logit; in a pair, of the first copy and the second
	sure     bool    // violates is
	single   bool    // has no value: there is no second counterfactual
}

func newPoints(t *Tree) *points {
	k := t.grid.Lanes()
	p := &points{t: t, each: max(1, 2*lanesTogether/k), lo: make([]float64, k), hi: make([]float64, k)}
	if t.pairs {
		p.matching = newMatching(t, k)
	}
	if t.trees != nil {
		p.trees, p.logits = t.trees.NewBoxes(), make([]float64, k)
		return p
	}
	p.space = t.plan.NewWorkspace(p.each * k)
	fixInputs(t.grid, p.space)
	return p
}

// enumerate evaluates every individual of a box without real features.
func (p *points) enumerate(w *worker, box grid.Box) {
	dims := p.t.grid.Dims
	x, ends := make([]float64, len(dims)), make([][2]float64, len(dims))
	for d := range dims {
		lo, _ := dims[d].Values(box[2*d])
		_, hi := dims[d].Values(box[2*d+1])
		x[d], ends[d] = lo, [2]float64{lo, hi}
	}
	before := w.out.Tally
	for {
		p.add(w, x, false)
		d := 0
		for ; d < len(x); d++ {
			if x[d]++; x[d] <= ends[d][1] {
				break
			}
			x[d] = ends[d][0]
		}
		if d == len(x) {
			break
		}
	}
	if p.t.Pieces != nil {
		p.flush(w) // the piece says what became of them
		w.enumerated(box, w.out.Fair.Sub(before.Fair).Float(), w.out.Unfair.Sub(before.Unfair).Float())
	}
}

// middle looks at an individual in the middle of a box.
func (p *points) middle(w *worker, box grid.Box) {
	p.x = p.x[:0]
	for d := range p.t.grid.Dims {
		p.x = append(p.x, p.t.grid.Dims[d].Middle(middle(box, d)))
	}
	p.add(w, p.x, true)
}

// add puts an individual into the lanes.
func (p *points) add(w *worker, x []float64, probe bool) {
	if p.trees != nil {
		v := p.judgeTrees(x)
		if p.tell != nil {
			p.tell(x, &v)
		} else {
			w.learn(x, &v, probe)
		}
		return
	}
	k := len(p.lo)
	for d := range x {
		dim := &p.t.grid.Dims[d]
		for f := range dim.Feeds {
			c := p.t.grid.Input(d, f, x[d])
			row := p.space.Centre(dim.Feeds[f].Input)[p.n*k : (p.n+1)*k]
			for z := range row {
				row[z] = c
			}
		}
	}
	p.relax(x)
	p.xs, p.probe = append(p.xs, x...), append(p.probe, probe)
	if p.n++; p.n == p.each {
		p.flush(w)
	}
}

// flush evaluates the individuals that wait.
func (p *points) flush(w *worker) {
	if p.n == 0 {
		return
	}
	p.space.Evaluate()
	k, dims := len(p.lo), len(p.t.grid.Dims)
	for i := range p.n {
		x := p.xs[i*dims : (i+1)*dims]
		v := p.judge(x, p.space.Mid()[i*k:(i+1)*k])
		if p.tell != nil {
			p.tell(x, &v)
		} else {
			w.learn(x, &v, p.probe[i])
		}
	}
	p.n, p.xs, p.probe = 0, p.xs[:0], p.probe[:0]
}

// judge says what an individual's logits mean.
func (p *points) judge(x, logits []float64) (v verdict) {
	t := p.t
	e := t.off
	for z, l := range logits {
		p.lo[z], p.hi[z] = l-e, l+e
	}
	if t.pairs {
		return p.pair(x, logits)
	}
	var allowed []bool
	if t.rules != nil {
		point := t.grid.Point(x)
		if !t.rules.Asks(point) {
			return v
		}
		allowed = t.rules.Allowed(point)
		if !slices.Contains(allowed, true) {
			return v
		}
	}
	v.asked = true
	s := notion.Gather(p.lo, p.hi, allowed, allowed)
	v.z1, v.z2 = ends(logits, allowed)
	high, low := logits[v.z1], logits[v.z2]
	v.promise, v.value = t.judge.Promise(high, low), t.judge.Between(high, low)
	if t.q.Notion.Jumps() && t.goal.values && math.Abs(low) <= e { // is it a "no"?
		v.value, _ = t.q.Notion.Gap(p.exact(x, allowed))
	}
	if !s.Sure { // a single counterfactual: fair, with the gap 0, and there is no largest one of a pair
		v.sure, v.single = true, !t.goal.bins && !t.goal.least
	} else {
		th := t.judge.Thresholds(&s)
		v.violates = th.From < 0 && th.To >= 0
		v.sure = v.violates || th.Above < 0 || th.Below >= 0
	}
	if t.goal.bins {
		least, most := t.bins.Range(&p.room, p.lo, p.hi, allowed)
		if most != least {
			least = t.q.Model.Link().KBins(p.exact(x, allowed), t.q.Epsilon)
		}
		if p.tell != nil && t.summit.closest {
			v.promise = -t.bins.Short(&p.room, logits, allowed)
		} else {
			// Of equal k, what is on the way to a larger one: of 4096 bins at most 12 bits, and a gap below 1.
			v.promise = float64(least) + p.room.Entropy(t.bins.Count())/32 + t.q.Model.Link().Notion(fairness.Score).Between(high, low)/2
		}
		if t.goal.values {
			v.value = float64(least)
		}
		if t.goal.reach > 0 {
			v.violates, v.sure = least >= t.goal.reach, true
		}
	}
	if !v.sure && !t.goal.values {
		v.violates, v.sure = t.q.Notion.Violates(p.exact(x, allowed), t.q.Epsilon), true
	}
	if t.goal.least {
		v.value, v.promise = -v.value, -v.promise
	}
	return v
}

// ends finds the combinations of largest and smallest logit, which differ where
// more than one is allowed.
func ends(logits []float64, allowed []bool) (most, least int) {
	most, least = -1, -1
	for z, l := range logits {
		if allowed != nil && !allowed[z] {
			continue
		}
		if most < 0 || l > logits[most] {
			most = z
		}
		if least < 0 || l <= logits[least] {
			least = z
		}
	}
	return most, least
}

// exact computes the logits of the allowed combinations.
func (p *points) exact(x []float64, allowed []bool) []*big.Rat {
	point := p.t.grid.Point(x)
	var out []*big.Rat
	for z := range p.t.grid.Combinations {
		if allowed == nil || allowed[z] {
			out = append(out, p.t.logit(point, z))
		}
	}
	return out
}

// learn takes an individual into the task's output; a probe belongs to a box
// that is not enumerated.
func (w *worker) learn(x []float64, v *verdict, probe bool) {
	switch {
	case probe:
	case !v.asked:
		w.out.Outside = w.out.Outside.Add(grid.Of(1))
	case v.violates:
		w.out.Unfair = w.out.Unfair.Add(grid.Of(1))
	default:
		w.out.Fair = w.out.Fair.Add(grid.Of(1))
	}
	w.out.best = w.t.better(w.out.best, x, v)
}

// better is the better of an individual and the best so far.
func (t *Tree) better(best *Best, x []float64, v *verdict) *Best {
	if !v.asked || t.goal.values && (v.single || math.IsInf(v.value, -1)) || !t.goal.values && !v.violates {
		return best
	}
	weighed, blur := t.weighs(v.value), 0.0
	if weighed {
		if blur = t.blur(v.value); best == nil || t.Best != nil && best.Value < t.Best.Value {
			best = t.Best
		}
	}
	if best != nil && (!t.goal.values || v.value <= best.Value-blur) {
		return best
	}
	point := t.grid.Point(x)
	for _, other := range t.q.Exclude {
		if slices.Equal(t.q.Space.Canonical(other), t.q.Space.Canonical(point)) {
			return best
		}
	}
	b := &Best{X: point, Y: t.grid.Partner(x), Z1: v.z1, Z2: v.z2, Value: v.value}
	if !weighed {
		return b
	}
	if best != nil && slices.Equal(b.X, best.X) && slices.Equal(b.Y, best.Y) {
		return best
	}
	if b = t.Exactly(*b); best != nil && b.Value <= best.Value {
		return best
	}
	return b
}

// take keeps the better of two.
func (t *Tree) take(b *Best) {
	if b != nil && (t.Best == nil || t.goal.values && b.Value > t.Best.Value) {
		t.Best = b
		t.fresh = true
	}
}
