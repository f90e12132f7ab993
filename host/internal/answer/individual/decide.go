// Package individual judges one individual, exactly: whether a pair of copies, or all
// its counterfactuals, are treated differently (Judge), and how a model decides about
// single points (Decider), so that every command says the same of the same individual.
package individual

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Decider decides by a rule. Read-only and safe for concurrent use.
type Decider struct {
	model model.Model
	rule  fairness.Rule
	// low and high enclose the logit at which the decision changes.
	low, high float64
	space     *space.Space
	exact     model.Exact
	// largest is how far from 0 a feature's values lie for which bound holds.
	largest []float64
	// bound is how far a logit computed in float64 may be from the true one. A model that
	// knows it of each point is near, with inputs that are no more than off from the
	// exact ones.
	bound float64
	near  model.Near
	off   []float64
}

// New prepares a decider. Model and space must have passed Validate.
func New(m model.Model, s *space.Space, rule fairness.Rule) *Decider {
	d := &Decider{model: m, rule: rule, space: s, exact: m.Exact(), largest: make([]float64, len(s.Features))}
	for i := range s.Features {
		f := &s.Features[i]
		d.largest[i] = max(math.Abs(f.Lo), math.Abs(f.Hi))
		for _, v := range f.Protected {
			d.largest[i] = max(d.largest[i], math.Abs(v))
		}
	}
	d.low, d.high = rule.Border(m.Link())
	size, off := largestInputs(s, d.largest)
	d.bound = m.LogitError(size, off)
	if d.near, _ = m.(model.Near); d.near != nil {
		for i := range s.Features {
			for _, in := range s.Features[i].Inputs {
				if in.Scale == 1 && in.Offset == 0 {
					off[in.Index] = 0 // the value itself
				}
			}
		}
		d.off = off
	}
	return d
}

// With is the decider by another rule.
func (d *Decider) With(rule fairness.Rule) *Decider {
	out := *d
	out.rule = rule
	out.low, out.high = rule.Border(d.model.Link())
	return &out
}

// Output is what the model gives at a point before any sigmoid, in float64: a logit, a share, or a number that it
// predicts.
func (d *Decider) Output(point []float64) float64 {
	return d.model.Logit(d.space.NetworkInputs(nil, point))
}

// At is the score of a point, which the model's inputs must have values for,
// and whether the decision is yes, by the rule and the exact score. The score
// is computed in float64, and from the exact logit where that does not decide, or is off by what a
// reader would see.
func (d *Decider) At(point []float64) (score float64, positive bool) {
	logit, bound := 0.0, d.bound
	if inputs := d.space.NetworkInputs(nil, point); d.near != nil {
		logit, bound = d.near.LogitNear(inputs, d.off)
	} else {
		logit = d.model.Logit(inputs)
	}
	if d.sure(logit, bound, point) && bound <= visible*max(1, math.Abs(logit)) {
		return d.model.Link().Score(logit), logit > d.high
	}
	exact := d.exact.Logit(d.space.ExactInputs(point))
	logit, _ = exact.Float64()
	return d.model.Link().Score(logit), d.rule.Yes(d.model.Link(), exact)
}

// visible is an error of a logit, of one below 1 or of its size, that a score of eight digits shows.
const visible = 0x1p-24

// Coarse reports that scores which were computed in float64 elsewhere, as by evaluate.Evaluator, may be off by what
// a reader would see: At has to give those that are shown.
func (d *Decider) Coarse() bool { return d.near == nil && !(d.bound <= visible) }

// Scores are the scores of points: those that were computed, or where they may be off by what a reader would see,
// new ones.
func (d *Decider) Scores(points [][]float64, computed []float64) []float64 {
	if !d.Coarse() {
		return computed
	}
	out := make([]float64, len(points))
	for i, point := range points {
		out[i], _ = d.At(point)
	}
	return out
}

// Yes is whether the decision about a point is yes whose score was computed elsewhere, as by
// evaluate.Evaluator.
func (d *Decider) Yes(point []float64, score float64) (yes bool) {
	if !d.Coarse() && !d.rule.Near(score) {
		return d.rule.Says(score)
	}
	_, yes = d.At(point)
	return yes
}

// Near reports that a score which was computed elsewhere does not decide.
func (d *Decider) Near(score float64) bool { return d.rule.Near(score) }

// sure reports that a logit computed at a point, off by bound at most, is on the same side of the
// border as the true one.
func (d *Decider) sure(logit, bound float64, point []float64) bool {
	for i, v := range point {
		if !(math.Abs(v) <= d.largest[i]) {
			return false
		}
	}
	return logit-bound > d.high || logit+bound < d.low // false for NaN as well
}

// largestInputs bounds how far a network input lies from 0, and how far what float64
// makes of it from the exact one, at the points of the space whose features are no
// further from 0 than largest.
func largestInputs(s *space.Space, largest []float64) (size, off []float64) {
	const u = 0x1p-53
	size, off = make([]float64, s.Inputs), make([]float64, s.Inputs)
	for i := range s.Features {
		f := &s.Features[i]
		for _, in := range f.Inputs {
			if in.Table == nil {
				size[in.Index] = math.Abs(in.Scale)*largest[i] + math.Abs(in.Offset)
				off[in.Index] = 4*u*size[in.Index] + 0x1p-1070
			}
			for _, v := range in.Table {
				size[in.Index] = max(size[in.Index], math.Abs(v))
			}
		}
	}
	return size, off
}
