package main

import (
	"math"

	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// terrain is the state that all walks of a session share. It does not change while they
// take a step.
type terrain struct {
	settings
	domain *chain.Domain
	eval   *evaluate.Evaluator
	seeds  [][][]float64 // rows by cluster
	// refused holds the keys of individuals that the host refused.
	refused map[string]bool
}

// place is an individual and its rank.
type place struct {
	x []float64
	chain.Rank
}

// welcome reports whether x is in the space and was not refused.
func (t *terrain) welcome(x []float64) bool { return !t.refused[chain.Key(x)] && t.domain.Inside(x) }

// stepOf returns the length of a step of an ordered feature.
func (t *terrain) stepOf(i int) float64 {
	iv := t.domain.Interval(i)
	step := 2 * float64((iv.Hi/2-iv.Lo/2)*t.stride)
	if t.domain.Space().Features[i].Discrete() {
		step = math.Max(1, math.Round(step))
	}
	return math.Min(step, math.MaxFloat64)
}

// tabled reports whether a feature's values have no order that a slope could follow.
func tabled(f *space.Feature) bool { return f.HasTable() || f.Kind == space.Categorical }

// within returns the value of the interval nearest to v.
func within(iv space.Interval, v float64) float64 { return math.Max(iv.Lo, math.Min(iv.Hi, v)) }
