package main

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// conclude turns the outcome into a claim. It checks lp_solve's claim against lp_solve's
// own points, its settings and the start values.
func (q *question) conclude(o outcome) *sdk.Result {
	c := claims.Of(o.code)
	switch o.end {
	case stopped:
		c = milp.Claim{Status: sdk.Unknown, Reason: o.reason, Native: "stopped"}
	case stalled:
		c = milp.Claim{Status: sdk.Unknown, Reason: sdk.Numerical, Native: "stalled"}
	case alone:
		c = milp.Claim{Status: sdk.Unknown, Reason: sdk.Numerical, Native: "relaxation infeasible with one scaling, unconfirmed with another"}
	}
	r := q.Result(c, o.nodes)
	x := o.point
	if o.known != nil && (x == nil || q.WantsBest() && q.Better(q.Objective(o.known), q.Objective(x))) {
		x = o.known
	}
	switch {
	case r.Status == sdk.Infeasible && x != nil:
		q.doubt(r, "lp_solve claims that the problem is infeasible, but a feasible point is known")
	case r.Status == sdk.Infeasible && !o.trusted:
		q.doubt(r, "lp_solve finds no point, but with settings whose proofs are not trusted")
	case r.Status == sdk.Optimal && o.point == nil:
		q.doubt(r, "lp_solve claims an optimum, but gives no feasible point")
	case r.Status == sdk.Optimal && q.WantsBest() && !o.trusted:
		q.doubt(r, "lp_solve claims the optimum %g, but with settings whose proofs are not trusted", q.Objective(o.point))
	case r.Status == sdk.Optimal && q.WantsBest() && math.Abs(q.Objective(x)-o.best) > q.slack(o.best):
		q.doubt(r, "lp_solve claims the optimum %g, but the best feasible point known has %g", o.best, q.Objective(x))
	}
	if x != nil {
		q.hold(r, x)
	}
	q.setBound(r, o)
	if o.code == statusUnbounded && o.end == finished && x != nil {
		r.Detail = "the objective has no bound"
	}
	return r
}

// doubt replaces the claim with Unknown, and says why.
func (q *question) doubt(r *sdk.Result, why string, args ...any) {
	r.Status, r.Reason, r.Detail = sdk.Unknown, sdk.Numerical, fmt.Sprintf(why, args...)
}

// slack returns by how much an optimum may miss the true one: the allowed gap plus the
// tolerance.
func (q *question) slack(objective float64) float64 {
	return q.Tolerance + q.gap(objective) + q.Tolerance*math.Abs(objective)
}

// gap returns by how much a point may be better than lp_solve's optimum; lp_solve
// measures gaps relative to 1 + |objective|.
func (q *question) gap(objective float64) float64 {
	return min(q.Options.Gap, largestGap) * (1 + math.Abs(objective))
}

// hold makes x the result's point, with its objective. The result becomes Feasible, unless
// it is an optimum that was asked for.
func (q *question) hold(r *sdk.Result, x []float64) {
	r.Values = problem.Floats(x)
	r.Objective = q.Objective(x)
	if r.Status == sdk.Optimal && q.WantsBest() {
		return
	}
	r.Status = sdk.Feasible
	if q.Suffices(x) {
		r.Reason, r.Detail = sdk.NoReason, "" // the point meets all that was asked
	}
}

// setBound sets the bound if one is proved: the relaxation's or, if it is tighter, the
// optimum plus the allowed gap.
func (q *question) setBound(r *sdk.Result, o outcome) {
	if !q.WantsBest() || r.Status == sdk.Infeasible || o.code == statusUnbounded && o.end == finished {
		return
	}
	bound := o.relaxation
	if r.HasPoint() && r.Status != sdk.Optimal && !math.IsNaN(bound) && q.Better(r.Objective, bound) && math.Abs(r.Objective-bound) > q.slack(bound) {
		return // a point beyond the bound refutes it
	}
	if r.Status == sdk.Optimal {
		proved := r.Objective - sign(q.MILP.Objective.Maximise)*q.gap(r.Objective)
		if math.IsNaN(bound) || q.Better(bound, proved) {
			bound = proved
		}
	}
	if math.IsNaN(bound) {
		return
	}
	if r.HasPoint() && q.Better(r.Objective, bound) {
		bound = r.Objective
	}
	r.Bound, r.HasBound = bound, true
}
