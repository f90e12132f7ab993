package conformance_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// about limits a hook to MILPs.
func about(change func(*problem.MILP)) func(*problem.Problem, *sdk.SolveOptions) {
	return func(p *problem.Problem, _ *sdk.SolveOptions) {
		if p.MILP != nil {
			change(p.MILP)
		}
	}
}

// hasty answers an optimisation by the first feasible point it meets.
func hasty(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
	if p.MILP == nil || len(p.MILP.Objective.Terms) == 0 {
		return right.Solve(ctx, p, o)
	}
	first := copyProblem(p)
	first.MILP.Objective.Terms = nil
	r, err := right.Solve(ctx, first, o)
	if err == nil && r.HasPoint() {
		values := make([]float64, len(r.Values))
		for i, v := range r.Values {
			values[i] = v.Float64()
		}
		r.Status, r.Objective = sdk.Optimal, problem.Evaluate(p.MILP.Objective.Terms, values)+p.MILP.Objective.Offset
		r.Bound, r.HasBound = r.Objective, true
	}
	return r, err
}

func milpLiars() []solverLiar {
	infinite := math.Inf(1)
	stuck := false
	calls := int64(0)
	return []solverLiar{
		{"milp/empty", "nothing to decide is infeasible to it", &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.MILP != nil && len(p.MILP.Columns) == 0 {
				*r = sdk.Result{Status: sdk.Infeasible}
			}
		}}},
		{"milp/empty-row", "it drops rows without terms", &bent{ask: about(func(m *problem.MILP) {
			kept := m.Rows[:0]
			for _, r := range m.Rows {
				if len(r.Terms) > 0 {
					kept = append(kept, r)
				}
			}
			m.Rows = kept
		})}},
		{"milp/feasible", "it keeps its point to itself", &bent{tell: func(_ *problem.Problem, r *sdk.Result) { r.Values = nil }}},
		{"milp/feasible", "its point lies outside the bounds", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if len(r.Values) > 0 {
				r.Values[0] = problem.Number{Float: r.Values[0].Float64() - 1000}
			}
		}}},
		{"milp/feasible", "its point is NaN", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if len(r.Values) > 0 {
				r.Values[0] = problem.Number{Float: math.NaN()}
			}
		}}},
		{"milp/feasible", "it says infeasible, though it is feasible", &bent{tell: func(_ *problem.Problem, r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} }}},
		{"milp/feasible", "its status has no meaning", &bent{tell: func(_ *problem.Problem, r *sdk.Result) { r.Status = 0 }}},
		{"milp/feasible", "its tolerance excuses everything", &bent{
			describe: func(d *sdk.Description) { d.Exactness = sdk.GradeNumerical },
			tell:     func(_ *problem.Problem, r *sdk.Result) { r.Tolerance = math.Inf(1) }}},
		{"milp/feasible", "it panics", &bent{tell: func(*problem.Problem, *sdk.Result) { panic("index out of range") }}},
		{"milp/infeasible", "it never says infeasible", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Status == sdk.Infeasible {
				r.Status, r.Reason = sdk.Unknown, sdk.Other
			}
		}}},
		{"milp/integer-infeasible", "it forgets integrality", &bent{ask: about(func(m *problem.MILP) {
			for i := range m.Columns {
				m.Columns[i].Integer = false
			}
		})}},
		{"milp/optimum", "it calls the first point optimal", &bent{solve: hasty}},
		{"milp/optimum", "its own point contradicts its objective", &bent{tell: func(_ *problem.Problem, r *sdk.Result) { r.Objective, r.HasBound = r.Objective+1, false }}},
		{"milp/optimum", "its own point contradicts its bound", &bent{tell: func(_ *problem.Problem, r *sdk.Result) { r.Bound -= 2 }}},
		{"milp/directions", "it always maximises", &bent{ask: about(func(m *problem.MILP) { m.Objective.Maximise = true })}},
		{"milp/offset", "it forgets the offset", &bent{ask: about(func(m *problem.MILP) { m.Objective.Offset = 0 })}},
		{"milp/equality", "equality is ≤ to it", &bent{ask: about(func(m *problem.MILP) {
			for i := range m.Rows {
				if m.Rows[i].Lo == m.Rows[i].Hi {
					m.Rows[i].Lo = -infinite
				}
			}
		})}},
		{"milp/sets", "it forgets the sets", &bent{ask: about(func(m *problem.MILP) { m.SOS1 = nil })}},
		{"milp/sets", "it branches on the first set only", &bent{ask: about(func(m *problem.MILP) { m.SOS1 = m.SOS1[:min(1, len(m.SOS1))] })}},
		{"milp/ranges", "it keeps one side of a row", &bent{ask: about(func(m *problem.MILP) {
			for i := range m.Rows {
				if !math.IsInf(m.Rows[i].Hi, 1) {
					m.Rows[i].Lo = -infinite
				}
			}
		})}},
		{"milp/free-columns", "columns without bounds start at 0", &bent{ask: about(func(m *problem.MILP) {
			for i := range m.Columns {
				if c := &m.Columns[i]; math.IsInf(c.Lo, -1) {
					c.Lo, c.Hi = 0, math.Max(c.Hi, 0)
				}
			}
		})}},
		{"milp/mixed", "every column is integer to it", &bent{ask: about(func(m *problem.MILP) {
			for i := range m.Columns {
				m.Columns[i].Integer = true
			}
		})}},
		{"milp/names", "it wants names that are different", &bent{solve: fussy}},
		{"milp/unbounded", "it calls some point of an unbounded problem optimal", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Native == "unbounded" {
				r.Status, r.Reason = sdk.Optimal, sdk.NoReason
			}
		}}},
		{"milp/random", "it reads two rows at most", &bent{ask: about(func(m *problem.MILP) { m.Rows = m.Rows[:min(2, len(m.Rows))] })}},
		{"milp/work-limit", "it counts work over its whole life", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			calls += r.Nodes
			r.Nodes = calls
		}}},
		{"milp/after-infeasible", "once infeasible, always infeasible", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if stuck = stuck || r.Status == sdk.Infeasible; stuck {
				*r = sdk.Result{Status: sdk.Infeasible}
			}
		}}},
		{"milp/target", "any point reaches its target", &bent{ask: func(_ *problem.Problem, o *sdk.SolveOptions) {
			if o.Target != nil {
				anything := -infinite
				*o = sdk.SolveOptions{Target: &anything}
			}
		}, tell: func(_ *problem.Problem, r *sdk.Result) { r.Status, r.HasBound = sdk.Feasible, false }}},
		{"milp/gap", "its bound is as lazy as its point", &bent{solve: hasty}},
		{"milp/progress", "it reports points that are not feasible", &bent{ask: func(p *problem.Problem, o *sdk.SolveOptions) {
			if report := o.Progress; report != nil {
				o.Progress = func(g sdk.Progress) {
					for i := range g.Values {
						g.Values[i] = problem.Number{Float: 1}
					}
					report(g)
				}
			}
		}}},
		{"milp/progress", "it reports bounds that cut off the optimum", &bent{ask: func(p *problem.Problem, o *sdk.SolveOptions) {
			if report := o.Progress; report != nil {
				o.Progress = func(g sdk.Progress) {
					g.Bound, g.HasBound = g.Objective, true
					report(g)
				}
			}
		}}},
		{"milp/threads", "with two threads it is hasty", &bent{solve: func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			if o.Threads > 1 {
				return hasty(ctx, p, o, right)
			}
			return right.Solve(ctx, p, o)
		}}},
		{"milp/concurrent", "calls at the same time mix up their problems", &bent{solve: forgetful()}},
	}
}

