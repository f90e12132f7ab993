package tighten

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// If there are many copies and boxes shrink, most copies soon cannot belong to a pair
// with a value above the cutoff anywhere in a box, nor in any part of it.

// reaches is the memory of Relevant.
type reaches struct {
	// above and below bound by how much a lane's logit is above and below any other of its box. The
	// differences are rounded: one may equal a number that the exact difference exceeds, but it is
	// never less than such a number.
	above, below []float64
	matter       []bool
}

func newReaches(lanes int) reaches {
	return reaches{make([]float64, lanes), make([]float64, lanes), make([]bool, lanes)}
}

// Relevant returns the lanes of the box in a slot that may be in a pair with what a value above the cutoff
// needs. fewer reports whether possible lanes were dropped; ok is false if fewer than two remain.
func (c *Clipper) Relevant(slot int, need *notion.Need, possible []bool) (matter []bool, fewer, ok bool) {
	for z := range c.matter {
		c.above[z], c.reaches.below[z] = math.Inf(1), math.Inf(1)
	}
	lower := func() { c.lower(possible) }
	c.Relative(slot, lower)
	c.Enclosures(slot)
	lower()
	n := 0
	for z := range c.matter {
		may := possible == nil || possible[z]
		c.matter[z] = may &&
			(c.Hi[z] > need.Above && c.above[z] >= need.Apart || c.Lo[z] < need.Below && c.reaches.below[z] >= need.Apart)
		if c.matter[z] {
			n++
		}
		fewer = fewer || may && !c.matter[z]
	}
	return c.matter, fewer, n >= 2
}

// lower lowers the reaches to what Lo and Hi allow, which enclose the logits after a
// shift that is the same for all.
func (c *Clipper) lower(possible []bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for z, lo := range c.Lo {
		if possible == nil || possible[z] {
			least, most = min(least, lo), max(most, c.Hi[z])
		}
	}
	for z := range c.matter {
		c.above[z], c.reaches.below[z] = min(c.above[z], c.Hi[z]-least), min(c.reaches.below[z], most-c.Lo[z])
	}
}
