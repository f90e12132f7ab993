package goal

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Incumbent is an individual and its value: a gap, a margin or a number of bins.
type Incumbent struct {
	// X with combination Z1 is the first copy, Y with Z2 the second. If no features are
	// relaxed, X and Y are the same individual.
	X, Y   []float64
	Z1, Z2 int
	Value  float64
	// By is the name of the idea that found it, as in package params, or "nodes" if it was found while
	// nodes were processed.
	By string
}

// Individual is the result of evaluating an individual.
type Individual struct {
	// Asked is set if it is in the space and the query asks about it.
	Asked    bool
	Violates bool
	// Sure is set if Violates is certain. Single is set if there is no second
	// counterfactual, and therefore no value.
	Sure, Single bool
	// Value is what the goal compares. Promise orders individuals for heuristics: it grows
	// towards what the goal looks for.
	Value, Promise float64
	// Z1 and Z2 have the largest and the smallest logit; in a pair they belong to the first copy and the
	// second.
	Z1, Z2 int
}

// marginPart is the share of a value by which rounding may raise its bound.
const marginPart = 3e-8

// Margins computes how far the cutoff is above the incumbent. The settings depend on how nodes are bounded, and change only
// between rounds.
type Margins struct {
	*relax.Problem
	Traits
	// Joint is set if nodes were bounded jointly, ReLU if linear programs prove them. Restarted is set if all nodes come
	// from a restart at the root; values too blurred for a tight bound are then compared exactly.
	Joint, ReLU, Restarted bool
}

// Cutoff returns the value that a node's bound must beat, at least that of every evaluated individual. best is nil if there
// is none.
func (m *Margins) Cutoff(best *Incumbent) float64 {
	if m.Decides() { // nodes of pairs have values
		return m.Notion.Tolerated()
	}
	return m.Above(best)
}

// Above returns the cutoff for values larger than best's; −Inf if best is nil.
func (m *Margins) Above(best *Incumbent) float64 {
	if best == nil {
		return math.Inf(-1)
	}
	return best.Value + m.optimality(best.Value) + m.rounding(best.Value)
}

// optimality returns by how much the search may miss values above v, the incumbent's: a small part of v, or the rounding of
// bounds if that is larger, but at most 5·10⁻¹¹·max(1, |v|). v plus this grows with v.
func (m *Margins) optimality(v float64) float64 {
	if m.Binned {
		return 0
	}
	return min(5e-11, max(1e-4*math.Abs(v), 0x1p-42, 16*m.Query.Notion.Slope()*m.Error)) * max(1, math.Abs(v))
}

// rounding returns how far an individual's value may be from the exact one, unless values are compared exactly. Bounds with
// more rounding need more, up to a part of v that keeps the bound tight enough.
func (m *Margins) rounding(v float64) float64 {
	if m.Binned {
		return 0
	}
	e, part := m.Blur(v), marginPart*math.Abs(v)
	if m.Weighs(v) {
		e = 0
	}
	switch {
	case m.ReLU: // rounding depends on multipliers
		return e + part
	case m.Joint:
		return e + min(34*m.Query.Notion.Slope()*m.Error, part)
	}
	return e
}

// Blur bounds how far an individual's value, computed as v, may be from the exact one: each logit is within the plan's
// error. If large values cancel inside a network, this far exceeds a float64's rounding.
//
// For scores p and q with p − q = w, the slopes p(1−p) and q(1−q) add up to at most (1−w²)/2, which they reach at p + q =
// 1. Between v and the exact gap, no w is farther from v than a quarter of both errors together.
func (m *Margins) Blur(v float64) float64 {
	if m.Query.Notion != fairness.Score {
		return 2 * m.Query.Notion.Slope() * m.Error
	}
	w := max(0, math.Abs(v)-m.Error)
	return m.Error * (1 - w*w) / 2
}

// Weighs reports whether scores near a gap of v are compared exactly.
func (m *Margins) Weighs(v float64) bool {
	return m.Restarted && m.Query.Notion == fairness.Score && !m.Binned && m.Blur(v) > marginPart*math.Abs(v)
}

// Exactly returns the individual with the two combinations that are farthest apart, and
// its value from exact logits, rounded away from the bound.
func (m *Margins) Exactly(b Incumbent) *Incumbent {
	if m.Pairs {
		b.Value, _ = m.Query.Notion.Gap([]*big.Rat{m.Logit(b.X, b.Z1), m.Logit(b.Y, b.Z2)})
		return &b
	}
	var allowed []bool
	if m.Rules != nil {
		allowed = m.Rules.Allowed(b.X)
	}
	var high, low *big.Rat
	for z := range m.Grid.Combinations {
		if allowed != nil && !allowed[z] {
			continue
		}
		l := m.Logit(b.X, z)
		if high == nil || l.Cmp(high) > 0 {
			high, b.Z1 = l, z
		}
		if low == nil || l.Cmp(low) <= 0 {
			low, b.Z2 = l, z
		}
	}
	least, most := m.Query.Notion.Gap([]*big.Rat{high, low})
	if b.Value = least; m.Least {
		b.Value = -most
	}
	return &b
}

// Better returns the better of best and the individual x, whose evaluation is v. Both best and known, which is the
// search's incumbent, may be nil.
func (m *Margins) Better(best, known *Incumbent, x []float64, v *Individual) *Incumbent {
	if !v.Asked || m.Values && (v.Single || math.IsInf(v.Value, -1)) || !m.Values && !v.Violates {
		return best
	}
	weighed, blur := m.Weighs(v.Value), 0.0
	if weighed {
		if blur = m.Blur(v.Value); best == nil || known != nil && best.Value < known.Value {
			best = known
		}
	}
	if best != nil && (!m.Values || v.Value <= best.Value-blur) {
		return best
	}
	point := m.Grid.Point(x)
	if m.excluded(point) {
		return best
	}
	b := &Incumbent{X: point, Y: m.Grid.Partner(x), Z1: v.Z1, Z2: v.Z2, Value: v.Value}
	if !weighed {
		return b
	}
	if best != nil && slices.Equal(b.X, best.X) && slices.Equal(b.Y, best.Y) {
		return best
	}
	if b = m.Exactly(*b); best != nil && b.Value <= best.Value {
		return best
	}
	return b
}

func (m *Margins) excluded(point []float64) bool {
	for _, other := range m.Query.Exclude {
		if slices.Equal(m.Query.Space.Canonical(other), m.Query.Space.Canonical(point)) {
			return true
		}
	}
	return false
}

// Enough reports whether b answers the question.
func (m *Margins) Enough(b *Incumbent) bool { return b != nil && m.Decides() }

// Store holds the incumbent, with the margins of its cutoff.
type Store struct {
	*Margins
	Best *Incumbent // nil if there is none
	// Fresh is set when Best changes.
	Fresh bool
}

// Take keeps the better of Best and b, which may be nil. If b does not name the idea that found it,
// Take sets that name to by.
func (s *Store) Take(b *Incumbent, by string) {
	if b != nil && (s.Best == nil || s.Values && b.Value > s.Best.Value) {
		if b.By == "" {
			b.By = by
		}
		s.Best, s.Fresh = b, true
	}
}

// Better returns the better of an individual and the task's best so far, which may be
// nil.
func (s *Store) Better(best *Incumbent, x []float64, v *Individual) *Incumbent {
	return s.Margins.Better(best, s.Best, x, v)
}

// Cutoff returns the value that a node's bound must beat to stay in the search.
func (s *Store) Cutoff() float64 { return s.Margins.Cutoff(s.Best) }
