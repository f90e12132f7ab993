package main

import (
	"context"
	"math"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// question is one Solve: the problem, how lp_solve sees it, and how to answer.
type question struct {
	lib       *lpsolve.Lib
	milp      *problem.MILP
	options   sdk.SolveOptions
	settings  settings
	tolerance float64
	begin     time.Time
	// order has the problem's column at each of the model's; columns beyond the
	// problem's last are spellOut's.
	order []int
	model *lpsolve.Problem
	// plainly says why the problem is infeasible, where that is seen without
	// lp_solve.
	plainly string
}

func newQuestion(lib *lpsolve.Lib, m *problem.MILP, o sdk.SolveOptions, s settings, begin time.Time) (*question, error) {
	lost, err := dropped(m)
	if err != nil {
		return nil, err
	}
	q := &question{lib: lib, milp: m, options: o, settings: s, tolerance: max(lost, s.tolerance()), begin: begin}
	asked, err := spellOut(m, s[sets] == nativeSets)
	if err != nil {
		return nil, err
	}
	q.order = branchingOrder(asked)
	q.model, q.plainly, err = translate(asked, q.order, len(m.Rows))
	return q, err
}

// answer finds the claim.
func (q *question) answer(ctx context.Context) (*sdk.Result, error) {
	switch {
	case q.plainly != "":
		return &sdk.Result{Status: sdk.Infeasible, Native: "not asked", Detail: q.plainly, Tolerance: q.tolerance, Elapsed: time.Since(q.begin)}, nil
	case len(q.milp.Columns) == 0:
		r := &sdk.Result{Status: sdk.Feasible, Native: "not asked", Values: []problem.Number{}, Objective: q.milp.Objective.Offset, Tolerance: q.tolerance}
		r.Elapsed = time.Since(q.begin)
		return r, nil
	}
	w := newWatch(ctx, q)
	o, err := q.search(w)
	w.end()
	if err != nil {
		return nil, err
	}
	o.cause, o.known = w.why(), w.incumbent()
	if q.wantsBest() && o.end == finished && o.code == statusUnbounded && o.point == nil && o.known == nil {
		return q.settleUnbounded(ctx, o)
	}
	return q.conclude(o), nil
}

// settleUnbounded asks again without the objective: a point shows that it is
// the objective that has no bound.
func (q *question) settleUnbounded(ctx context.Context, o outcome) (*sdk.Result, error) {
	plain := *q.milp
	plain.Objective = problem.Objective{}
	options := q.options
	options.Progress, options.Target = nil, nil
	if left := q.left(); left >= 0 {
		options.TimeLimit = max(left, time.Nanosecond)
	}
	if q.options.WorkLimit > 0 {
		options.WorkLimit = max(1, q.options.WorkLimit-o.nodes)
	}
	asked, err := newQuestion(q.lib, &plain, options, q.settings, time.Now())
	if err != nil {
		return nil, err
	}
	r, err := asked.answer(ctx)
	if err != nil {
		return nil, err
	}
	r.Nodes += o.nodes
	r.Elapsed = time.Since(q.begin)
	if r.Status == sdk.Feasible {
		o.point, o.nodes = floats(r.Values), r.Nodes
		return q.conclude(o), nil
	}
	return r, nil
}

// wantsBest reports whether there is an objective to optimise; without one any
// feasible point is an answer.
func (q *question) wantsBest() bool { return len(q.milp.Objective.Terms) > 0 }

func (q *question) objective(x []float64) float64 {
	return problem.Evaluate(q.milp.Objective.Terms, x) + q.milp.Objective.Offset
}

// better reports whether objective a is better than b.
func (q *question) better(a, b float64) bool {
	if q.milp.Objective.Maximise {
		return a > b
	}
	return a < b
}

// anyWillDo reports that the question ends at the first point, or the first
// that reaches the target.
func (q *question) anyWillDo() bool { return !q.wantsBest() || q.options.Target != nil }

// suffices reports that a feasible point is all that was asked for.
func (q *question) suffices(x []float64) bool {
	t := q.options.Target
	return !q.wantsBest() || t != nil && !q.better(*t, q.objective(x))
}

// keeps reports that the point breaks nothing beyond the tolerance.
func (q *question) keeps(x []float64) bool { return q.milp.Violation(x) <= q.tolerance }

// start is the problem's start where it is a whole feasible point; lp_solve
// takes none, but a claim must not contradict it.
func (q *question) start() []float64 {
	for _, v := range q.milp.Start {
		if math.IsNaN(v) {
			return nil
		}
	}
	if q.milp.Start == nil || !q.keeps(q.milp.Start) {
		return nil
	}
	return q.milp.Start
}

// left is the time that remains, -1 where there is no limit.
func (q *question) left() time.Duration {
	if q.options.TimeLimit <= 0 {
		return -1
	}
	return max(0, q.options.TimeLimit-time.Since(q.begin))
}

func floats(numbers []problem.Number) []float64 {
	out := make([]float64, len(numbers))
	for i, n := range numbers {
		out[i] = n.Float64()
	}
	return out
}
