package partition

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// maxApart is the largest number of protected combinations that are bounded one by one; more
// are bounded together.
const maxApart = 16

// finding is the result for a part.
type finding struct {
	verdict engine.Verdict
	by      engine.Method
	grade   sdk.Grade // of Fair
	witness *individual.Witness
}

// pruner decides parts by rigorous bounds and by points that it finds. Not safe for concurrent
// use.
type pruner struct {
	q       *problem.Query
	replay  *individual.Judge
	exceed  *big.Rat      // target, exact
	target  float64       // exceed in float64
	apart   [][][]float64 // lists of protected values, each bounded on its own
	inputs  []float64
	tracker []float64 // logits of the copies of an individual
	step    int       // every step-th copy is evaluated in float64
	// compares: boxes are also proved by the difference of two copies' logits.
	compares bool
}

func newPruner(q *problem.Query) *pruner {
	p := &pruner{q: q, replay: individual.NewJudge(q), exceed: q.Notion.Threshold(q.Epsilon), inputs: make([]float64, q.Space.Inputs)}
	p.target, _ = p.exceed.Float64()
	p.step = max(1, q.RegionOrWhole().Count()/maxCopies)
	p.apart, p.compares = combinations(q), compares(q)
	return p
}

// combinations lists each protected combination as value lists of a region; if there are more
// than maxApart, it returns the query's own lists.
func combinations(q *problem.Query) [][][]float64 {
	region := q.RegionOrWhole()
	out := [][][]float64{make([][]float64, len(region.Values))}
	if region.Count() > maxApart {
		return [][][]float64{region.Values}
	}
	for _, i := range q.Space.Protected() {
		var next [][][]float64
		for _, values := range out {
			for _, v := range region.Values[i] {
				one := append([][]float64(nil), values...)
				one[i] = []float64{v}
				next = append(next, one)
			}
		}
		out = next
	}
	return out
}

// decide works through a part box by box. boxes bounds the number of splits.
func (p *pruner) decide(ctx context.Context, part space.Region, boxes int, rng *rand.Rand) finding {
	if part.Count() < 2 {
		return finding{verdict: engine.Fair, by: engine.ByBounds, grade: sdk.GradeExact}
	}
	if w := p.sample(ctx, part, rng); w != nil {
		return finding{verdict: engine.Unfair, by: engine.BySampling, witness: w}
	}
	open := []space.Region{part}
	for used := 0; len(open) > 0; used++ {
		if used == boxes || ctx.Err() != nil {
			return finding{}
		}
		box := open[len(open)-1]
		open = open[:len(open)-1]
		if p.fair(box) {
			continue
		}
		x := centre(p.q.Space, box)
		if w := p.seek(ctx, box, x); w != nil {
			return finding{verdict: engine.Unfair, by: engine.BySampling, witness: w}
		}
		low, high, ok := p.split(box, x)
		if !ok {
			// Bounds cannot decide this individual. Exact evaluation does, unless --relax
			// allows copies that are other individuals.
			if len(p.q.Relax) > 0 || !p.single(box) {
				return finding{}
			}
			w := p.replay.Worst(ctx, x, p.exceed)
			if w != nil {
				return finding{verdict: engine.Unfair, by: engine.BySampling, witness: w}
			}
			if ctx.Err() != nil {
				return finding{}
			}
			continue
		}
		open = append(open, low, high)
	}
	return finding{verdict: engine.Fair, by: engine.ByBounds, grade: sdk.GradeRigorous}
}

// single reports whether a box holds one individual.
func (p *pruner) single(box space.Region) bool {
	for _, i := range p.q.Space.Free() {
		if box.Box[i].Lo != box.Box[i].Hi {
			return false
		}
	}
	return true
}

