package engine

import (
	"context"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
)

const (
	// stopSlack ends a solve at the first point this far beyond every tangent: the replay then
	// decides, and if it refuses the point, a tangent is added.
	stopSlack = 1e-3
	// maxRefinements bounds the tangents of one region.
	maxRefinements = 200
)

// score decides a region in the score notion by the tangent loop of
// docs/reference/semantics.md: maximise the slack to all tangents of the border, replay the
// point, and add the tangent at it. While maximising, each witness beyond the goal sets a
// higher one.
func (a *ask) score(ctx context.Context) (outcome, error) {
	upper := a.trivialBound(a.b)
	coarser := 1.0
	goal := a.goal(coarser)
	curve, delta, ok := a.border(goal)
	if !ok {
		return outcome{decided: true, by: ByBounds, grade: sdk.GradeRigorous, bound: upper}, nil
	}
	delta.Objective = a.low.milp.MostRoom()
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
		if a.excluded(out) {
			if !a.audit(out, goal-a.best(), a.proved(goal, out).tolerance) {
				return a.proved(math.Min(goal, upper), out), nil
			}
			by = BySampling
		}
		if a.report.Witness != nil && a.deciding {
			return outcome{decided: true, by: by, bound: upper}, nil
		}
		at, moved := a.at(out, a.order, last)
		switch {
		case out.stops(ctx):
			return outcome{stopped: true, bound: upper, why: out.why()}, nil
		case out.fault != "":
			return outcome{bound: upper, why: out.why()}, nil
		case !a.deciding && a.best() > goal:
			if !a.o.SolverOnly {
				a.polish(ctx, a.report.Witness)
			}
			at = a.report.Witness.Logit1
		case moved:
			last = at
			a.report.Refinements++
			delta = problem.Delta{Rows: []problem.Row{a.low.milp.Tangent(curve, a.order, at)}}
			continue
		case a.deciding || goal-a.best() > 2*out.tolerance:
			return outcome{bound: upper, why: out.why()}, nil
		default:
			coarser *= 10 // the step is too fine for the solver's tolerance
		}
		goal, last = a.goal(coarser), math.Inf(-1)
		if curve, delta, ok = a.border(goal); !ok {
			return outcome{decided: true, by: ByBounds, grade: sdk.GradeRigorous, bound: upper}, nil
		}
		if !math.IsNaN(at) {
			delta.Rows = append(delta.Rows, a.low.milp.Tangent(curve, a.order, at))
		}
	}
	return outcome{bound: upper, why: "too many tangents"}, nil
}

// excluded reports whether the claim leaves nothing beyond the goal. A verdict needs a reserve
// of the solver's tolerance for both logits; a bound needs none, since it is printed with the
// tolerance.
func (a *ask) excluded(out *answer) bool {
	if out.fault != "" {
		return false
	}
	if a.deciding {
		return out.upper < -2*out.tolerance
	}
	return out.upper < 0
}

// at returns the higher copy's logit at the answer's point, NaN without a point. moved reports
// whether it differs from the logit of the previous answer, last.
func (a *ask) at(out *answer, o encode.Order, last float64) (at float64, moved bool) {
	if out.Values == nil || out.fault != "" {
		return math.NaN(), false
	}
	at = out.Values[a.low.logits[o.High]].Float64()
	return at, math.Abs(at-last) > 1e-9*(1+math.Abs(at))
}

// goal is the gap that a violation must exceed: ε, or while maximising a step
// more than the best so far, so that the proof can close. (A score step δ is a
// slack of 4δ or more.)
func (a *ask) goal(coarser float64) float64 {
	a.adopt()
	if a.deciding {
		return a.best()
	}
	return a.best() + coarser*a.apart(0)
}

// border returns the curve at a target and the delta that describes it: bounds
// on the logits and the first tangents. The result is false if the bounds of the
// logits prove that no gap exceeds the target.
func (a *ask) border(target float64) (encode.Curve, problem.Delta, bool) {
	exact := new(big.Rat).SetFloat64(target)
	if a.deciding {
		exact = a.target
	}
	curve, ok := encode.NewCurve(exact, a.b.Logit.Lo, a.b.Logit.Hi)
	if !ok {
		return curve, problem.Delta{}, false
	}
	return curve, a.low.milp.Tangents(curve, a.order), true
}

// proved concludes that no gap of the region exceeds bound. The slope of σ is
// at most ¼, and both logits may be off by the solver's tolerance.
func (a *ask) proved(bound float64, out *answer) outcome {
	return outcome{
		decided: true, by: BySolver, grade: sdk.GradeNumerical, bound: bound,
		tolerance: out.tolerance / 2,
		formula:   "2 copies × ¼ (slope of σ) × sensitivity of a logit × the solver's tolerance",
	}
}
