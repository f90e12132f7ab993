package wild

import (
	"math"
	"math/big"

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
	K      int        // bins at the query's ε; 0 for notions without bins
}

// Truth is what is true of all individuals in a query's region.
type Truth struct {
	People []Person
	Unfair int
	// Margin is the largest margin of the notion among individuals with a pair of
	// copies to compare, where Some says that there is one. Of the score it is the
	// lower end of an enclosure 2⁻¹⁰⁰ wide.
	Some   bool
	Margin *big.Rat
	// K is the largest k; 0 for notions without bins, and where there are no individuals.
	K int
}

// Enumerate finds the truth, individual by individual. All features must be
// discrete, and predicates about individuals; of relaxations see Pairs.
func Enumerate(q *problem.Query) *Truth {
	t := &Truth{}
	exact := q.Model.Exact()
	for x := range q.Space.Individuals(q.Region.Box) {
		if !q.Describes(x) {
			continue
		}
		p := Person{X: append([]float64(nil), x...), Logits: q.Logits(exact, x)}
		if len(p.Logits) == 0 {
			continue
		}
		if q.Epsilon != nil || !q.Notion.UsesEpsilon() {
			p.Unfair = q.Notion.Violates(p.Logits, q.Epsilon)
		}
		if q.Notion.Binned() && q.Epsilon != nil {
			p.K = q.Model.Link().KBins(p.Logits, q.Epsilon)
			t.K = max(t.K, p.K)
		}
		if p.Unfair {
			t.Unfair++
		}
		if m, ok := margin(q.Notion, p.Logits); ok && (!t.Some || m.Cmp(t.Margin) > 0) {
			t.Some, t.Margin = true, m
		}
		t.People = append(t.People, p)
	}
	return t
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
		for x := range q.Space.Individuals(of.Region.Box) {
			if !of.Describes(x) {
				continue
			}
			for _, p := range q.Space.Counterfactuals(q.Region, x) {
				out = append(out, copied{p, exact.Logit(q.Space.ExactInputs(p))})
			}
		}
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
		if q.Space.Features[i].IsProtected() {
			differ = differ || far > 0
		} else if most, _ := q.Tolerance(i); far > most {
			return false
		}
	}
	return differ
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
