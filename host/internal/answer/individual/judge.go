package individual

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Judge says what is true of the individuals and the copies that a question is about:
// whatever it says is exact. Safe for concurrent use.
type Judge struct {
	q     *problem.Query
	exact model.Exact
	// scored is the model that scores are shown of, shown its exact evaluation.
	scored model.Model
	shown  model.Exact
	// reach is where the second copy may lie: the region, and what the
	// relaxations let it reach beyond.
	reach space.Region
	fast  func() (*evaluate.Evaluator, error)
}

// NewJudge is a judge of a valid question.
func NewJudge(q *problem.Query) *Judge {
	j := &Judge{q: q, exact: q.Model.Exact(), reach: encode.RelaxedRegion(q), scored: q.Model}
	if j.shown = j.exact; q.Scored != nil {
		j.scored, j.shown = q.Scored, q.Scored.Exact()
	}
	j.fast = sync.OnceValues(func() (*evaluate.Evaluator, error) {
		eps := q.Epsilon
		if !q.Notion.Binned() {
			eps = big.NewRat(1, 20) // of no consequence: bins are not asked for
		}
		e, err := evaluate.New(q.Model, q.Space, q.RegionOrWhole(), eps)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
		}
		return e, nil
	})
	return j
}

// Evaluator evaluates the question's individuals fast, at its ε where it has bins;
// sdk.ErrUnsupported where it cannot: of too many combinations, for example. It is
// made at the first call.
func (j *Judge) Evaluator() (*evaluate.Evaluator, error) { return j.fast() }

// Admits reports whether the two points are copies of one individual that the
// query speaks of. Either may be the individual of the region, where features
// are relaxed, and the one that the predicates describe.
func (j *Judge) Admits(copy1, copy2 []float64) bool {
	return j.admitsInOrder(copy1, copy2) || j.admitsInOrder(copy2, copy1)
}

// admitsInOrder: x is inside region, space and predicates; y is its copy, equal
// in every non-protected feature that is not relaxed.
func (j *Judge) admitsInOrder(x, y []float64) bool {
	s, region := j.q.Space, j.q.RegionOrWhole()
	if !s.Contains(x) || !s.Contains(y) || !s.RegionContains(region, x) || !s.RegionContains(j.reach, y) {
		return false
	}
	differ := false
	for _, i := range s.Protected() {
		if !slices.Contains(region.Values[i], x[i]) || !slices.Contains(region.Values[i], y[i]) {
			return false
		}
		differ = differ || x[i] != y[i]
	}
	if len(j.q.Relax) > 0 && !differ {
		return false
	}
	for _, i := range s.Free() {
		if !j.near(i, x[i], y[i]) {
			return false
		}
	}
	return j.Describes(x)
}

// near reports that a feature may differ so far between the copies.
func (j *Judge) near(feature int, x, y float64) bool {
	if x == y {
		return true
	}
	most, relaxed := j.q.Tolerance(feature)
	d := new(big.Rat).SetFloat64(x)
	d.Sub(d, new(big.Rat).SetFloat64(y))
	return relaxed && d.Abs(d).Cmp(new(big.Rat).SetFloat64(most)) <= 0
}

// Describes reports that the query's predicates speak of the individual, and that it
// is not left out.
func (j *Judge) Describes(x []float64) bool { return j.q.Describes(x) && !j.q.Excludes(x) }

// Asked reports that x is an individual that the question is about, if it has a
// counterfactual.
func (j *Judge) Asked(x []float64) bool {
	return len(x) == len(j.q.Space.Features) && j.q.Space.RegionContains(j.q.RegionOrWhole(), x) && j.Describes(x)
}

// Shown is the exact logit of a point that witnesses show: of the model that scores are of.
func (j *Judge) Shown(point []float64) *big.Rat {
	return j.shown.Logit(j.q.Space.ExactInputs(point))
}

// Logit evaluates the query's model at a point, exactly.
func (j *Judge) Logit(point []float64) *big.Rat {
	return j.exact.Logit(j.q.Space.ExactInputs(point))
}

// Pair is the witness that two copies are; nil where the query does not speak of
// them or they do not exceed the target.
func (j *Judge) Pair(copy1, copy2 []float64, target *big.Rat) *Witness {
	if !j.Admits(copy1, copy2) {
		return nil
	}
	a, b := j.Logit(copy1), j.Logit(copy2)
	if a.Cmp(b) < 0 {
		a, b, copy1, copy2 = b, a, copy2, copy1
	}
	if !j.q.Notion.Exceeds(a, b, target) {
		return nil
	}
	return j.witness(copy1, copy2, a, b)
}

