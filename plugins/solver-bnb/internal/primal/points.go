// Package primal has primal heuristics: it chooses individuals and evaluates them.
package primal

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Points evaluates individuals on one thread, in batches.
type Points struct {
	*goal.Store
	// Learn receives every individual that was added. probe is set if it does not come from an
	// enumerated box.
	Learn func(x []float64, v *goal.Individual, probe bool)
	// Listen, if not nil, receives the individuals instead of Learn.
	Listen func(x []float64, v *goal.Individual)
	// Closest, together with Listen, makes an individual's promise the closeness of its
	// logits to all bins.
	Closest bool
	batch   *batch.Workspace
	slots   int
	xs      []float64 // the waiting individuals, a value per dimension
	probe   []bool
	lo, hi  []float64
	room    notion.Room
	pairing *relax.Pairing  // nil unless pairs are compared
	trees   *ensemble.Boxes // nil unless the model is trees, which are evaluated one by one
	logits  []float64
}

// NewPoints returns Points for a network, or for trees if plan is not nil.
func NewPoints(s *goal.Store, plan *ensemble.Plan) *Points {
	k := s.Grid.Lanes()
	p := &Points{Store: s, slots: max(1, 2*relax.Together/k), lo: make([]float64, k), hi: make([]float64, k)}
	if s.Pairs {
		p.pairing = relax.NewPairing(s.Problem, k, false)
	}
	if plan != nil {
		p.trees, p.logits = plan.NewBoxes(), make([]float64, k)
		return p
	}
	p.batch = s.Network.NewWorkspace(p.slots * k)
	s.FixInputs(p.batch)
	return p
}

// Add evaluates an individual, possibly later in a batch with others: see Flush.
func (p *Points) Add(x []float64, probe bool) {
	if p.trees != nil {
		v := p.Trees(x)
		p.tell(x, &v, probe)
		return
	}
	k, n, g := len(p.lo), len(p.probe), p.Grid
	for d := range x {
		dim := &g.Dims[d]
		for f := range dim.Feeds {
			c := g.Input(d, f, x[d])
			row := p.batch.Centre(dim.Feeds[f].Input)[n*k : (n+1)*k]
			for z := range row {
				row[z] = c
			}
		}
	}
	p.addSecond(x, n)
	p.xs, p.probe = append(p.xs, x...), append(p.probe, probe)
	if n+1 == p.slots {
		p.Flush()
	}
}

// addSecond sets the inputs of an individual's second copy, if features are relaxed.
func (p *Points) addSecond(x []float64, n int) {
	k := len(p.lo)
	for i := range p.Grid.Relaxed {
		r := &p.Grid.Relaxed[i]
		y := r.Value(p.Grid, x)
		for f, in := range p.Query.Space.Features[r.Feature].Inputs {
			c, row := p.Grid.Fed(r.Feature, f, y), p.batch.Centre(in.Index)[n*k+k/2:(n+1)*k]
			for z := range row {
				row[z] = c
			}
		}
	}
}

// Flush evaluates the waiting individuals.
func (p *Points) Flush() {
	n := len(p.probe)
	if n == 0 {
		return
	}
	p.batch.Evaluate()
	k, dims := len(p.lo), len(p.Grid.Dims)
	for i := range n {
		x := p.xs[i*dims : (i+1)*dims]
		v := p.judge(x, p.batch.Mid()[i*k:(i+1)*k])
		p.tell(x, &v, p.probe[i])
	}
	p.xs, p.probe = p.xs[:0], p.probe[:0]
}

func (p *Points) tell(x []float64, v *goal.Individual, probe bool) {
	if p.Listen != nil {
		p.Listen(x, v)
	} else {
		p.Learn(x, v, probe)
	}
}

// Enumerate evaluates every individual of a box without real features.
func (p *Points) Enumerate(box grid.Box) {
	dims := p.Grid.Dims
	x, ends := make([]float64, len(dims)), make([][2]float64, len(dims))
	for d := range dims {
		lo, _ := dims[d].Values(box[2*d])
		_, hi := dims[d].Values(box[2*d+1])
		x[d], ends[d] = lo, [2]float64{lo, hi}
	}
	for {
		p.Add(x, false)
		d := 0
		for ; d < len(x); d++ {
			if x[d]++; x[d] <= ends[d][1] {
				break
			}
			x[d] = ends[d][0]
		}
		if d == len(x) {
			return
		}
	}
}

