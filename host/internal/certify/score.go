package certify

import (
	"context"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
)

const (
	// startTangents describe the border well enough that most questions end at
	// the first or second answer.
	startTangents = 8
	// stopSlack ends a solve at the first point this far beyond every tangent:
	// the replay then decides, and a tangent is added where it refuses.
	stopSlack = 1e-3
	// usualTolerance is what MILP solvers run with, before one has said.
	usualTolerance = 1e-6
	// maxRefinements bounds the tangents of one region.
	maxRefinements = 200
)

// score decides a region in the score notion by the tangent loop of
// docs/semantics.md: maximise the room that all tangents of the border leave,
// replay, and add the tangent at the point that came back. While maximising,
// each witness beyond the goal sets a higher one.
func (a *ask) score(ctx context.Context) (outcome, error) {
	upper := a.trivialBound(a.b)
	goal := a.goal(usualTolerance * a.low.Sensitivity)
	curve, delta, ok := a.border(goal)
	if !ok {
		return outcome{bound: upper, why: "the bounds leave no room above ε"}, nil
	}
	delta.Objective = &problem.Objective{Maximise: true, Terms: []problem.Term{{Column: a.low.Slack, Coef: 1}}}
	last := math.Inf(-1)
	stop := stopSlack
	for range maxRefinements {
		out, err := a.solve(ctx, delta, &stop)
		if err != nil {
			return outcome{}, err
		}
		by := BySolver
		if out.witness != nil {
			a.found(out.witness)
		}
		if out.fault == "" && out.upper < -2*out.tolerance {
			tolerance := a.proved(goal, out).tolerance
			if !a.audit(goal-a.best(), tolerance) {
				return a.proved(goal, out), nil
			}
			by = BySampling
		}
		if a.report.Witness != nil && a.deciding {
			return outcome{decided: true, by: by, grade: sdk.Exact, bound: upper}, nil
		}
		if !a.deciding && a.best() > goal {
			a.polish(ctx, a.report.Witness)
			goal = a.goal(max(out.tolerance, usualTolerance*a.low.Sensitivity))
			if curve, delta, ok = a.border(goal); !ok {
				return outcome{decided: true, by: ByBounds, grade: sdk.Rigorous, bound: goal}, nil
			}
			delta.Rows = append(delta.Rows, a.tangent(curve, a.report.Witness.Logit1))
			last = math.Inf(-1)
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
		delta = problem.Delta{Rows: []problem.Row{a.tangent(curve, at)}}
	}
	return outcome{bound: upper, why: "too many tangents"}, nil
}

func (a *ask) tangent(c encode.Curve, at float64) problem.Row {
	return c.Row(at, a.low.Logits[0], a.low.Logits[1], a.low.Slack)
}

// goal is the gap that a violation must exceed: ε, or while maximising so much
// more than the best so far that the solver's tolerance of a logit cannot blur
// the difference (a score step δ is a slack of 4δ or more).
func (a *ask) goal(tolerance float64) float64 {
	best := a.best()
	if a.deciding {
		return best
	}
	return best + max(1e-6, 2*tolerance, a.o.Gap*best)
}

// best is the target in float64.
func (a *ask) best() float64 {
	t, _ := a.target.Float64()
	return t
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
