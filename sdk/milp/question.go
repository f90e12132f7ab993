package milp

import (
	"math"
	"slices"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Question is one Solve of a problem in the MILP form.
type Question struct {
	MILP    *problem.MILP
	Options sdk.SolveOptions
	// Begin is when the Solve was called: limits and elapsed times count from it.
	Begin time.Time
	// Tolerance is the error that the solver's arithmetic may leave in a row, an
	// integer value, or the bound.
	Tolerance float64
}

// WantsBest reports whether there is an objective to optimise; without one any
// feasible point is an answer.
func (q *Question) WantsBest() bool { return len(q.MILP.Objective.Terms) > 0 }

// Objective returns the objective's value at x, with its offset.
func (q *Question) Objective(x []float64) float64 {
	return problem.Evaluate(q.MILP.Objective.Terms, x) + q.MILP.Objective.Offset
}

// Better reports whether objective a is better than b.
func (q *Question) Better(a, b float64) bool {
	if q.MILP.Objective.Maximise {
		return a > b
	}
	return a < b
}

// ReachesTarget reports whether there is a target, and x is at least as good.
func (q *Question) ReachesTarget(x []float64) bool {
	t := q.Options.Target
	return t != nil && !q.Better(*t, q.Objective(x))
}

// Suffices reports whether the feasible point x answers the question.
func (q *Question) Suffices(x []float64) bool { return !q.WantsBest() || q.ReachesTarget(x) }

// Feasible reports whether x violates nothing by more than the tolerance.
func (q *Question) Feasible(x []float64) bool { return q.MILP.Violation(x) <= q.Tolerance }

// Left is the time that remains; -1 if there is no limit.
func (q *Question) Left() time.Duration {
	if q.Options.TimeLimit <= 0 {
		return -1
	}
	return max(0, q.Options.TimeLimit-time.Since(q.Begin))
}

// WholeStart returns the problem's start if it has a value for every column, else
// nil. The start may be infeasible.
func (q *Question) WholeStart() []float64 {
	if slices.ContainsFunc(q.MILP.Start, math.IsNaN) {
		return nil
	}
	return q.MILP.Start
}

// withoutObjective asks for any feasible point, without progress reports, in the time
// that is left.
func (q *Question) withoutObjective() Question {
	plain := *q.MILP
	plain.Objective = problem.Objective{}
	o := q.Options
	o.Progress, o.Target = nil, nil
	if left := q.Left(); left >= 0 {
		o.TimeLimit = max(left, time.Nanosecond)
	}
	return Question{MILP: &plain, Options: o, Begin: time.Now(), Tolerance: q.Tolerance}
}
