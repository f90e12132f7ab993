package main

import (
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// climb is one of several parallel climbs. Between steps it is at an individual that was handed
// to the host.
type climb struct {
	*terrain
	rng *rand.Rand
	candidates

	at     place // where the climb stands
	before place // where it stood before its last step
	top    place // the best top since the climb began; it is what is kicked
	vain   int   // kicks since top became higher
	// order are the movable features as they are tried; tried counts those since
	// the last step up.
	order []int
	tried int
	// reached is the top that the last step left, nowhere where it left none.
	reached place
	// others are what the last step hands over beside where it led.
	others [][]float64
}

func newClimb(t *terrain, rng *rand.Rand) *climb {
	return &climb{terrain: t, rng: rng, order: slices.Clone(t.domain.Movable())}
}

// Step finds the next individual for the host: the climb goes up where a single
// feature leads up, and from a top by a kick or to a new start. Where its share
// is spent before that is known, it stays and hands over the best of what it
// tried. The answer is nil where there is nothing new to be found.
func (c *climb) Step() []float64 {
	c.before, c.reached, c.others = c.at, place{}, nil
	if !c.at.nowhere() {
		if aside, more := c.ascend(); more {
			return aside.x
		}
		c.summit()
	}
	if c.top.nowhere() || c.vain > c.patience {
		c.start()
	} else {
		c.kick()
	}
	c.tried = 0
	return c.at.x
}

// ascend goes through the features until the best value of one leads up. more
// is false on a top; else the answer is where the climb went or, once the share
// is spent, the best place tried.
func (c *climb) ascend() (best place, more bool) {
	for spent := 0; c.tried < len(c.order); {
		if c.tried == 0 {
			c.rng.Shuffle(len(c.order), func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
		}
		c.clear()
		i := c.order[c.tried]
		c.values = c.around(c.values[:0], i, c.at.x[i], c.rng)
		for _, v := range c.values {
			c.add(c.at.x)[i] = v
		}
		c.tried++
		p := c.best()
		if p.Compare(c.at.Rank) > 0 {
			// This feature has its best value; all others may have a better one now.
			c.order = slices.Concat(c.order[c.tried-1:], c.order[:c.tried-1])
			c.at, c.tried = p, 1
			return p, true
		}
		if best.nowhere() || p.Compare(best.Rank) > 0 {
			best = p
		}
		if spent += len(c.values); spent >= c.share && !best.nowhere() {
			return best, true
		}
	}
	return place{}, false
}

// summit compares the top that the climb stands on with the one it kicked.
func (c *climb) summit() {
	c.reached = c.at
	c.vain++
	if c.top.nowhere() || c.at.Compare(c.top.Rank) > 0 {
		c.vain = 0
	}
	if c.at.Compare(c.top.Rank) >= 0 {
		c.top = c.at
	}
}

// kick goes from the top to an individual that differs in a few features.
func (c *climb) kick() {
	x := c.top.x
	for range 1 + c.rng.IntN(c.settings.kick) {
		x = c.domain.Neighbour(c.rng, x)
	}
	c.clear()
	c.add(x)
	if c.at = c.best(); c.at.nowhere() {
		c.start()
	}
}

// start restarts the climb elsewhere.
func (c *climb) start() {
	c.top, c.vain = place{}, 0
	c.clear()
	if len(c.summits) >= 2 && c.rng.Float64() < c.mix {
		c.add(c.summits.mixture(c.rng))
	} else {
		for range c.draws {
			c.add(c.domain.Row(c.rng))
		}
	}
	if c.at = c.best(); !c.at.nowhere() {
		return
	}
	c.clear()
	for range c.draws {
		c.add(c.domain.Uniform(c.rng))
	}
	c.at = c.best()
}

// Refuse takes back the last step, to x, which the host does not want.
func (c *climb) Refuse(x []float64) {
	if !slices.Equal(c.at.x, x) { // it was handed over beside the step
		return
	}
	if c.at, c.tried = c.before, 0; slices.Equal(c.at.x, x) { // the step led nowhere else
		c.at = place{}
	}
	c.vain++
}

// Evaluations counts all individuals ever evaluated.
func (c *climb) Evaluations() int64 { return c.evaluations }

// candidates are individuals to be evaluated together.
type candidates struct {
	xs          [][]float64
	cells       []float64 // what xs are slices of
	values      []float64
	outcomes    []evaluate.Outcome
	evaluations int64
}

func (c *candidates) clear() { c.xs, c.cells = c.xs[:0], c.cells[:0] }

// add makes a copy of x a candidate and returns the copy. Protected entries,
// which differ between rows that are the same individual, become zero.
func (c *climb) add(x []float64) []float64 {
	from := len(c.cells)
	c.cells = append(c.cells, x...)
	copied := c.cells[from:]
	for _, i := range c.protected {
		copied[i] = 0
	}
	c.xs = append(c.xs, copied)
	return copied
}

// best evaluates the candidates and gives the highest place among those that
// have counterfactuals and are not refused, the earliest of equals; nowhere if
// there is none.
func (c *climb) best() (best place) {
	c.outcomes = slices.Grow(c.outcomes[:0], len(c.xs))[:len(c.xs)]
	c.eval.EvaluateAll(c.xs, c.outcomes)
	c.evaluations += int64(len(c.xs))
	for i, x := range c.xs {
		o := &c.outcomes[i]
		h := chain.Rank{K: o.K, Shannon: o.Shannon}
		if o.K >= c.bar && o.Violates && len(c.others) < c.surplus {
			if k := chain.Key(x); !c.known.Has(k) && !c.refused[k] {
				c.others = append(c.others, slices.Clone(x))
			}
		}
		if o.N > 0 && (best.nowhere() || h.Compare(best.Rank) > 0) && !c.refused[chain.Key(x)] {
			best = place{x, h}
		}
	}
	best.x = slices.Clone(best.x)
	return best
}
