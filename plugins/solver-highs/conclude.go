package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// outcome is the result of a run.
type outcome struct {
	code  int
	point []float64 // the point that HiGHS holds, nil if there is none
	known []float64 // the best incumbent during the run, nil if there was none
	bound float64   // NaN if there is none
	nodes int64
	// stopped is set if the monitor stopped the run, for the reason.
	stopped bool
	reason  sdk.Reason
}

// conclude turns the outcome into a claim. It checks HiGHS's claim against HiGHS's own
// points and the start values: "infeasible" despite a feasible point, or "optimal"
// despite a better one, becomes Feasible with the reason Numerical.
func (q *question) conclude(o outcome) *sdk.Result {
	if o.code == statusUnboundedOrInfeasible && !q.WantsBest() {
		o.code = statusInfeasible // without an objective it cannot be unbounded
	}
	r := q.Result(claims.Of(o.code), o.nodes)
	if o.code == statusInterrupt && o.stopped {
		r.Reason = o.reason
	}

	x, others := o.point, [][]float64{o.known, q.WholeStart()}
	if r.Status == sdk.Infeasible { // a point either refutes the claim or is invalid
		x, others = nil, append(others, o.point)
	}
	for _, other := range others {
		if other == nil || !q.Feasible(other) {
			continue
		}
		if x == nil || q.WantsBest() && q.Better(q.Objective(other), q.Objective(x)) {
			q.doubt(r, x, other)
			x = other
		}
	}
	if r.Status == sdk.Optimal && x == nil {
		r.Status, r.Reason, r.Detail = sdk.Unknown, sdk.Numerical, "HiGHS claims an optimum but holds no feasible point"
	}
	if x != nil {
		q.hold(r, x)
	}
	q.setBound(r, o)
	if o.code == statusUnbounded && x != nil {
		r.Detail = "the objective has no bound"
	}
	return r
}

// doubt corrects the claim if the feasible point other contradicts it: the claim that no
// point is feasible, or that x is optimal.
func (q *question) doubt(r *sdk.Result, x, other []float64) {
	switch {
	case r.Status == sdk.Infeasible:
		r.Detail = "HiGHS claims that the problem is infeasible, but a feasible point is known"
	case r.Status == sdk.Optimal && x != nil && math.Abs(q.Objective(other)-q.Objective(x)) > q.slack(q.Objective(x)):
		r.Detail = fmt.Sprintf("HiGHS claims the optimum %g, but a better point is known", q.Objective(x))
	default:
		return
	}
	r.Status, r.Reason = sdk.Feasible, sdk.Numerical
}

// slack returns by how much an optimum may miss the true one: the allowed gap plus the
// tolerance.
func (q *question) slack(objective float64) float64 {
	relative := max(q.Options.Gap, q.Tolerance) * math.Abs(objective)
	return q.Tolerance + max(q.settings[absoluteGap].Number, relative)
}

// hold makes x the result's point, with its objective and its violation. A result becomes
// Feasible if it was Unknown, or Optimal although no optimum was asked for.
func (q *question) hold(r *sdk.Result, x []float64) {
	r.Values = problem.Floats(x)
	r.Objective = q.Objective(x)
	// HiGHS measures violations on a scaled problem; the claim needs those of the given
	// one.
	r.Tolerance = max(r.Tolerance, q.MILP.Violation(x))
	switch {
	case r.Status == sdk.Optimal && !q.WantsBest():
		r.Status = sdk.Feasible
	case r.Status == sdk.Unknown:
		r.Status = sdk.Feasible
		if q.Suffices(x) {
			r.Reason = sdk.NoReason // the point meets all that was asked
		}
	}
}

// setBound sets the bound if HiGHS proved one.
func (q *question) setBound(r *sdk.Result, o outcome) {
	if !q.WantsBest() || r.Status == sdk.Infeasible || r.Reason == sdk.Numerical || o.code == statusUnbounded {
		return
	}
	bound := o.bound
	if math.IsNaN(bound) || !q.hasIntegers() {
		if r.Status != sdk.Optimal {
			return
		}
		bound = r.Objective // for an LP, the optimum itself
	}
	if r.HasPoint() && q.Better(r.Objective, bound) {
		if r.Status == sdk.Optimal && math.Abs(r.Objective-bound) > q.slack(r.Objective) {
			r.Status, r.Reason = sdk.Feasible, sdk.Numerical
			r.Detail = fmt.Sprintf("HiGHS's bound %g contradicts its own point", bound)
			return
		}
		bound = r.Objective
	}
	r.Bound, r.HasBound = bound, true
}

func (q *question) hasIntegers() bool {
	return slices.ContainsFunc(q.MILP.Columns, func(c problem.Column) bool { return c.Integer })
}
