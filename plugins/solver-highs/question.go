package main

import (
	"context"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// question is one Solve: the problem as it stands and how to answer it.
type question struct {
	lib       *highs.Lib
	milp      *problem.MILP
	options   sdk.SolveOptions
	settings  settings
	tolerance float64
	begin     time.Time
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

func (q *question) reachesTarget(x []float64) bool {
	t := q.options.Target
	return t != nil && !q.better(*t, q.objective(x))
}

// left is the time that remains, -1 where there is no limit.
func (q *question) left() time.Duration {
	if q.options.TimeLimit <= 0 {
		return -1
	}
	return max(0, q.options.TimeLimit-time.Since(q.begin))
}

// withoutColumns answers a problem that HiGHS only calls empty: every row is 0.
func (q *question) withoutColumns() *sdk.Result {
	r := &sdk.Result{Status: sdk.Infeasible, Native: "empty", Tolerance: q.tolerance, Elapsed: time.Since(q.begin)}
	if q.milp.Violation(nil) == 0 {
		r.Status, r.Values, r.Objective = sdk.Feasible, []problem.Number{}, q.milp.Objective.Offset
	}
	return r
}

// answer runs HiGHS on the model, which holds the problem, and reads the
// outcome as a claim.
func (q *question) answer(ctx context.Context, model *highs.Model) (*sdk.Result, error) {
	if err := model.Forget(); err != nil {
		return nil, err
	}
	w := newWatch(ctx, q)
	o, err := q.run(model, w)
	w.end()
	if err != nil {
		return nil, err
	}
	o.cause, o.known = w.why(), w.incumbent()
	if q.openEnded(o) {
		return q.settleUnbounded(ctx, o)
	}
	return q.conclude(o), nil
}

// run has HiGHS answer once, or, where its presolve leads its solver astray, a
// second time without.
func (q *question) run(model *highs.Model, w *watch) (outcome, error) {
	nodes, err := q.start(model, w)
	if err != nil {
		return outcome{}, err
	}
	s := q.settings
	for {
		if err := s.apply(model, q.options, q.left()); err != nil {
			return outcome{}, err
		}
		if err := model.Run(w.event); err != nil {
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
	return q.wantsBest() && (o.code == statusUnboundedOrInfeasible || o.code == statusUnbounded && o.point == nil)
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
	l, err := load(q.lib, &problem.Problem{MILP: &plain})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	r, err := l.Solve(ctx, problem.Delta{}, options)
	if err != nil {
		return nil, err
	}
	r.Nodes += o.nodes
	r.Elapsed = time.Since(q.begin)
	if r.Status == sdk.Feasible {
		o.code = statusUnbounded
		o.point = floats(r.Values)
		return q.conclude(o), nil
	}
	return r, nil
}

func floats(numbers []problem.Number) []float64 {
	out := make([]float64, len(numbers))
	for i, n := range numbers {
		out[i] = n.Float64()
	}
	return out
}