func (j *Judge) witness(copy1, copy2 []float64, a, b *big.Rat) *Witness {
	link := j.scored.Link()
	w := &Witness{Exact1: a, Exact2: b}
	w.Copy1, w.Copy2 = copy1, copy2
	margin, _ := j.q.Notion.Margin(a, b)
	w.Margin, _ = margin.Float64()
	if j.q.Scored != nil {
		a, b = j.Shown(copy1), j.Shown(copy2)
	}
	w.Logit1, _ = a.Float64()
	w.Logit2, _ = b.Float64()
	w.Score1, w.Score2 = link.Score(w.Logit1), link.Score(w.Logit2)
	single := func(point []float64) float64 {
		m, ok := j.scored.(model.Single)
		if !ok {
			return math.NaN()
		}
		return link.Score(float64(m.Logit32(j.q.Space.NetworkInputs(nil, point))))
	}
	w.Float32 = single(copy1) - single(copy2)
	return w
}

// Worst evaluates all counterfactuals of x exactly and is the pair of them that
// matters most for the notion; nil where x has fewer than two, where no pair exceeds
// the target, or where ctx ends first.
func (j *Judge) Worst(ctx context.Context, x []float64, target *big.Rat) (w *Witness) {
	points := j.q.Space.Counterfactuals(j.q.RegionOrWhole(), x)
	if len(points) < 2 {
		return nil
	}
	logits := make([]*big.Rat, len(points))
	// The extremes of all copies, and of those that the predicates describe,
	// one of which a witness must have.
	hi, lo, top, bottom := 0, 0, -1, -1
	for i, p := range points {
		if ctx.Err() != nil {
			return nil
		}
		logits[i] = j.Logit(p)
		if logits[i].Cmp(logits[hi]) > 0 {
			hi = i
		}
		if logits[i].Cmp(logits[lo]) < 0 {
			lo = i
		}
		if !j.Describes(p) {
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
		return nil
	}
	for _, pair := range [][2]int{{top, lo}, {hi, bottom}} {
		a, b := pair[0], pair[1]
		if !j.Admits(points[a], points[b]) || !j.q.Notion.Exceeds(logits[a], logits[b], target) {
			continue
		}
		if v := j.witness(points[a], points[b], logits[a], logits[b]); w == nil || v.Margin > w.Margin {
			w = v
		}
		if top == hi && bottom == lo {
			break // the second pair is the first
		}
	}
	return w
}

// Extreme is the pair of x's counterfactuals whose logits lie furthest apart in
// float64, replayed exactly; nil where it does not exceed the target. Where rounding
// picks a neighbour of the true extreme, the pair is still a witness.
func (j *Judge) Extreme(x []float64, target *big.Rat) *Witness {
	var top, bottom []float64
	hi, lo := math.Inf(-1), math.Inf(1)
	inputs := make([]float64, j.q.Space.Inputs)
	j.q.Space.EachCombination(j.q.RegionOrWhole(), x, func(point []float64) {
		if !j.q.Space.Allowed(point) {
			return
		}
		l := j.q.Model.Logit(j.q.Space.NetworkInputs(inputs, point))
		if l > hi {
			hi, top = l, append(top[:0], point...)
		}
		if l < lo {
			lo, bottom = l, append(bottom[:0], point...)
		}
	})
	if !(hi > lo) {
		return nil
	}
	return j.Pair(top, bottom, target)
}

// K is k of x at ε; 0 for notions without bins.
func (j *Judge) K(x []float64) (int, error) {
	if !j.q.Notion.Binned() {
		return 0, nil
	}
	e, err := j.Evaluator()
	if err != nil {
		return 0, err
	}
	return e.Evaluate(x).K, nil
}

// Reaching is the witness that x reaches at least k bins, by the copies with the
// largest and the smallest score; nil where it does not. Evaluator must have
// succeeded.
func (j *Judge) Reaching(x []float64, k int) *Witness {
	e, _ := j.Evaluator()
	o := e.Evaluate(x)
	if o.K < k {
		return nil
	}
	a, b := e.Point(x, o.ArgMax), e.Point(x, o.ArgMin)
	if !j.Admits(a, b) {
		return nil
	}
	w := j.witness(a, b, j.Logit(a), j.Logit(b))
	w.K = o.K
	return w
}

// Verdict is what is true of an individual.
type Verdict uint8

const (
	// Outside is a point that is no individual of the question.
	Outside Verdict = iota
	// Fair is an individual that satisfies the notion, or misses the query's bins.
	Fair
	// Unfair is one that violates the notion, or reaches the query's bins.
	Unfair
)

// Of decides a point of the region's box, where the query's predicates are about
// individuals and relax nothing. Evaluator must have succeeded.
func (j *Judge) Of(x []float64) Verdict {
	if !j.Describes(x) {
		return Outside
	}
	e, _ := j.Evaluator()
	o, unfair := e.Evaluate(x), false
	switch {
	case o.N == 0:
		return Outside
	case j.q.K > 2:
		unfair = o.K >= j.q.K
	case j.q.Notion.Binned():
		unfair = o.Violates
	default:
		unfair = e.Violates(x, j.q.Notion, j.q.Epsilon)
	}
	if unfair {
		return Unfair
	}
	return Fair
}
