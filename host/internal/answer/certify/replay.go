package certify

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// replayer evaluates points through the original network in exact arithmetic.
type replayer struct {
	q     *problem.Query
	exact model.Exact
	// reach is where the second copy may lie: the region, and what the
	// relaxations let it reach beyond.
	reach space.Region
	eval  *evaluate.Evaluator // made for the first question about bins; see evaluator
}

func newReplayer(q *problem.Query) *replayer {
	return &replayer{q: q, exact: q.Model.Exact(), reach: encode.RelaxedRegion(q)}
}

// admits reports whether the two points are copies of one individual that the
// query speaks of. Either may be the individual of the region, where features
// are relaxed, and the one that the predicates describe.
func (r *replayer) admits(copy1, copy2 []float64) bool {
	return r.admitsInOrder(copy1, copy2) || r.admitsInOrder(copy2, copy1)
}

// admitsInOrder: x is inside region, space and predicates; y is its copy, equal
// in every non-protected feature that is not relaxed.
func (r *replayer) admitsInOrder(x, y []float64) bool {
	s, region := r.q.Space, r.q.RegionOrWhole()
	if !s.Contains(x) || !s.Contains(y) || !s.RegionContains(region, x) || !s.RegionContains(r.reach, y) {
		return false
	}
	differ := false
	for _, i := range s.Protected() {
		if !contains(region.Values[i], x[i]) || !contains(region.Values[i], y[i]) {
			return false
		}
		differ = differ || x[i] != y[i]
	}
	if len(r.q.Relax) > 0 && !differ {
		return false
	}
	for _, i := range s.Free() {
		if !r.near(i, x[i], y[i]) {
			return false
		}
	}
	return r.describes(x)
}

// near reports that a feature may differ so far between the copies.
func (r *replayer) near(feature int, x, y float64) bool {
	if x == y {
		return true
	}
	for _, relax := range r.q.Relax {
		if relax.Feature == feature {
			d := new(big.Rat).SetFloat64(x)
			d.Sub(d, new(big.Rat).SetFloat64(y))
			return d.Abs(d).Cmp(new(big.Rat).SetFloat64(relax.Tolerance)) <= 0
		}
	}
	return false
}

// describes reports that the query's predicates speak of the individual.
func (r *replayer) describes(x []float64) bool {
	for _, p := range r.q.Require {
		if !p.Holds(x) {
			return false
		}
	}
	for _, p := range r.q.Forbid {
		if p.Holds(x) {
			return false
		}
	}
	for _, other := range r.q.Exclude {
		if sameIndividual(r.q.Space.Free(), other, x) {
			return false
		}
	}
	return true
}

func contains(values []float64, v float64) bool {
	for _, w := range values {
		if w == v {
			return true
		}
	}
	return false
}

