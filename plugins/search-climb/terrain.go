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

// terrain is what all climbs of a session share. Nothing of it changes while
// they take a step.
type terrain struct {
	settings
	domain    *chain.Domain
	protected []int
	eval      *evaluate.Evaluator
	// share is the number of evaluations after which a step gives up getting
	// higher.
	share int
	// refused are individuals that the host does not want, by key.
	refused map[string]bool
	summits summits
	// surplus is how many individuals a climb may hand over beside its step:
	// those with k ≥ bar that it came across and that are not known.
	surplus int
	bar     int
	known   chain.Memory
}

func newTerrain(set settings, s *space.Space, o sdk.StartOptions, e *evaluate.Evaluator) *terrain {
	return &terrain{settings: set, domain: chain.NewDomain(s, o), protected: s.Protected(), eval: e, refused: map[string]bool{}}
}

// place is an individual and its rank; the zero place is nowhere, below all
// others.
type place struct {
	x []float64
	chain.Rank
}

func (p *place) nowhere() bool { return p.x == nil }

// summits are the highest tops that the climbs have reached, the highest first.
type summits []place

// maxSummits is how many are kept: enough that their mixtures differ.
const maxSummits = 32

// offer adds a top unless it is there already or lower than all that are kept.
// Of equal rank the earlier one is kept.
func (s *summits) offer(top place) {
	at, _ := slices.BinarySearchFunc(*s, top, func(kept, top place) int {
		return cmp.Or(top.Compare(kept.Rank), -1)
	})
	if at >= maxSummits || slices.ContainsFunc(*s, func(p place) bool { return slices.Equal(p.x, top.x) }) {
		return
	}
	*s = slices.Insert(*s, at, top)
	*s = (*s)[:min(len(*s), maxSummits)]
}

// mixture takes each feature from one or the other of two summits, drawn
// uniformly. There must be two.
func (s summits) mixture(rng *rand.Rand) []float64 {
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

// real steps are at least the range over 2^realSteps.
const realSteps = 16

// around appends to dst the values other than v that are tried for feature i:
// all of a domain of few values; of a wide one its ends and steps up and down
// that double in length; of a wide categorical one, whose values have no order,
// random ones.
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
	half := iv.Hi/2 - iv.Lo/2 // the range itself may be no float64
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
