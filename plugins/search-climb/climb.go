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

	at      place // where the climb is
	before  place // where it was before its last step
	optimum place // the best local optimum since the climb's start, which it perturbs
	vain    int   // perturbations and refusals since optimum improved
	// order lists the movable features in the order of trial; tried counts those tried
	// since the last improvement.
	order []int
	tried int
	// reached is the local optimum that the last step left, nowhere if it left none.
	reached place
	// others are further individuals that the last step hands over.
	others [][]float64
}

func newClimb(t *terrain, rng *rand.Rand) *climb {
	return &climb{terrain: t, rng: rng, order: slices.Clone(t.domain.Movable())}
}

// Step finds the next individual for the host. If changing a single feature is an
// improvement, the climb moves there. At a local optimum, it perturbs the best one or
// restarts. If its share of evaluations is spent before it has tried all features, it stays
// and hands over the best individual tried. It returns nil if it finds no individual.
func (c *climb) Step() []float64 {
	c.before, c.reached, c.others = c.at, place{}, nil
	if !c.at.nowhere() {
		if aside, more := c.ascend(); more {
			return aside.x
		}
		c.arrive()
	}
	if c.optimum.nowhere() || c.vain > c.patience {
		c.start()
	} else {
		c.perturb()
	}
	c.tried = 0
	return c.at.x
}

// ascend tries the features until the best value of one is an improvement. more is false
// at a local optimum. Otherwise best is where the climb moved or, if the share is spent,
// the best place tried.
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

// arrive records that the climb is at a local optimum, which replaces optimum unless it is
// worse. It resets vain if the new one is better, and else increments it.
func (c *climb) arrive() {
	c.reached = c.at
	c.vain++
	if c.optimum.nowhere() || c.at.Compare(c.optimum.Rank) > 0 {
		c.vain = 0
	}
	if c.at.Compare(c.optimum.Rank) >= 0 {
		c.optimum = c.at
	}
}

// perturb moves the climb to an individual that differs from optimum in up to kick features.
func (c *climb) perturb() {
	x := c.optimum.x
	for range 1 + c.rng.IntN(c.kick) {
		x = c.domain.Neighbour(c.rng, x)
	}
	c.clear()
	c.add(x)
	if c.at = c.best(); c.at.nowhere() {
		c.start()
	}
}

// start restarts the climb at a crossover of two local optima of the session (with probability
// mix), else at the best of some rows; if the host refused all of these, at the best of some
// random individuals.
func (c *climb) start() {
	c.optimum, c.vain = place{}, 0
	c.clear()
	if len(c.optima) >= 2 && c.rng.Float64() < c.mix {
		c.add(c.optima.mixture(c.rng))
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

// Refuse undoes the last step, to x, which the host refused.
func (c *climb) Refuse(x []float64) {
	if !slices.Equal(c.at.x, x) { // it was one of others
		return
	}
	if c.at, c.tried = c.before, 0; slices.Equal(c.at.x, x) { // the step did not move the climb
		c.at = place{}
	}
	c.vain++
}

// Evaluations counts all individuals ever evaluated.
func (c *climb) Evaluations() int64 { return c.evaluations }

// candidates are individuals to be evaluated together.
type candidates struct {
	xs          [][]float64
	cells       []float64 // backs the slices in xs
	values      []float64
	outcomes    []evaluate.Outcome
	evaluations int64
}

func (c *candidates) clear() { c.xs, c.cells = c.xs[:0], c.cells[:0] }

// add adds a copy of x to the candidates and returns it. Protected entries become zero:
// they differ between rows of the same individual.
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

// best evaluates the candidates and returns the one with the highest rank among those that
// have counterfactuals and were not refused; of equal ones, the earliest. It returns nowhere
// if there is none. It also collects others.
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
