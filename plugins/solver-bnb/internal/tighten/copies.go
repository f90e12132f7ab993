package tighten

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// Where many copies are compared and boxes shrink, most of them soon cannot be part of
// a pair with a value above the cutoff anywhere in a box, nor in any part of it.

// reaches is the memory of Relevant.
type reaches struct {
	// above and below are by how much at most a lane's logit is above any other of its box, and below:
	// differences that were rounded, which may be equal to a number that the exact ones
	// exceed, and not less.
	above, below []float64
	matter       []bool
}

func newReaches(lanes int) reaches {
	return reaches{make([]float64, lanes), make([]float64, lanes), make([]bool, lanes)}
}

// Relevant finds the lanes of the box in a slot of which a pair may have what a value above
// the cutoff needs. fewer tells that some were found to matter no more; ok is unset where less than two do.
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

// lower lowers the reaches to what Lo and Hi allow, which enclose the logits from
// a number on that is the same for all of them.
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
