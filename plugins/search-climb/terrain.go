package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// terrain is the state that all climbs of a session share. It does not change while they
// take a step.
type terrain struct {
	settings
	domain    *chain.Domain
	protected []int
	eval      *evaluate.Evaluator
	// share is the number of evaluations after which a step stops looking for an
	// improvement.
	share int
	// refused holds the keys of individuals that the host refused.
	refused map[string]bool
	optima  optima
	// surplus is the number of further individuals that a climb may hand over with its
	// step: ones that it has evaluated, with k ≥ bar, and that are not in known.
	surplus int
	bar     int
	known   chain.Memory
}

func newTerrain(set settings, s *space.Space, o sdk.StartOptions, e *evaluate.Evaluator) *terrain {
	return &terrain{settings: set, domain: chain.NewDomain(s, o), protected: s.Protected(), eval: e, refused: map[string]bool{}}
}

// place is an individual and its rank; the zero place is nowhere, and ranks below all
// others.
type place struct {
	x []float64
	chain.Rank
}

func (p *place) nowhere() bool { return p.x == nil }

// optima are the best local optima that the climbs have reached, the best first.
type optima []place

// maxOptima is the number of local optima kept: enough for varied crossovers.
const maxOptima = 32

// offer adds a local optimum unless it is already there or worse than all that are kept.
// Among equals, earlier ones stay.
func (s *optima) offer(p place) {
	at, _ := slices.BinarySearchFunc(*s, p, func(kept, p place) int {
		return cmp.Or(p.Compare(kept.Rank), -1)
	})
	if at >= maxOptima || slices.ContainsFunc(*s, func(kept place) bool { return slices.Equal(kept.x, p.x) }) {
		return
	}
	*s = slices.Insert(*s, at, p)
	*s = (*s)[:min(len(*s), maxOptima)]
}

// mixture returns the uniform crossover of two random optima. There must be at least
// two.
func (s optima) mixture(rng *rand.Rand) []float64 {
	a, b := rng.IntN(len(s)), rng.IntN(len(s)-1)
	if b >= a {
		b++
	}
	x := slices.Clone(s[a].x)
	for i := range x {
		if rng.IntN(2) == 0 {
			x[i] = s[b].x[i]
		}
	}
	return x
}

// realSteps limits the steps of real features: they are at least the range over
// 2^realSteps.
const realSteps = 16

// around appends to dst the values other than v to try for feature i: all values of a
// small domain; of a large one its ends, and steps up and down of doubling length; of a
// large categorical one, whose values have no order, random values.
func (t *terrain) around(dst []float64, i int, v float64, rng *rand.Rand) []float64 {
	f, iv := &t.domain.Space().Features[i], t.domain.Interval(i)
	if f.Discrete() && iv.Hi-iv.Lo < float64(t.values) {
		for w := iv.Lo; w <= iv.Hi; w++ {
			if w != v {
				dst = append(dst, w)
			}
		}
		return dst
	}
	add := func(w float64) {
		if w != v && iv.Contains(w) {
			dst = append(dst, w)
		}
	}
	if f.Kind == space.Categorical {
		for range t.values {
			add(iv.Lo + float64(rng.Int64N(int64(iv.Hi-iv.Lo)+1)))
		}
		return dst
	}
	add(iv.Lo)
	add(iv.Hi)
	half := iv.Hi/2 - iv.Lo/2 // the entire range may overflow
	step := 1.0
	if f.Kind == space.Real {
		step = math.Ldexp(half, 1-realSteps)
	}
	for ; step <= half && step > 0; step *= 2 {
		add(v - step)
		add(v + step)
	}
	return dst
}
