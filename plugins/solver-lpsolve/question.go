package main

import (
	"context"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/watch"
)

// question is one Solve: the problem, how lp_solve sees it, and how to answer.
type question struct {
	watch.Question
	lib       *lpsolve.Lib
	settings  settings
	tolerance float64
	// order has the problem's column at each of the model's; columns beyond the
	// problem's last are spellOut's.
	order []int
	model *lpsolve.Problem
	// plainly says why the problem is infeasible, where that is seen without
	// lp_solve.
	plainly string
}

func newQuestion(lib *lpsolve.Lib, asked watch.Question, s settings) (*question, error) {
	lost, err := dropped(asked.MILP)
	if err != nil {
		return nil, err
	}
	q := &question{Question: asked, lib: lib, settings: s, tolerance: max(lost, s.tolerance())}
	spelt, err := spellOut(q.MILP, s[sets] == nativeSets)
	if err != nil {
		return nil, err
	}
	q.order = branchingOrder(spelt)
	q.model, q.plainly, err = translate(spelt, q.order, len(q.MILP.Rows))
	return q, err
}

// answer finds the claim.
func (q *question) answer(ctx context.Context) (*sdk.Result, error) {
	switch {
	case q.plainly != "":
		return &sdk.Result{Status: sdk.Infeasible, Native: "not asked", Detail: q.plainly, Tolerance: q.tolerance, Elapsed: time.Since(q.Begin)}, nil
	case len(q.MILP.Columns) == 0:
		r := &sdk.Result{Status: sdk.Feasible, Native: "not asked", Values: []problem.Number{}, Objective: q.MILP.Objective.Offset, Tolerance: q.tolerance}
		r.Elapsed = time.Since(q.Begin)
		return r, nil
	}
	l := q.listen(ctx)
	o, err := q.search(l)
	l.End()
	if err != nil {
		return nil, err
	}
	o.reason, _ = l.Stopped()
	o.known = l.Best()
	if q.WantsBest() && o.end == finished && o.code == statusUnbounded && o.point == nil && o.known == nil {
		return q.settleUnbounded(ctx, o)
	}
	return q.conclude(o), nil
}

// settleUnbounded asks again without the objective: a point shows that it is
// the objective that has no bound.
func (q *question) settleUnbounded(ctx context.Context, o outcome) (*sdk.Result, error) {
	plain := q.WithoutObjective()
	if q.Options.WorkLimit > 0 {
		plain.Options.WorkLimit = max(1, q.Options.WorkLimit-o.nodes)
	}
	asked, err := newQuestion(q.lib, plain, q.settings)
	if err != nil {
		return nil, err
	}
	r, err := asked.answer(ctx)
	if err != nil {
		return nil, err
	}
	r.Nodes += o.nodes
	r.Elapsed = time.Since(q.Begin)
	if r.Status == sdk.Feasible {
		o.point, o.nodes = problem.Float64s(r.Values), r.Nodes
		return q.conclude(o), nil
	}
	return r, nil
}

// anyWillDo reports that the question ends at the first point, or the first
// that reaches the target.
func (q *question) anyWillDo() bool { return !q.WantsBest() || q.Options.Target != nil }

// suffices reports that a feasible point is all that was asked for.
func (q *question) suffices(x []float64) bool { return !q.WantsBest() || q.ReachesTarget(x) }

// keeps reports that the point breaks nothing beyond the tolerance.
func (q *question) keeps(x []float64) bool { return q.MILP.Violation(x) <= q.tolerance }

// start is the problem's start where it is a whole feasible point; lp_solve
// takes none, but a claim must not contradict it.
func (q *question) start() []float64 {
	x := q.WholeStart()
	if x == nil || !q.keeps(x) {
		return nil
	}
	return x
}
