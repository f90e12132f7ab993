package relax

import (
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// Where features are relaxed, or the query's conditions are about the first copy
// alone, not all counterfactuals of one individual are compared, but pairs of
// copies. Then bounds over pairs order and prune nodes, whether the
// largest value is wanted or any that is a violation.

// Pairing is what the work on pairs needs.
type Pairing struct {
	grid.Matching
	Of notion.Pairs
	// Of the lanes of a box: the logits' own enclosures, and those that hold from one number on.
	whole    notion.Interval
	relative []notion.Interval
}

// NewPairing compares pairs of lanes. oneWay: only pairs whose first copy has the larger logit are compared, where the others are
// the same in the other order.
func NewPairing(p *Problem, lanes int, oneWay bool) *Pairing {
	m := &Pairing{Of: notion.Pairs{Combinations: len(p.Grid.Combinations)}}
	m.One, m.Two = make([]bool, lanes), make([]bool, lanes)
	m.Of.One, m.Of.Two = m.One, m.Two
	q := p.Query
	m.Of.OneWay = oneWay && p.Grid.Mirrored && len(q.Require)+len(q.Forbid)+len(q.Exclude) == 0
	m.whole = notion.Interval{Lo: make([]float64, lanes), Hi: make([]float64, lanes)}
	return m
}

// Encloser has bounded boxes.
type Encloser interface {
	// Enclosures are those of a slot's logits, by lane, in memory that the next call overwrites.
	Enclosures(slot int) (lo, hi []float64)
	// Relative puts enclosures that hold from one number on into the same memory, and visits each.
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
