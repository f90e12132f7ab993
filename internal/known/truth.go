package known

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Answer is the right answer to a problem.
type Answer struct {
	// Feasible reports whether there is a point, or an individual that the query looks
	// for.
	Feasible bool
	// Optimum is the best value, if Best says that the problem asks for one and it
	// exists. For a score gap it is the lower end of an enclosure one ulp wide.
	Optimum float64
	Best    bool
}

// Feasible and Infeasible are answers to problems without an objective.
var (
	Feasible   = Answer{Feasible: true}
	Infeasible = Answer{}
)

// Optimum returns the answer with this best value.
func Optimum(v float64) Answer { return Answer{Feasible: true, Optimum: v, Best: true} }

// Person is the truth about one individual, by the definitions in exact arithmetic.
type Person struct {
	X      []float64
	Logits []*big.Rat // of its allowed counterfactuals, at least one
	Unfair bool       // the query looks for it: it violates the notion, or reaches K bins
	K      int        // bins at the query's ε; 0 for notions without bins
}

// Truth is the truth about all individuals in a query's region.
type Truth struct {
	People []Person
	Unfair int
	// Margin is the notion's largest margin among the individuals with a pair of copies
	// to compare; Some reports whether there is one. For the score it is the lower end of
	// an enclosure 2⁻¹⁰⁰ wide.
	Some   bool
	Margin *big.Rat
	// K is the largest k; 0 for notions without bins, or if there are no individuals.
	K int
}

// Enumerate finds the truth, individual by individual. All features must be discrete, and
// all predicates about individuals. For relaxed queries see Pairs.
func Enumerate(q *problem.Query) *Truth {
	t := &Truth{}
	exact := q.Model.Exact()
	for x := range q.Space.Individuals(q.RegionOrWhole().Box) {
		if !q.Describes(x) {
			continue
		}
		p := Person{X: append([]float64(nil), x...), Logits: q.Logits(exact, x)}
		if len(p.Logits) == 0 {
			continue
		}
		if q.Epsilon != nil || !q.Notion.UsesEpsilon() {
			p.Unfair = q.Violates(p.Logits)
		}
		if q.Notion.Binned() && q.Epsilon != nil {
			p.K = bins(q, p.Logits)
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

// Answer returns the right answer to the query that was enumerated, for any goal except
// Quantify.
func (t *Truth) Answer(q *problem.Query) Answer {
	if q.Goal == problem.Decide {
		return Answer{Feasible: t.Unfair > 0}
	}
	out := Infeasible
	for _, p := range t.People {
		lo, _ := Value(q, p.Logits)
		if math.IsInf(lo, 0) || q.Goal == problem.Maximise && len(p.Logits) < 2 {
			continue
		}
		if !out.Best || sign(maximises(q))*(lo-out.Optimum) > 0 {
			out = Optimum(lo)
		}
	}
	return out
}

// maximises reports whether a larger value is better.
func maximises(q *problem.Query) bool { return q.Goal == problem.Maximise || q.Goal == problem.MaxK }

func sign(maximise bool) float64 {
	if maximise {
		return 1
	}
	return -1
}

// bins is the number of bins, or bands, of the query that logits fall into.
func bins(q *problem.Query, logits []*big.Rat) int {
	b := q.Binning()
	return b.K(logits)
}

// Value encloses the value of an individual with these logits: for MaxK and MinK its number
// of bins, else its gap or margin.
func Value(q *problem.Query, logits []*big.Rat) (lo, hi float64) {
	if q.Goal == problem.MaxK || q.Goal == problem.MinK {
		k := float64(bins(q, logits))
		return k, k
	}
	return q.Notion.Gap(logits)
}

// eachPair visits the logits of all pairs of a copy that the question is about and another
// copy within the tolerances that differs from it in a protected feature.
func eachPair[L any](q *problem.Query, logit func(point []float64) L, visit func(one, two L)) {
	type copied struct {
		point []float64
		logit L
	}
	region := q.RegionOrWhole()
	collect := func(box space.Box, about func([]float64) bool) (out []copied) {
		for x := range q.Space.Individuals(box) {
			for _, p := range q.Space.Counterfactuals(region, x) {
				if about(p) {
					out = append(out, copied{p, logit(p)})
				}
			}
		}
		return out
	}
	own := slices.Clone(region.Box) // the box within the features' domains
	for i := range own {
		f := &q.Space.Features[i]
		own[i] = space.Interval{Lo: max(f.Lo, own[i].Lo), Hi: min(f.Hi, own[i].Hi)}
	}
	reach := slices.Clone(own)
	for _, r := range q.Relax {
		f, b := &q.Space.Features[r.Feature], region.Box[r.Feature]
		reach[r.Feature] = space.Interval{Lo: max(f.Lo, b.Lo-r.Tolerance), Hi: min(f.Hi, b.Hi+r.Tolerance)}
	}
	others := collect(reach, func([]float64) bool { return true })
	for _, one := range collect(own, func(p []float64) bool { return q.Describes(p) && !q.Excludes(p) }) {
		for _, two := range others {
			if Compares(q, one.point, two.point) {
				visit(one.logit, two.logit)
			}
		}
	}
}

// Compares reports whether a question about pairs compares the points: they are within
// the tolerances, and differ in a protected feature.
func Compares(q *problem.Query, x, y []float64) (differ bool) {
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

// Pairs returns the largest margin of a question about pairs, as exact as Truth.Margin;
// some reports whether there is a pair.
func Pairs(q *problem.Query) (most *big.Rat, some bool) {
	exact := q.Model.Exact()
	logit := func(p []float64) *big.Rat { return exact.Logit(q.Space.ExactInputs(p)) }
	eachPair(q, logit, func(one, two *big.Rat) {
		if m, ok := margin(q.Notion, []*big.Rat{one, two}); ok && (!some || m.Cmp(most) > 0) {
			most, some = m, true
		}
	})
	return most, some
}

// NearPairs is Pairs in float64 arithmetic, for thousands of individuals. It returns −Inf
// if there is no pair.
func NearPairs(q *problem.Query) float64 {
	most := math.Inf(-1)
	logit := func(p []float64) float64 { return q.Model.Logit(q.Space.NetworkInputs(nil, p)) }
	eachPair(q, logit, func(one, two float64) { most = max(most, q.Notion.Between(max(one, two), min(one, two))) })
	return most
}

// margin returns the largest margin of an individual's pairs of copies; ok is false if
// the notion compares none of its pairs.
func margin(n fairness.Notion, logits []*big.Rat) (m *big.Rat, ok bool) {
	first, second, ok := n.Pair(logits)
	if ok {
		m, _ = n.Margin(logits[first], logits[second])
	}
	return m, ok
}