// fussy refuses equal names.
func fussy(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
	if p.MILP != nil {
		seen := map[string]bool{}
		for _, c := range p.MILP.Columns {
			if seen[c.Name] {
				return nil, fmt.Errorf("column %q appears twice: %w", c.Name, sdk.ErrInvalidProblem)
			}
			seen[c.Name] = true
		}
	}
	return right.Solve(ctx, p, o)
}

// forgetful keeps the problem where the next call overwrites it.
func forgetful() func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error) {
	var mu sync.Mutex
	var current *problem.Problem
	return func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
		mu.Lock()
		current = p
		mu.Unlock()
		time.Sleep(20 * time.Millisecond) // loading
		mu.Lock()
		p = current
		mu.Unlock()
		return right.Solve(ctx, p, o)
	}
}

func milpDeltaLiars() []solverLiar {
	return []solverLiar{
		{"milp/start", "it takes the start for the answer", &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.MILP != nil && p.MILP.Start != nil {
				r.Values = problem.Floats(p.MILP.Start)
				r.Objective = problem.Evaluate(p.MILP.Objective.Terms, p.MILP.Start)
			}
		}}},
		{"milp/push-pop", "what is pushed stays", &bent{delta: func(d *problem.Delta) { d.Pop = 0 }}},
		{"milp/delta-objective", "it keeps the first objective", &bent{delta: func(d *problem.Delta) { d.Objective = nil }}},
		{"milp/delta-invalid", "it ignores a faulty delta", &bent{ignoresDeltas: true}},
		{"milp/deltas", "it takes bounds or rows, not both", &bent{delta: func(d *problem.Delta) {
			if d.Rows != nil {
				d.ColumnBounds = nil
			}
		}}},
	}
}
