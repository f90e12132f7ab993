// Package watch is the eye on a search for the best point of a problem in the
// MILP form, for solver plugins whose library calls back while it runs. A
// Question says what is asked, a Watch keeps the limits that the library does
// not keep by itself (cancellation, time, memory), remembers the best point seen
// and tells of progress:
//
//	w := watch.Start(ctx, q)
//	run(func(e Event) (stop bool) { // the library's callback
//		if e.Point != nil && q.MILP.Violation(e.Point) <= tolerance {
//			w.Found(e.Point)
//		}
//		w.Searched(e.Nodes)
//		_, stop = w.Stopped()
//		return stop
//	})
//	w.End()
package watch

import (
	"math"
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
}

// WantsBest reports whether there is an objective to optimise; without one any
// feasible point is an answer.
func (q *Question) WantsBest() bool { return len(q.MILP.Objective.Terms) > 0 }

// Objective is the objective at x, with its offset.
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

// ReachesTarget reports whether there is a target, and x is as good.
func (q *Question) ReachesTarget(x []float64) bool {
	t := q.Options.Target
	return t != nil && !q.Better(*t, q.Objective(x))
}

// Left is the time that remains, -1 where there is no limit.
func (q *Question) Left() time.Duration {
	if q.Options.TimeLimit <= 0 {
		return -1
	}
	return max(0, q.Options.TimeLimit-time.Since(q.Begin))
}

// WholeStart is the problem's start where it has a value for every column, else
// nil. Whether it is feasible is another matter.
func (q *Question) WholeStart() []float64 {
	for _, v := range q.MILP.Start {
		if math.IsNaN(v) {
			return nil
		}
	}
	return q.MILP.Start
}

// WithoutObjective asks for any point at all, silently, in the time that is
// left: what settles whether it is the objective that has no bound.
func (q *Question) WithoutObjective() Question {
	plain := *q.MILP
	plain.Objective = problem.Objective{}
	o := q.Options
	o.Progress, o.Target = nil, nil
	if left := q.Left(); left >= 0 {
		o.TimeLimit = max(left, time.Nanosecond)
	}
	return Question{MILP: &plain, Options: o, Begin: time.Now()}
}
