package explain

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk/space"
)

// Cloud is the distribution of neighbours around individuals, the paper's local
// perturbation. A neighbour starts as one of Around, uniformly. Each non-protected feature
// keeps its value with probability ½, independently. Otherwise
//
//   - an integer or real feature takes a value from the normal distribution around the old
//     one, with Spread times the interval's width as standard deviation; a value outside the
//     interval, or an integer that rounds to the old value, is drawn again;
//   - a category becomes another category of the region, uniformly.
//
// A feature with one value in the region keeps it. A neighbour without an allowed
// counterfactual is rejected and drawn again from the start.
//
// A Cloud is read-only and safe for concurrent use.
type Cloud struct {
	Space  *space.Space
	Region space.Region
	// Around are individuals in the region, at least one.
	Around [][]float64
	// Spread scales the steps of numbers, relative to the feature's interval; above 0.
	Spread float64
}

// redraws bounds the draws of one value, and starts those of one neighbour. Ordinary studies
// reach neither bound; they limit the time that hostile ones take.
const (
	redraws = 1000
	starts  = 10_000
)

// errBarren: the constraints reject nearly every neighbour.
var errBarren = fmt.Errorf("the constraints reject nearly all neighbours of the individuals: none of %d drawn has a counterfactual", starts)

// Draw draws one neighbour into a fresh slice, its protected entries 0.
func (c *Cloud) Draw(rng *rand.Rand) ([]float64, error) {
	for range starts {
		x := c.Space.Canonical(c.Around[rng.IntN(len(c.Around))])
		for i := range c.Space.Features {
			if !c.Space.Features[i].IsProtected() && rng.IntN(2) == 1 {
				x[i] = c.move(i, x[i], rng)
			}
		}
		if c.lives(x) {
			return x, nil
		}
	}
	return nil, errBarren
}

// lives reports whether x has a counterfactual that the constraints allow.
func (c *Cloud) lives(x []float64) bool {
	if len(c.Space.Forbidden) == 0 {
		return true
	}
	found := false
	c.Space.EachCombination(c.Region, x, func(point []float64) {
		found = found || c.Space.Allowed(point)
	})
	return found
}

// move draws another value of a feature.
func (c *Cloud) move(feature int, v float64, rng *rand.Rand) float64 {
	iv, f := c.Region.Box[feature], &c.Space.Features[feature]
	if f.Kind == space.Categorical {
		others := int(iv.Hi - iv.Lo)
		if others < 1 {
			return v
		}
		if other := iv.Lo + float64(rng.IntN(others)); other < v {
			return other
		} else {
			return other + 1
		}
	}
	sd := c.Spread * (iv.Hi - iv.Lo)
	for range redraws {
		moved := v + float64(sd*rng.NormFloat64())
		if f.Kind == space.Integer {
			moved = math.Round(moved)
		}
		if iv.Contains(moved) && moved != v {
			return moved
		}
	}
	return v
}

// Sample draws n neighbours for which holds is true (nil: any). It returns fewer after that
// number of attempts.
func (c *Cloud) Sample(rng *rand.Rand, n, attempts int, holds func([]float64) bool) ([][]float64, error) {
	out := make([][]float64, 0, n)
	for range attempts {
		if len(out) == n {
			break
		}
		x, err := c.Draw(rng)
		if err != nil {
			return nil, err
		}
		if holds == nil || holds(x) {
			out = append(out, x)
		}
	}
	return out, nil
}

// check rejects entries of Around that are not individuals of the region.
func (c *Cloud) check() error {
	if len(c.Around) == 0 {
		return errors.New("no individual to explain")
	}
	for i, x := range c.Around {
		if len(x) != len(c.Space.Features) {
			return fmt.Errorf("individual %d has %d values for %d features", i+1, len(x), len(c.Space.Features))
		}
		if !c.Space.ContainsIndividual(x) || !c.Space.RegionContains(c.Region, x) {
			return fmt.Errorf("individual %d lies outside the question's region", i+1)
		}
		if !c.lives(x) {
			return fmt.Errorf("individual %d has no counterfactual that the constraints allow", i+1)
		}
	}
	return nil
}