// fair reports whether bounds prove a box fair: no two logits in the copies' enclosures violate
// the notion.
func (p *pruner) fair(box space.Region) bool {
	q := *p.q
	q.Region = box
	reach := encode.RelaxedRegion(&q)
	hi, lo := math.Inf(-1), math.Inf(1)
	// Both logits may be from the same enclosure: several combinations may be bounded together.
	// If each is bounded on its own, such a pair is a single copy, and the check only loses
	// precision.
	for _, values := range p.apart {
		reach.Values = values
		b := bound.Linear(p.q.Model, bound.Inputs(p.q.Space, reach))
		if math.IsNaN(b.Logit.Lo) || math.IsNaN(b.Logit.Hi) {
			return false
		}
		hi, lo = math.Max(hi, b.Logit.Hi), math.Min(lo, b.Logit.Lo)
	}
	return !p.q.Notion.Possible(hi, lo, math.Inf(1), p.target) || p.compares && !p.q.Notion.Possible(hi, lo, p.difference(&q, reach), p.target)
}

// difference bounds the distance of the logits of two copies that differ in protected features
// only: far tighter than the difference of their enclosures.
func (p *pruner) difference(q *problem.Query, reach space.Region) float64 {
	reach.Values = p.q.RegionOrWhole().Values
	b := bound.Linear(p.q.Model, bound.Inputs(p.q.Space, reach))
	return encode.Difference(q, b).Logit.Hi
}

// compares reports whether the difference of two copies' logits may settle boxes that the
// copies' own enclosures do not. For decisions it does so only if it is 0.
func compares(q *problem.Query) bool {
	n, ok := q.Model.(*relu.Network)
	if q.Notion.UsesEpsilon() || !ok {
		return true
	}
	differs := make([]bool, q.Space.Inputs)
	for i := range q.Space.Features {
		f := &q.Space.Features[i]
		if _, relaxed := q.Tolerance(i); relaxed || f.IsProtected() {
			for k := range f.Inputs {
				differs[f.Inputs[k].Index] = true
			}
		}
	}
	return n.Overlooks(differs)
}

// split bisects a box along the feature that moves the logit most.
func (p *pruner) split(box space.Region, x []float64) (low, high space.Region, ok bool) {
	best, most := -1, -1.0
	for _, i := range p.q.Space.Free() {
		f, iv := &p.q.Space.Features[i], box.Box[i]
		if !(iv.Hi > iv.Lo) || !f.Discrete() && iv.Hi-iv.Lo < (f.Hi-f.Lo)*minSplit {
			continue
		}
		at := x[i]
		x[i] = iv.Lo
		below := p.logit(x)
		x[i] = iv.Hi
		above := p.logit(x)
		x[i] = at
		// The share of the domain breaks ties where the network is flat.
		if moved := math.Abs(above-below) + 1e-6*(iv.Hi-iv.Lo)/math.Max(1, f.Hi-f.Lo); moved > most {
			best, most = i, moved
		}
	}
	if best < 0 {
		return low, high, false
	}
	low, high = box.Clone(), box.Clone()
	low.Box[best], high.Box[best] = space.Bisect(box.Box[best], p.q.Space.Features[best].Discrete())
	return low, high, true
}

// minSplit: a real feature is not bisected below this share of its domain.
const minSplit = 1.0 / (1 << 10)

// logit evaluates the individual's first copy, which represents all copies when features are
// compared.
func (p *pruner) logit(x []float64) float64 {
	values := p.q.RegionOrWhole().Values
	for _, i := range p.q.Space.Protected() {
		x[i] = values[i][0]
	}
	return p.q.Model.Logit(p.q.Space.NetworkInputs(p.inputs, x))
}

func centre(s *space.Space, box space.Region) []float64 {
	x := make([]float64, len(s.Features))
	for _, i := range s.Free() {
		iv := box.Box[i]
		if x[i] = iv.Lo + (iv.Hi-iv.Lo)/2; s.Features[i].Discrete() {
			x[i] = math.Floor(x[i])
		}
	}
	return x
}
