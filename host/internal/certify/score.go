package certify

import (
	"context"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/network"
	"github.com/hyfair/hyfair/sdk/problem"
)

const (
	// startTangents describe the border well enough that most questions end at
	// the first or second answer.
	startTangents = 8
	// stopSlack ends a solve at the first point this far beyond every tangent:
	// the replay then decides, and a tangent is added where it refuses.
	stopSlack = 1e-3
	// maxRefinements bounds the tangents of one region.
	maxRefinements = 200
)

// score decides a region in the score notion by the tangent loop of
// docs/semantics.md: maximise the room that all tangents of the border leave,
// replay, and add the tangent at the point that came back.
func (a *ask) score(ctx context.Context) (outcome, error) {
	L, U := a.b.Logit.Lo, a.b.Logit.Hi
	curve, delta, ok := a.border(a.goal())
	if !ok {
		return outcome{bound: a.trivialBound(a.b), why: "the bounds leave no room above ε"}, nil
	}
	delta.Objective = &problem.Objective{Maximise: true, Terms: []problem.Term{{Column: a.low.Slack, Coef: 1}}}
	upper := network.Sigmoid(U) - network.Sigmoid(L)
	last := math.Inf(-1)
	target := stopSlack
	for range maxRefinements {
		out, err := a.solve(ctx, delta, &target)
		if err != nil {
			return outcome{}, err
		}
		delta = problem.Delta{}
		proved := out.witness == nil && out.fault == "" && out.upper < -2*out.tolerance
		if proved && !a.audit(a.proved(0, out).tolerance) {
			return a.proved(a.goal(), out), nil
		}
		if out.witness != nil || proved {
			by := BySampling
			if out.witness != nil {
				by = BySolver
				a.found(out.witness)
			}
			if a.deciding {
				return outcome{decided: true, by: by, grade: sdk.Exact, bound: upper}, nil
			}
			a.polish(ctx, a.report.Witness)
			if curve, delta, ok = a.border(a.goal()); !ok {
				return a.proved(a.goal(), out), nil
			}
			delta.Rows = append(delta.Rows, curve.Row(a.report.Witness.Logit1, a.low.Logits[0], a.low.Logits[1], a.low.Slack))
			continue
		}
		if out.stops(ctx) {
			return outcome{stopped: true, bound: upper, why: out.why()}, nil
		}
		at := math.NaN()
		if out.Values != nil {
			at = out.Values[a.low.Logits[0]].Float64()
		}
		if out.fault != "" || math.IsNaN(at) || math.Abs(at-last) < 1e-9*(1+math.Abs(at)) {
			return outcome{bound: upper, why: out.why()}, nil
		}
		last = at
		a.report.Refinements++
		delta.Rows = []problem.Row{curve.Row(at, a.low.Logits[0], a.low.Logits[1], a.low.Slack)}
	}
	return outcome{bound: upper, why: "too many tangents"}, nil
}

// goal is the gap that a violation must exceed: ε, or while maximising a
// little more than the best so far, so that the proof can close.
func (a *ask) goal() float64 {
	t, _ := a.target.Float64()
	if a.deciding {
		return t
	}
	return t + math.Max(1e-6, a.o.Gap*t)
}

// border is the curve at a target and the delta that describes it: bounds on
// the logits and the first tangents.
func (a *ask) border(target float64) (encode.Curve, problem.Delta, bool) {
	L, U := a.b.Logit.Lo, a.b.Logit.Hi
	curve, ok := encode.NewCurve(target, L, U)
	if !ok {
		return curve, problem.Delta{}, false
	}
	first, second := a.low.Logits[0], a.low.Logits[1]
	d := problem.Delta{ColumnBounds: []problem.ColumnBound{
		{Column: first, Lo: curve.LeastA(), Hi: U},
		{Column: second, Lo: L, Hi: curve.GreatestB()},
	}}
	for _, at := range curve.Start(startTangents) {
		d.Rows = append(d.Rows, curve.Row(at, first, second, a.low.Slack))
	}
	return curve, d, true
}

// proved concludes that no gap of the region exceeds bound. The slope of σ is
// at most ¼, and both logits may be off by the solver's tolerance.
func (a *ask) proved(bound float64, out *answer) outcome {
	return outcome{
		decided: true, by: BySolver, grade: sdk.NumericalGrade, bound: bound,
		tolerance: out.tolerance / 2,
		formula:   "2 copies × ¼ (slope of σ) × sensitivity of a logit × the solver's tolerance",
	}
}
