package primal

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// pair evaluates the logits of an individual, or of two if features are relaxed.
func (p *Points) pair(x, logits []float64) (v goal.Individual) {
	m := p.pairing
	one := p.Grid.Point(x)
	p.Rules.Pairs(one, p.Grid.Partner(x), &m.Matching)
	if v.Asked = m.Any; !v.Asked {
		return v
	}
	e := p.Error
	v.Single, v.Value, v.Promise = true, math.Inf(-1), math.Inf(-1)
	doubtful := false // the sign of some smaller logit is uncertain
	m.Of.Each(logits, func(one, two int, up bool) {
		high, low := logits[one], logits[two]
		if !up {
			high, low = low, high
		}
		v.Single = false
		v.Promise = max(v.Promise, p.Notion.Promise(high, low))
		doubtful = doubtful || math.Abs(low) <= e
		keep(&v, one, two, p.Notion.Between(high, low), !p.Values && p.Notion.Surely(high-e, low+e))
	})
	switch {
	case v.Single:
		v.Sure = true
		return v
	case p.Values:
		v.Sure = !p.Query.Notion.Jumps() || !doubtful
	default:
		v.Sure = v.Violates || p.Notion.Widest(&m.Of, notion.Interval{Lo: p.lo, Hi: p.hi}, nil) <= p.Notion.Tolerated()
	}
	if !v.Sure {
		p.pairExactly(x, &v)
	}
	v.Z1, v.Z2 = v.Z1%len(p.Grid.Combinations), v.Z2%len(p.Grid.Combinations)
	return v
}

// keep replaces v's pair by a better one: a pair that violates is better than one that does
// not; otherwise the larger value is.
func keep(v *goal.Individual, one, two int, value float64, violates bool) {
	if violates && !v.Violates || violates == v.Violates && value > v.Value {
		v.Z1, v.Z2, v.Value, v.Violates = one, two, value, violates
	}
}

// pairExactly evaluates a pair's copies in exact arithmetic.
func (p *Points) pairExactly(x []float64, v *goal.Individual) {
	m := p.pairing
	k := len(p.Grid.Combinations)
	one, two := p.Grid.Point(x), p.Grid.Partner(x)
	logits := make([]*big.Rat, len(m.One))
	var order []int
	for lane := range logits {
		if !m.One[lane] && !m.Two[lane] {
			continue
		}
		point := one
		if lane >= k {
			point = two
		}
		logits[lane] = p.Logit(point, lane%k)
		order = append(order, lane)
	}
	slices.SortFunc(order, func(a, b int) int { return logits[a].Cmp(logits[b]) })
	rank := make([]float64, len(logits))
	for i, lane := range order {
		rank[lane] = float64(i)
	}
	v.Violates, v.Sure, v.Value = false, true, math.Inf(-1)
	m.Of.Each(rank, func(one, two int, _ bool) {
		pair := []*big.Rat{logits[one], logits[two]}
		value, _ := p.Query.Notion.Gap(pair)
		keep(v, one, two, value, !p.Values && p.Query.Apart(pair[0], pair[1]))
	})
}
