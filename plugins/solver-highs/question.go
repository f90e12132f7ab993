package main

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/option"
	"github.com/hyfair/hyfair/sdk/problem"
)

// question is one Solve: the current problem and how to answer it.
type question struct {
	milp.Question
	lib      *highs.Lib
	settings settings
}

// answer runs HiGHS on the model, which holds the problem, and turns the outcome into a
// claim.
func (q *question) answer(ctx context.Context, model *highs.Model) (*sdk.Result, error) {
	if err := model.Forget(); err != nil {
		return nil, err
	}
	l := &listener{Monitor: milp.Watch(ctx, q.Question), q: q}
	o, err := q.run(model, l)
	l.End()
	if err != nil {
		return nil, err
	}
	o.known = l.Incumbent()
	o.reason, o.stopped = l.Stopped()
	if q.openEnded(o) {
		return q.settleUnbounded(ctx, o)
	}
	return q.conclude(o), nil
}

// run runs HiGHS once. If that ends in a solve error, it runs HiGHS again without presolve,
// unless presolve was off.
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
		if model.Status() != statusSolveError || s[presolve].Word == "off" {
			return outcome{code: model.Status(), point: model.Solution(), bound: model.Bound(), nodes: nodes}, nil
		}
		s = maps.Clone(s)
		s[presolve] = option.Value{Word: "off"}
		if err := model.Forget(); err != nil {
			return outcome{}, err
		}
	}
}

// openEnded reports whether HiGHS's status leaves open whether the problem is unbounded
// or infeasible: HiGHS says that it is one of the two, or that it is unbounded without
// having a point.
func (q *question) openEnded(o outcome) bool {
	return q.WantsBest() && (o.code == statusUnboundedOrInfeasible || o.code == statusUnbounded && o.point == nil)
}

// settleUnbounded finds out whether the objective is unbounded or the problem infeasible.
func (q *question) settleUnbounded(ctx context.Context, o outcome) (*sdk.Result, error) {
	point, r, err := q.SettleUnbounded(o.nodes, func(plain milp.Question) (*sdk.Result, error) {
		l, err := load(q.lib, &problem.Problem{MILP: plain.MILP})
		if err != nil {
			return nil, err
		}
		defer l.Close()
		return l.Solve(ctx, problem.Delta{}, plain.Options)
	})
	if point == nil {
		return r, err
	}
	o.code, o.point = statusUnbounded, point
	return q.conclude(o), nil
}

// listener passes HiGHS's events, which come on HiGHS's threads, to the monitor. The monitor
// enforces the limits of time and memory: HiGHS does not always keep its own time limit, and
// has no memory limit.
type listener struct {
	*milp.Monitor
	q *question
	// aside is set while HiGHS solves a restricted problem, whose points count but whose
	// bounds do not.
	aside atomic.Bool
}

// event implements highs.Handler.
func (l *listener) event(e highs.Event) (stop bool) {
	if e.Values != nil && l.q.Feasible(e.Values) && l.Found(e.Values) && l.q.ReachesTarget(e.Values) {
		l.Stop(sdk.NoReason)
	}
	if !l.aside.Load() && (e.Kind == highs.MIPInterrupt || e.Kind == highs.MIPImproved) {
		l.Bounded(e.Bound)
		l.Searched(e.Nodes)
	}
	_, stop = l.Stopped()
	return stop
}
