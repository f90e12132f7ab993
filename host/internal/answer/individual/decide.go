// Package individual judges one individual exactly: whether a pair of copies, or any of its
// counterfactuals, are treated differently (Judge), and how a model decides about single points
// (Decider). All commands use it, so that they agree on each individual.
package individual

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Decider applies a decision rule to a model's scores. Read-only and safe for concurrent use.
type Decider struct {
	model model.Model
	rule  fairness.Rule
	// borders has an entry for each of the rule's thresholds.
	borders []border
	space   *space.Space
	exact   model.Exact
	// largest holds, by feature, the largest absolute value for which bound holds.
	largest []float64
	// bound is the largest error of a logit in float64. near is the model if it bounds the
	// error at each point; off bounds the errors of its inputs.
	bound float64
	near  model.Near
	off   []float64
}

// border is a threshold of a rule: low and high enclose the logit at which the decision changes.
type border struct {
	rule      fairness.Rule
	low, high float64
}

// New prepares a decider. Model and space must have passed Validate.
func New(m model.Model, s *space.Space, rule fairness.Rule) *Decider {
	d := &Decider{model: m, space: s, exact: m.Exact(), largest: make([]float64, len(s.Features))}
	for i := range s.Features {
		f := &s.Features[i]
		d.largest[i] = max(math.Abs(f.Lo), math.Abs(f.Hi))
		for _, v := range f.Protected {
			d.largest[i] = max(d.largest[i], math.Abs(v))
		}
	}
	d.take(rule, m.Link())
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

// With returns the decider with another rule.
func (d *Decider) With(rule fairness.Rule) *Decider {
	out := *d
	out.take(rule, d.model.Link())
	return &out
}

func (d *Decider) take(rule fairness.Rule, link fairness.Link) {
	d.rule, d.borders = rule, nil
	for _, one := range rule.Each() {
		low, high := one.Border(link)
		d.borders = append(d.borders, border{one, low, high})
	}
}

// Borders returns the logit above which the decision is positive, for each point.
func Borders(rule fairness.Rule, link fairness.Link, s *space.Space, points [][]float64) []float64 {
	d, out := &Decider{space: s}, make([]float64, len(points))
	d.take(rule, link)
	for i, point := range points {
		out[i] = d.at(point).high
	}
	return out
}

// at returns the border for a point. A value outside an attribute's domain counts as the nearest
// one inside.
func (d *Decider) at(point []float64) *border {
	return &d.borders[max(0, d.rule.Of(func(name string) float64 {
		i, _ := d.space.Index(name)
		f, v := &d.space.Features[i], point[i]
		if slices.Contains(f.Protected, v) {
			return v
		}
		return min(max(v, f.Lo), f.Hi)
	}))]
}

// Output is the model's output at a point before any sigmoid, in float64: a logit, a share, or
// a predicted number.
func (d *Decider) Output(point []float64) float64 {
	return d.model.Logit(d.space.NetworkInputs(nil, point))
}

// At returns the score of a point, and whether the decision is positive by the rule and the
// exact score. The point must have a value for every input of the model. The score is computed
// in float64; if that does not decide, or its error would be visible in the printed score, from
// the exact logit.
func (d *Decider) At(point []float64) (score float64, positive bool) {
	logit, bound := d.logit(point)
	b := d.at(point)
	if outside(logit, bound, b.low, b.high) && bound <= visible*max(1, math.Abs(logit)) {
		return d.model.Link().Score(logit), logit > b.high
	}
	exact := d.exact.Logit(d.space.ExactInputs(point))
	logit, _ = exact.Float64()
	return d.model.Link().Score(logit), b.rule.Yes(d.model.Link(), exact)
}

// logit returns the logit of a point in float64 and its largest error, which is infinite for values beyond
// largest.
func (d *Decider) logit(point []float64) (logit, bound float64) {
	bound = d.bound
	if inputs := d.space.NetworkInputs(nil, point); d.near != nil {
		logit, bound = d.near.LogitNear(inputs, d.off)
	} else {
		logit = d.model.Logit(inputs)
	}
	for i, v := range point {
		if !(math.Abs(v) <= d.largest[i]) {
			return logit, math.Inf(1)
		}
	}
	return logit, bound
}

// outside reports whether a logit with an error of at most bound is surely below low or above high.
func outside(logit, bound, low, high float64) bool {
	return logit-bound > high || logit+bound < low // false for NaN as well
}

// visible is the error of a logit, relative to its size if that exceeds 1, above which a score
// of eight digits may change.
const visible = 0x1p-24

// Coarse reports whether scores computed in float64 elsewhere, as by evaluate.Evaluator, may
// have visible errors; then At must compute the scores to show.
func (d *Decider) Coarse() bool { return d.near == nil && !(d.bound <= visible) }

// Scores returns the scores of points: the given ones, or, if these may have visible errors,
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

// Yes reports whether the decision about a point is positive, given its score from elsewhere,
// such as evaluate.Evaluator.
func (d *Decider) Yes(point []float64, score float64) (yes bool) {
	if !d.Coarse() {
		if rule := &d.at(point).rule; !rule.Near(score) {
			return rule.Says(score)
		}
	}
	_, yes = d.At(point)
	return yes
}

// Says decides a float64 score, ignoring its rounding.
func (d *Decider) Says(point []float64, score float64) bool { return d.at(point).rule.Says(score) }

// Grouped reports whether thresholds depend on groups: then a larger score does not imply a positive decision.
func (d *Decider) Grouped() bool { return d.rule.Groups != nil }

// Near reports whether a score computed elsewhere is too near the border to decide. Not for thresholds by group: see Yes.
func (d *Decider) Near(score float64) bool { return d.rule.Near(score) }

// largestInputs bounds the absolute value of each network input, and the error of its float64
// value. It covers all points at which no feature's absolute value exceeds its entry in largest.
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
