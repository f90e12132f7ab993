package main

import (
	"context"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
)

// question is one Solve: the problem, its translation for lp_solve, and how to answer.
type question struct {
	milp.Question
	lib      *lpsolve.Lib
	settings settings
	// order holds, for each column of the model, the problem's column; indices beyond the
	// problem's columns are spellOut's.
	order []int
	model *lpsolve.Problem
	// plainly is the reason for which the problem is infeasible, if that is seen without
	// lp_solve; else it is empty.
	plainly string
}

func newQuestion(lib *lpsolve.Lib, asked milp.Question, s settings) (*question, error) {
	lost, err := numbers.Lost(asked.MILP)
	if err != nil {
		return nil, err
	}
	q := &question{Question: asked, lib: lib, settings: s}
	q.Tolerance = max(lost, s.tolerance())
	spelt, err := spellOut(q.MILP, s[sets].Word == "native")
	if err != nil {
		return nil, err
	}
	q.order = branchingOrder(spelt)
	q.model, q.plainly, err = translate(spelt, q.order, len(q.MILP.Rows))
	return q, err
}

// answer runs lp_solve as often as the question needs, and returns the claim.
func (q *question) answer(ctx context.Context) (*sdk.Result, error) {
	switch {
	case q.plainly != "":
		r := q.Result(milp.Claim{Status: sdk.Infeasible, Native: "not asked"}, 0)
		r.Detail = q.plainly
		return r, nil
	case len(q.MILP.Columns) == 0:
		return q.WithoutColumns("not asked"), nil
	}
	l := q.listen(ctx)
	o, err := q.search(l)
	l.End()
	if err != nil {
		return nil, err
	}
	o.reason, _ = l.Stopped()
	o.known = l.Incumbent()
	if q.WantsBest() && o.end == finished && o.code == statusUnbounded && o.point == nil && o.known == nil {
		return q.settleUnbounded(ctx, o)
	}
	return q.conclude(o), nil
}

// settleUnbounded finds out whether the objective is unbounded or the problem infeasible.
func (q *question) settleUnbounded(ctx context.Context, o outcome) (*sdk.Result, error) {
	point, r, err := q.SettleUnbounded(o.nodes, func(plain milp.Question) (*sdk.Result, error) {
		if q.Options.WorkLimit > 0 {
			plain.Options.WorkLimit = max(1, q.Options.WorkLimit-o.nodes)
		}
		asked, err := newQuestion(q.lib, plain, q.settings)
		if err != nil {
			return nil, err
		}
		return asked.answer(ctx)
	})
	if point == nil {
		return r, err
	}
	o.point, o.nodes = point, r.Nodes
	return q.conclude(o), nil
}

// anyWillDo reports whether the question ends at the first point, or at the first that
// reaches the target.
func (q *question) anyWillDo() bool { return !q.WantsBest() || q.Options.Target != nil }

// start returns the problem's start if it is a complete feasible point, else nil.
// lp_solve takes no start, but a claim must not contradict it.
func (q *question) start() []float64 {
	x := q.WholeStart()
	if x == nil || !q.Feasible(x) {
		return nil
	}
	return x
}

// listener passes the events of all runs of a question to the monitor. They come on the thread
// that called Run.
type listener struct {
	*milp.Monitor
	q       *question
	spent   int64 // nodes of the runs before this one
	bounded bool  // a relaxation's bound was reported
}

// listen starts the monitor; the caller must End it. A start that is a complete feasible
// point is the first incumbent.
func (q *question) listen(ctx context.Context) *listener {
	l := &listener{Monitor: milp.Watch(ctx, q.Question), q: q}
	if x := q.start(); x != nil {
		l.found(x)
	}
	return l
}

// over reports whether the runs must stop.
func (l *listener) over() bool {
	_, stopped := l.Stopped()
	return stopped
}

// event handles an event of a run. If trusted is set, it reports the relaxation's bound once.
func (l *listener) event(e lpsolve.Event, trusted bool) (stop bool) {
	if e.Values != nil {
		if x := restore(l.q.MILP, l.q.order, e.Values); l.q.Feasible(x) {
			l.found(x)
		}
	}
	nodes := l.spent + e.Nodes
	l.Searched(nodes)
	if e.Relaxed && trusted && !l.bounded {
		l.bounded = true
		l.Bounded(e.Relaxation * sign(l.q.MILP.Objective.Maximise))
	}
	if limit := l.q.Options.WorkLimit; limit > 0 && nodes >= limit {
		l.Stop(sdk.WorkLimit)
	}
	return l.over()
}

// found makes a feasible point the incumbent if it is better, and stops if it suffices.
func (l *listener) found(x []float64) {
	if l.Found(x) && l.q.Suffices(x) {
		l.Stop(sdk.NoReason)
	}
}
