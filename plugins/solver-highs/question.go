package main

import (
	"context"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/watch"
)

// question is one Solve: the problem as it stands and how to answer it.
type question struct {
	watch.Question
	lib       *highs.Lib
	settings  settings
	tolerance float64
}

// withoutColumns answers a problem that HiGHS only calls empty: every row is 0.
func (q *question) withoutColumns() *sdk.Result {
	r := &sdk.Result{Status: sdk.Infeasible, Native: "empty", Tolerance: q.tolerance, Elapsed: time.Since(q.Begin)}
	if q.MILP.Violation(nil) == 0 {
		r.Status, r.Values, r.Objective = sdk.Feasible, []problem.Number{}, q.MILP.Objective.Offset
	}
	return r
}

// answer runs HiGHS on the model, which holds the problem, and reads the
// outcome as a claim.
func (q *question) answer(ctx context.Context, model *highs.Model) (*sdk.Result, error) {
	if err := model.Forget(); err != nil {
		return nil, err
	}
	w := watch.Start(ctx, q.Question)
	o, err := q.run(model, &listener{Watch: w, q: q})
	w.End()
	if err != nil {
		return nil, err
	}
	o.known = w.Best()
	o.reason, o.stopped = w.Stopped()
	if q.openEnded(o) {
		return q.settleUnbounded(ctx, o)
	}
	return q.conclude(o), nil
}

// run has HiGHS answer once, or, where its presolve leads its solver astray, a
// second time without.
func (q *question) run(model *highs.Model, l *listener) (outcome, error) {
	nodes, err := q.start(model, l)
	if err != nil {
		return outcome{}, err
	}
	s := q.settings
	for {
		if err := s.apply(model, q.Options, q.Left()); err != nil {
			return outcome{}, err
		}
		if err := model.Run(l.event); err != nil {
			return outcome{}, err
		}
		nodes += model.Nodes()
		if model.Status() != statusSolveError || s.words[presolve] == "off" {
			return outcome{code: model.Status(), point: model.Solution(), bound: model.Bound(), nodes: nodes}, nil
		}
		s = s.with(presolve, "off")
		if err := model.Forget(); err != nil {
			return outcome{}, err
		}
	}
}

// openEnded reports whether HiGHS found the objective to have no bound, or
// cannot tell that from infeasibility, and holds no point.
func (q *question) openEnded(o outcome) bool {
	return q.WantsBest() && (o.code == statusUnboundedOrInfeasible || o.code == statusUnbounded && o.point == nil)
}

// settleUnbounded asks again without the objective: a point shows that it is
// the objective that has no bound.
func (q *question) settleUnbounded(ctx context.Context, o outcome) (*sdk.Result, error) {
	plain := q.WithoutObjective()
	l, err := load(q.lib, &problem.Problem{MILP: plain.MILP})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	r, err := l.Solve(ctx, problem.Delta{}, plain.Options)
	if err != nil {
		return nil, err
	}
	r.Nodes += o.nodes
	r.Elapsed = time.Since(q.Begin)
	if r.Status == sdk.Feasible {
		o.code = statusUnbounded
		o.point = problem.Float64s(r.Values)
		return q.conclude(o), nil
	}
	return r, nil
}
