package relax

import (
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// If features are relaxed, or the query's conditions are about the first copy only, pairs
// of copies are compared instead of all counterfactuals of an individual. Then bounds
// over pairs order and prune nodes, for the largest value and for any violation.

// Pairing is the state of bounding pairs.
type Pairing struct {
	grid.Matching
	Of notion.Pairs
	// By lane: the enclosures of the logits, and those that hold after a common shift.
	whole    notion.Interval
	relative []notion.Interval
}

// NewPairing returns a Pairing for a number of lanes. With oneWay, it compares only pairs whose first copy has the larger
// logit, if the other pairs are the same in reverse order.
func NewPairing(p *Problem, lanes int, oneWay bool) *Pairing {
	m := &Pairing{Of: notion.Pairs{Combinations: len(p.Grid.Combinations)}}
	m.One, m.Two = make([]bool, lanes), make([]bool, lanes)
	m.Of.One, m.Of.Two = m.One, m.Two
	q := p.Query
	m.Of.OneWay = oneWay && p.Grid.Mirrored && len(q.Require)+len(q.Forbid)+len(q.Exclude) == 0
	m.whole = notion.Interval{Lo: make([]float64, lanes), Hi: make([]float64, lanes)}
	return m
}

// Encloser gives access to the bounds of the boxes in a bounder's slots.
type Encloser interface {
	// Enclosures returns the enclosures of a slot's logits, by lane, in memory that the next
	// call overwrites.
	Enclosures(slot int) (lo, hi []float64)
	// Relative writes enclosures that hold after a common shift to the memory that Enclosures
	// uses, and calls visit for each.
	Relative(slot int, visit func())
}

// Widest bounds the value of all pairs of the box in a slot.
func (m *Pairing) Widest(p *Problem, of Encloser, slot int) float64 {
	lo, hi := of.Enclosures(slot)
	copy(m.whole.Lo, lo)
	copy(m.whole.Hi, hi)
	n := 0
	of.Relative(slot, func() {
		if n == len(m.relative) {
			m.relative = append(m.relative, notion.Interval{Lo: make([]float64, len(lo)), Hi: make([]float64, len(lo))})
		}
		copy(m.relative[n].Lo, lo)
		copy(m.relative[n].Hi, hi)
		n++
	})
	return p.Notion.Widest(&m.Of, m.whole, m.relative[:n])
}
