package wild

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Person is what is true of one individual, by the definitions in exact
// arithmetic.
type Person struct {
	X      []float64
	Logits []*big.Rat // of its allowed counterfactuals, at least one
	Unfair bool       // it violates the query's notion
	K      int        // bins at the query's ε; 0 for notions other than Score
}

// Truth is what is true of everybody in a query's region.
type Truth struct {
	People []Person
	Unfair int
	// Margin is the largest margin of the notion among individuals with a pair of
	// copies to compare, where Some says that there is one. Of the score it is the
	// lower end of an enclosure 2⁻¹⁰⁰ wide.
	Some   bool
	Margin *big.Rat
	// K is the largest k; 0 for notions other than Score, and for nobody.
	K int
}

// Enumerate finds the truth, individual by individual. All features must be
// discrete, and predicates about individuals; of relaxations see Pairs.
func Enumerate(q *problem.Query) *Truth {
	t := &Truth{}
	exact := q.Model.Exact()
	Everybody(q, func(x []float64) {
		if !describes(q, x) {
			return
		}
		p := Person{X: append([]float64(nil), x...)}
		for _, point := range q.Space.Counterfactuals(q.Region, x) {
			p.Logits = append(p.Logits, exact.Logit(q.Space.ExactInputs(point)))
		}
		if len(p.Logits) == 0 {
			return
		}
		if q.Epsilon != nil || !q.Notion.UsesEpsilon() {
			p.Unfair = q.Notion.Violates(p.Logits, q.Epsilon)
		}
		if q.Notion.Binned() && q.Epsilon != nil {
			p.K = fairness.KBins(p.Logits, q.Epsilon)
			t.K = max(t.K, p.K)
		}
		if p.Unfair {
			t.Unfair++
		}
		if m, ok := margin(q.Notion, p.Logits); ok && (!t.Some || m.Cmp(t.Margin) > 0) {
			t.Some, t.Margin = true, m
		}
		t.People = append(t.People, p)
	})
	return t
}

func describes(q *problem.Query, x []float64) bool {
	holds := func(p space.Predicate) bool { return p.Holds(x) }
	return !slices.ContainsFunc(q.Forbid, holds) && !slices.ContainsFunc(q.Require, func(p space.Predicate) bool { return !holds(p) })
}

// Pairs is the largest margin of a relaxed question, over all pairs of a
// counterfactual of an individual that it is about and one of another within reach
// that differs in a protected feature; some says whether there is such a pair.
func Pairs(q *problem.Query) (most *big.Rat, some bool) {
	type copied struct {
		point []float64
		logit *big.Rat
	}
	exact := q.Model.Exact()
	collect := func(of *problem.Query) (out []copied) {
		Everybody(of, func(x []float64) {
			if !describes(of, x) {
				return
			}
			for _, p := range q.Space.Counterfactuals(q.Region, x) {
				out = append(out, copied{p, exact.Logit(q.Space.ExactInputs(p))})
			}
		})
		return out
	}
	wide := *q
	wide.Region, wide.Require, wide.Forbid = q.Region.Clone(), nil, nil
	for _, r := range q.Relax {
		f := &q.Space.Features[r.Feature]
		wide.Region.Box[r.Feature] = space.Interval{Lo: f.Lo, Hi: f.Hi}
	}
	others := collect(&wide)
	for _, one := range collect(q) {
		for _, two := range others {
			if !comparable(q, one.point, two.point) {
				continue
			}
			if m, ok := margin(q.Notion, []*big.Rat{one.logit, two.logit}); ok && (!some || m.Cmp(most) > 0) {
				most, some = m, true
			}
		}
	}
	return most, some
}

// comparable reports that a relaxed question compares the points.
func comparable(q *problem.Query, x, y []float64) (differ bool) {
	for i := range x {
		far := math.Abs(x[i] - y[i])
		switch at := slices.IndexFunc(q.Relax, func(r problem.RelaxedFeature) bool { return r.Feature == i }); {
		case q.Space.Features[i].IsProtected():
			differ = differ || far > 0
		case at < 0 && far > 0 || at >= 0 && far > q.Relax[at].Tolerance:
			return false
		}
	}
	return differ
}

// Everybody visits every point of the region's box, its protected entries at the
// start of their domains. The slice is reused.
func Everybody(q *problem.Query, visit func(x []float64)) {
	x := make([]float64, len(q.Space.Features))
	free := q.Space.Free()
	var walk func(k int)
	walk = func(k int) {
		if k == len(free) {
			visit(x)
			return
		}
		box := q.Region.Box[free[k]]
		for v := box.Lo; v <= box.Hi; v++ {
			x[free[k]] = v
			walk(k + 1)
		}
	}
	walk(0)
}

// margin is the largest of an individual's pairs of copies; ok is false where it
// has no pair that the notion compares.
func margin(n fairness.Notion, logits []*big.Rat) (m *big.Rat, ok bool) {
	first, second, ok := n.Pair(logits)
	if ok {
		m, _ = n.Margin(logits[first], logits[second])
	}
	return m, ok
}
