package wild

import (
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/network"
	"github.com/hyfair/hyfair/sdk/problem"
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
// discrete; relaxations and predicates are not looked at.
func Enumerate(q *problem.Query) *Truth {
	t := &Truth{}
	exact := network.NewExact(q.Network)
	Everybody(q, func(x []float64) {
		p := Person{X: append([]float64(nil), x...)}
		for _, point := range q.Space.Counterfactuals(q.Region, x) {
			p.Logits = append(p.Logits, exact.Logit(q.Space.ExactInputs(point)))
		}
		if len(p.Logits) == 0 {
			return
		}
		if q.Epsilon != nil || !q.Notion.UsesEpsilon() {
			p.Unfair = fairness.Violates(q.Notion, p.Logits, q.Epsilon)
		}
		if q.Notion == fairness.Score && q.Epsilon != nil {
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
	first, second, ok := fairness.Pair(n, logits)
	if !ok {
		return nil, false
	}
	a, b := logits[first], logits[second]
	switch n {
	case fairness.Score:
		m, _ = fairness.GapBounds(a, b, 100)
	case fairness.Logit:
		m = new(big.Rat).Sub(a, b)
	case fairness.Decision:
		m = a
	default:
		m = new(big.Rat).Neg(b)
		if a.Cmp(m) < 0 {
			m = a
		}
	}
	return m, true
}
