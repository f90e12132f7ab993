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

// Judge evaluates the individuals and copies of a question exactly. Safe for concurrent use.
type Judge struct {
	q     *problem.Query
	exact model.Exact
	// scored is the model whose scores are shown, and shown its exact evaluation.
	scored model.Model
	shown  model.Exact
	// reach contains the second copy: the region, widened by the relaxations.
	reach space.Region
	fast  func() (*evaluate.Evaluator, error)
}

// NewJudge returns a Judge for a valid question.
func NewJudge(q *problem.Query) *Judge {
	j := &Judge{q: q, exact: q.Model.Exact(), reach: encode.RelaxedRegion(q), scored: q.Model}
	if j.shown = j.exact; q.Scored != nil {
		j.scored, j.shown = q.Scored, q.Scored.Exact()
	}
	j.fast = sync.OnceValues(func() (*evaluate.Evaluator, error) {
		eps := q.Epsilon
		if !q.Notion.Binned() {
			eps = big.NewRat(1, 20) // has no effect: the notion has no bins
		}
		e, err := evaluate.NewBanded(q.Model, q.Space, q.RegionOrWhole(), eps, q.Bands)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
		}
		return e, nil
	})
	return j
}

// Evaluator returns a fast evaluator of the question's individuals, with its ε if the notion
// has bins. It is made by the first call. The error is sdk.ErrUnsupported, for example with too
// many combinations.
func (j *Judge) Evaluator() (*evaluate.Evaluator, error) { return j.fast() }

// Admits reports whether the two points are copies of one individual of the query. If features
// are relaxed, either may be the one that lies in the region and satisfies the predicates.
func (j *Judge) Admits(copy1, copy2 []float64) bool {
	return j.admitsInOrder(copy1, copy2) || j.admitsInOrder(copy2, copy1)
}

// admitsInOrder reports whether x lies in region and space and satisfies the predicates, and y
// is its copy: equal in every non-protected feature that is not relaxed.
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

// near reports whether a feature may differ by this much between the copies.
func (j *Judge) near(feature int, x, y float64) bool {
	if x == y {
		return true
	}
	most, relaxed := j.q.Tolerance(feature)
	d := new(big.Rat).SetFloat64(x)
	d.Sub(d, new(big.Rat).SetFloat64(y))
	return relaxed && d.Abs(d).Cmp(new(big.Rat).SetFloat64(most)) <= 0
}

// Describes reports whether the individual satisfies the query's predicates and is not
// excluded.
func (j *Judge) Describes(x []float64) bool { return j.q.Describes(x) && !j.q.Excludes(x) }

// Asked reports whether x is an individual of the question, provided that it has a
// counterfactual.
func (j *Judge) Asked(x []float64) bool {
	return len(x) == len(j.q.Space.Features) && j.q.Space.RegionContains(j.q.RegionOrWhole(), x) && j.Describes(x)
}

// Shown returns the exact logit to show for a point: that of the model whose scores are shown.
func (j *Judge) Shown(point []float64) *big.Rat {
	return j.shown.Logit(j.q.Space.ExactInputs(point))
}

// Logit evaluates the query's model at a point, exactly.
func (j *Judge) Logit(point []float64) *big.Rat {
	return j.exact.Logit(j.q.Space.ExactInputs(point))
}

// Pair returns the witness of two copies; nil if Admits refuses them or they do not exceed the
// target.
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

// Worst evaluates all counterfactuals of x exactly and returns the pair with the largest
// margin; nil if x has fewer than two, no pair exceeds the target, or ctx ends first.
func (j *Judge) Worst(ctx context.Context, x []float64, target *big.Rat) (w *Witness) {
	points := j.q.Space.Counterfactuals(j.q.RegionOrWhole(), x)
	if len(points) < 2 {
		return nil
	}
	logits := make([]*big.Rat, len(points))
	// The extremes of all copies, and of those that satisfy the predicates, as at least one of
	// a witness must.
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

// Extreme returns the pair of x's counterfactuals whose logits are furthest apart in float64,
// replayed exactly; nil if it does not exceed the target. If rounding picks a pair next to the
// true extreme, that is still a witness.
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

// K returns x's k at ε; 0 for notions without bins.
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

// Reaching returns the witness that x reaches at least k bins: the copies with the largest and
// the smallest score; nil if it does not. Evaluator must have succeeded.
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
	if bins := j.q.Binning(); k > 1 && j.q.Bands != nil && bins.Of(w.Exact1) == bins.Of(w.Exact2) {
		// Rounding picked neighbours of the extremes, which lie on one side of a border.
		if w = j.Worst(context.Background(), x, new(big.Rat)); w == nil {
			return nil
		}
	}
	w.K = o.K
	return w
}

// Verdict is the verdict on a single individual.
type Verdict uint8

const (
	// Outside is a point that is not an individual of the question.
	Outside Verdict = iota
	// Fair is an individual that satisfies the notion, or does not reach the query's bins.
	Fair
	// Unfair is an individual that violates the notion, or reaches the query's bins.
	Unfair
)

// Of decides a point of the region's box. The query's predicates must describe individuals, not
// copies; nothing may be relaxed, and Evaluator must have succeeded.
func (j *Judge) Of(x []float64) Verdict {
	if !j.Describes(x) {
		return Outside
	}
	e, _ := j.Evaluator()
	o, unfair := e.Evaluate(x), false
	switch {
	case o.N == 0:
		return Outside
	case j.q.Reach() > 0:
		unfair = o.K >= j.q.Reach()
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
