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
	// X is the individual, the first copy with combination Z1; Y with Z2 is the
	// second, where no features are relaxed the same individual.
	X, Y   []float64
	Z1, Z2 int
	Value  float64
	// By names the idea that found it, as params has it, or "nodes": while nodes were worked on.
	By string
}

// Individual is what is known of one that was evaluated.
type Individual struct {
	// Asked: it is in the space, and the query asks about it.
	Asked    bool
	Violates bool
	// Sure: Violates is certain. Single: there is no second counterfactual, and no value.
	Sure, Single bool
	// Value is the goal's; Promise grows towards what is looked for.
	Value, Promise float64
	// Z1 and Z2 have the largest and the smallest logit; in a pair they are of the first copy and the second.
	Z1, Z2 int
}

// marginPart is the part of a value that its bound may be above it for the sake of rounding.
const marginPart = 3e-8

// Margins say how far the cutoff is above the incumbent. Which of them are set depends on how nodes are bounded, and changes between rounds only.
type Margins struct {
	*relax.Problem
	Traits
	// Joint: nodes were bounded jointly. ReLU: they are proved by linear programs. Restarted: all nodes are those since a restart at the
	// root, so that values too blurred for the bound to be near enough are compared exactly.
	Joint, ReLU, Restarted bool
}

// Cutoff is the value up to which nodes are of no interest: no individual that was evaluated has a larger one. best is nil for none.
func (m *Margins) Cutoff(best *Incumbent) float64 {
	if m.Decides() { // nodes have values where they are of pairs
		return m.Notion.Tolerated()
	}
	return m.Above(best)
}

// Above is the cutoff for a value that may be no larger than best's.
func (m *Margins) Above(best *Incumbent) float64 {
	if best == nil {
		return math.Inf(-1)
	}
	return best.Value + m.optimality(best.Value) + m.rounding(best.Value)
}

// optimality is by how much values above v, the incumbent's, may be missed: a small part of v, but no less than
// the rounding of bounds. What v and it add up to grows with v.
func (m *Margins) optimality(v float64) float64 {
	if m.Binned {
		return 0
	}
	return min(5e-11, max(1e-4*math.Abs(v), 0x1p-42, 16*m.Query.Notion.Slope()*m.Error)) * max(1, math.Abs(v))
}

// rounding is by how far an individual's value may be from the exact one, unless values are compared exactly. Bounds that round more need more,
// up to a part of v that leaves the bound as near as it has to be.
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

// Blur bounds how far an individual's value, computed as v, may be from the exact one: its
// logits are within the plan's error each. Where large values cancel inside a network it is
// far more than a float64's rounding.
//
// Of scores p and q with p − q = w the slopes p(1−p) and q(1−q) add up to (1−w²)/2 at most, where p + q = 1. On the way from v to the exact gap no w
// is farther from v than both errors times ¼.
func (m *Margins) Blur(v float64) float64 {
	if m.Query.Notion != fairness.Score {
		return 2 * m.Query.Notion.Slope() * m.Error
	}
	w := max(0, math.Abs(v)-m.Error)
	return m.Error * (1 - w*w) / 2
}

// Weighs reports that scores near a gap of v are compared exactly.
func (m *Margins) Weighs(v float64) bool {
	return m.Restarted && m.Query.Notion == fairness.Score && !m.Binned && m.Blur(v) > marginPart*math.Abs(v)
}

// Exactly is the individual with the two combinations that are the farthest apart, and
// how far, from exact logits and rounded away from the bound.
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

// Better is the better of an individual and the best so far, where the search's incumbent is known; nil for none.
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
	Best *Incumbent // nil for none
	// Fresh: Best is new since Fresh was unset.
	Fresh bool
}

// Take keeps the better of Best and b, nil for none, which an idea found, unless it says that another did.
func (s *Store) Take(b *Incumbent, by string) {
	if b != nil && (s.Best == nil || s.Values && b.Value > s.Best.Value) {
		if b.By == "" {
			b.By = by
		}
		s.Best, s.Fresh = b, true
	}
}

// Better is the better of an individual and the best of a task so far, nil for none.
func (s *Store) Better(best *Incumbent, x []float64, v *Individual) *Incumbent {
	return s.Margins.Better(best, s.Best, x, v)
}

// Cutoff is the value up to which nodes are of no interest.
func (s *Store) Cutoff() float64 { return s.Margins.Cutoff(s.Best) }
