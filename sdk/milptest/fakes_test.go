package milptest

import (
	"context"
	"time"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// numerical passes an enumeration off as arithmetic in floating point, with a
// bound, and then lies about it.
type numerical struct {
	reference.Enumerator
	lie func(p *problem.MILP, r *sdk.Result)
}

func (n numerical) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := n.Enumerator.Solve(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return n.dress(p.MILP, r), nil
}

func (n numerical) Load(ctx context.Context, p *problem.Problem) (sdk.Loaded, error) {
	l, err := n.Enumerator.Load(ctx, p)
	return &dressed{l, n, problem.NewStack(p)}, err
}

func (n numerical) dress(m *problem.MILP, r *sdk.Result) *sdk.Result {
	r.Tolerance = 1e-6
	if r.Status == sdk.Optimal {
		r.Bound, r.HasBound = r.Objective, true
	}
	if r.Reason == sdk.Other {
		r.Detail = "the objective has no bound"
	}
	if n.lie != nil {
		n.lie(m, r)
	}
	return r
}

// dressed is a loaded problem of a numerical.
type dressed struct {
	sdk.Loaded
	n     numerical
	stack *problem.Stack
}

func (d *dressed) Solve(ctx context.Context, delta problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	p, err := d.stack.Apply(delta)
	if err != nil {
		return nil, err
	}
	r, err := d.Loaded.Solve(ctx, delta, o)
	if err != nil {
		return nil, err
	}
	return d.n.dress(p.MILP, r), nil
}

// greedy solves market splits as far as the tests here ask: it takes each number
// that brings the sums nearer to half, knows that nothing is below 0, and then
// waits for what stops it. Before it looks at its options it forgets some, and
// what it answers it lies about.
type greedy struct {
	sdk.Solver
	forget func(*sdk.SolveOptions)
	lie    func(*sdk.Result)
}

func (g greedy) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	begin := time.Now()
	if g.forget != nil {
		g.forget(&o)
	}
	m := p.MILP
	first, x, value := split(m)
	r := &sdk.Result{Status: sdk.Feasible, Native: "greedy", Tolerance: 1e-6, Values: problem.Floats(x), Objective: value,
		Bound: m.Objective.Offset, HasBound: true, Nodes: 1}
	if o.Progress != nil {
		at := problem.Evaluate(m.Objective.Terms, first) + m.Objective.Offset
		o.Progress(sdk.Progress{Values: problem.Floats(first), Objective: at})
		o.Progress(sdk.Progress{Values: r.Values, Objective: r.Objective, Bound: r.Bound, HasBound: true, Nodes: r.Nodes})
	}
	sign := 1.0
	if m.Objective.Maximise {
		sign = -1
	}
	switch {
	case o.Target != nil && sign*(value-*o.Target) <= 0:
	case o.Gap > 0 && value-r.Bound <= o.Gap*value:
		r.Status = sdk.Optimal
	case o.WorkLimit > 0:
		r.Reason, r.Nodes = sdk.WorkLimit, o.WorkLimit
	case o.Memory > 0:
		r.Reason = sdk.MemoryLimit
	default:
		r.Reason = wait(ctx, o.TimeLimit, begin)
	}
	r.Elapsed = time.Since(begin)
	if g.lie != nil {
		g.lie(r)
	}
	return r, nil
}

// wait is until the context is done or the limit has passed.
func wait(ctx context.Context, limit time.Duration, begin time.Time) sdk.Reason {
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit - time.Since(begin))
	}
	select {
	case <-ctx.Done():
		return sdk.Interrupted
	case <-late:
		return sdk.TimeLimit
	}
}

// split is the point that takes no number, and the one that takes each which
// helps, with its objective.
func split(m *problem.MILP) (first, x []float64, value float64) {
	x = make([]float64, len(m.Columns))
	slacks := func() {
		for _, r := range m.Rows {
			numbers := r.Terms[:len(r.Terms)-2]
			over, under := r.Terms[len(numbers)].Column, r.Terms[len(numbers)+1].Column
			short := r.Lo - problem.Evaluate(numbers, x)
			x[over], x[under] = max(short, 0), max(-short, 0)
		}
		value = problem.Evaluate(m.Objective.Terms, x) + m.Objective.Offset
	}
	slacks()
	first = append(first, x...)
	for j := range m.Columns {
		if !m.Columns[j].Integer {
			break
		}
		before := value
		x[j] = 1
		if slacks(); (value < before) == m.Objective.Maximise {
			x[j] = 0
			slacks()
		}
	}
	return first, x, value
}