func sameIndividual(free []int, x, y []float64) bool {
	for _, i := range free {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func (r *replayer) logit(point []float64) *big.Rat {
	return r.exact.Logit(r.q.Space.ExactInputs(point))
}

// witness replays two copies. ok is false where the query does not speak of
// them or they do not violate it at the target.
func (r *replayer) witness(copy1, copy2 []float64, target *big.Rat) (w *Witness, ok bool) {
	if !r.admits(copy1, copy2) {
		return nil, false
	}
	a, b := r.logit(copy1), r.logit(copy2)
	if a.Cmp(b) < 0 {
		a, b, copy1, copy2 = b, a, copy2, copy1
	}
	if !r.q.Notion.Exceeds(a, b, target) {
		return nil, false
	}
	return r.describe(copy1, copy2, a, b), true
}

func (r *replayer) describe(copy1, copy2 []float64, a, b *big.Rat) *Witness {
	w := &Witness{Copy1: copy1, Copy2: copy2, Exact1: a, Exact2: b}
	w.Logit1, _ = a.Float64()
	w.Logit2, _ = b.Float64()
	w.Score1, w.Score2 = fairness.Sigmoid(w.Logit1), fairness.Sigmoid(w.Logit2)
	margin, _ := r.q.Notion.Margin(a, b)
	w.Margin, _ = margin.Float64()
	single := func(point []float64) float64 {
		m, ok := r.q.Model.(model.Single)
		if !ok {
			return math.NaN()
		}
		return fairness.Sigmoid(float64(m.Logit32(r.q.Space.NetworkInputs(nil, point))))
	}
	w.Float32 = single(copy1) - single(copy2)
	return w
}

// individual replays all counterfactuals of x and returns the pair that
// matters most for the notion; ok is false where x has fewer than two, where no
// pair beats the target, or where ctx ends first.
func (r *replayer) individual(ctx context.Context, x []float64, target *big.Rat) (w *Witness, ok bool) {
	points := r.q.Space.Counterfactuals(r.q.RegionOrWhole(), x)
	if len(points) < 2 {
		return nil, false
	}
	logits := make([]*big.Rat, len(points))
	// The extremes of all copies, and of those that the predicates describe,
	// one of which a witness must have.
	hi, lo, top, bottom := 0, 0, -1, -1
	for i, p := range points {
		if ctx.Err() != nil {
			return nil, false
		}
		logits[i] = r.logit(p)
		if logits[i].Cmp(logits[hi]) > 0 {
			hi = i
		}
		if logits[i].Cmp(logits[lo]) < 0 {
			lo = i
		}
		if !r.describes(p) {
			continue
		}
		if top < 0 || logits[i].Cmp(logits[top]) > 0 {
			top = i
		}
		if bottom < 0 || logits[i].Cmp(logits[bottom]) < 0 {
			bottom = i
		}
	}
	if top < 0 {
		return nil, false
	}
	for _, pair := range [][2]int{{top, lo}, {hi, bottom}} {
		a, b := pair[0], pair[1]
		if !r.admits(points[a], points[b]) || !r.q.Notion.Exceeds(logits[a], logits[b], target) {
			continue
		}
		if v := r.describe(points[a], points[b], logits[a], logits[b]); w == nil || v.Margin > w.Margin {
			w = v
		}
		if top == hi && bottom == lo {
			break // the second pair is the first
		}
	}
	return w, w != nil
}

// extreme is the pair of x's counterfactuals whose logits lie furthest apart
// in float64, replayed exactly: the witness an individual deserves. Where
// rounding picks a neighbour of the true extreme, the pair is still a witness.
func (r *replayer) extreme(x []float64, target *big.Rat) (w *Witness, ok bool) {
	var top, bottom []float64
	hi, lo := math.Inf(-1), math.Inf(1)
	inputs := make([]float64, r.q.Space.Inputs)
	r.q.Space.EachCombination(r.q.RegionOrWhole(), x, func(point []float64) {
		if !r.q.Space.Allowed(point) {
			return
		}
		l := r.q.Model.Logit(r.q.Space.NetworkInputs(inputs, point))
		if l > hi {
			hi, top = l, append(top[:0], point...)
		}
		if l < lo {
			lo, bottom = l, append(bottom[:0], point...)
		}
	})
	if !(hi > lo) {
		return nil, false
	}
	return r.witness(top, bottom, target)
}

// evaluator computes k exactly at ε; an error where ε is too small for that.
func (r *replayer) evaluator() (*evaluate.Evaluator, error) {
	if r.eval == nil {
		e, err := evaluate.New(r.q.Model, r.q.Space, r.q.RegionOrWhole(), r.q.Epsilon)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
		}
		r.eval = e
	}
	return r.eval, nil
}

// bins is k of x at ε, exact; 0 for notions without bins.
func (r *replayer) bins(x []float64) (int, error) {
	if !r.q.Notion.Binned() {
		return 0, nil
	}
	e, err := r.evaluator()
	if err != nil {
		return 0, err
	}
	return e.Evaluate(x).K, nil
}

// reaching replays an individual of a query for many bins, for which newRun has
// made the evaluator: the witness that it reaches at least k of them, by the copies
// with the largest and the smallest score; nil where it does not.
func (r *replayer) reaching(x []float64, k int) *Witness {
	e := r.eval
	o := e.Evaluate(x)
	if o.K < k {
		return nil
	}
	a, b := e.Point(x, o.ArgMax), e.Point(x, o.ArgMin)
	if !r.admits(a, b) {
		return nil
	}
	w := r.describe(a, b, r.logit(a), r.logit(b))
	w.K = o.K
	return w
}