// Trees evaluates an individual if the model is trees. It does not wait for a batch.
func (p *Points) Trees(x []float64) goal.Individual {
	one := p.Grid.Point(x)
	two := one
	if len(p.Grid.Relaxed) > 0 {
		two = p.Grid.Partner(x)
	}
	p.trees.Logits(p.logits, one, two)
	return p.judge(x, p.logits)
}

// judge derives an individual's value, promise and violation from its logits.
func (p *Points) judge(x, logits []float64) (v goal.Individual) {
	e := p.Error
	for z, l := range logits {
		p.lo[z], p.hi[z] = l-e, l+e
	}
	if p.Pairs {
		return p.pair(x, logits)
	}
	var allowed []bool
	if p.Rules != nil {
		point := p.Grid.Point(x)
		if !p.Rules.Asks(point) {
			return v
		}
		allowed = p.Rules.Allowed(point)
		if !slices.Contains(allowed, true) {
			return v
		}
	}
	v.Asked = true
	s := notion.Gather(p.lo, p.hi, allowed, allowed)
	v.Z1, v.Z2 = extremes(logits, allowed)
	high, low := logits[v.Z1], logits[v.Z2]
	v.Promise, v.Value = p.Notion.Promise(high, low), p.Notion.Between(high, low)
	if p.Query.Notion.Jumps() && p.Values && math.Abs(low) <= e { // its sign decides
		v.Value, _ = p.Query.Notion.Gap(p.exact(x, allowed))
	}
	if !s.Sure { // a single counterfactual: fair with gap 0, and not a pair
		v.Sure, v.Single = true, !p.Binned && !p.Least
	} else {
		th := p.Notion.Thresholds(&s)
		v.Violates = th.From < 0 && th.To >= 0
		v.Sure = v.Violates || th.Above < 0 || th.Below >= 0
	}
	if p.Binned {
		p.binned(&v, x, logits, allowed)
	}
	if !v.Sure && !p.Values {
		v.Violates, v.Sure = p.Query.Notion.Violates(p.exact(x, allowed), p.Query.Epsilon), true
	}
	if p.Least {
		v.Value, v.Promise = -v.Value, -v.Promise
	}
	return v
}

// binned evaluates an individual's logits if bins are counted.
func (p *Points) binned(v *goal.Individual, x, logits []float64, allowed []bool) {
	least, most := p.Bins.Range(&p.room, p.lo, p.hi, allowed)
	if most != least {
		bins := p.Query.Binning()
		least = bins.K(p.exact(x, allowed))
	}
	if p.Listen != nil && p.Closest {
		v.Promise = -p.Bins.Short(&p.room, logits, allowed)
	} else {
		// Of individuals with equal k, one closer to a larger k is more promising. What is added to k is below 1:
		// the entropy of 4096 bins is at most 12 bits, and a gap is at most 1.
		v.Promise = float64(least) + p.room.Entropy(p.Bins.Count())/32 + p.Query.Model.Link().Notion(fairness.Score).Between(logits[v.Z1], logits[v.Z2])/2
	}
	if p.Values {
		v.Value = float64(least)
	}
	if p.Reach > 0 {
		v.Violates, v.Sure = least >= p.Reach, true
	}
}

// extremes returns the combinations with the largest and the smallest logit, which differ
// if more than one is allowed.
func extremes(logits []float64, allowed []bool) (most, least int) {
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

// exact returns the exact logits of the allowed combinations; nil allows all.
func (p *Points) exact(x []float64, allowed []bool) []*big.Rat {
	point := p.Grid.Point(x)
	var out []*big.Rat
	for z := range p.Grid.Combinations {
		if allowed == nil || allowed[z] {
			out = append(out, p.Logit(point, z))
		}
	}
	return out
}
