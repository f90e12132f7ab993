package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

var milpDeltaCases = []Case[*SolverEnv]{
	asked(problem.Maximise, "milp/start", "start values, whether good, bad or partial, do not change the answer", startedMILPs),
	on(problem.Maximise, "milp/push-pop", "bounds and rows pushed are gone when popped", checkPushPop),
	on(problem.Maximise, "milp/delta-objective", "a loaded problem takes a new objective and a new direction", checkDeltaObjective),
	on(problem.Maximise, "milp/delta-invalid", "a delta that does not fit is an error and changes nothing", checkDeltaInvalid),
	on(problem.Maximise, "milp/deltas", "random deltas on a loaded problem give what solving from scratch gives", checkRandomDeltas),
}

func startedMILPs() (list milps) {
	nan := math.NaN()
	for _, start := range [][]float64{
		{0, 1, 1, 1},         // the optimum
		{1, 0, 0, 0},         // feasible
		{1, 1, 1, 1},         // breaks the row
		{7, -3, 0, 0},        // breaks bounds
		{0.5, 0.5, 0.5, 0.5}, // not integer
		{nan, 1, nan, nan},   // partial
		{nan, nan, nan, nan}, // nothing
	} {
		p := knapsack()
		p.Start = start
		list = append(list, question[*problem.MILP]{fmt.Sprintf("start %v", start), p, known.Optimum(knapsackOptimum)})
	}
	return list
}

// loaded is a loaded problem, along with the problem that the solver should hold.
type loaded struct {
	e      *SolverEnv
	loaded sdk.Loaded
	stack  *problem.Stack
}

// load loads p, or skips the case if the solver does not take deltas itself.
func (e *SolverEnv) load(ctx context.Context, p *problem.Problem) (*loaded, error) {
	s, ok := e.Solver.(sdk.Incremental)
	if !ok {
		return nil, skip("the solver does not take deltas itself: sdk/serve applies them for it")
	}
	l, err := s.Load(ctx, p)
	if err != nil {
		return nil, err
	}
	return &loaded{e, l, problem.NewStack(p)}, nil
}

// loadMILP is load for a MILP.
func (e *SolverEnv) loadMILP(ctx context.Context, m *problem.MILP) (*loaded, error) {
	return e.load(ctx, &problem.Problem{Name: "loaded", MILP: m})
}

// ask applies the delta to the stack and to the solver's problem. It compares the claim with want
// or, for a MILP, with the answer that enumeration finds.
func (l *loaded) ask(ctx context.Context, step string, d problem.Delta, want known.Answer) error {
	now, err := l.stack.Apply(d)
	if err != nil {
		return err
	}
	r, err := l.loaded.Solve(ctx, d, l.e.withSet(sdk.SolveOptions{}))
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	as := *now
	if as.Name = step; as.MILP != nil {
		want = known.Best(as.MILP)
	}
	if err := l.e.Claim(&as, r); err != nil {
		return err
	}
	return l.e.Answer(&as, r, want, false)
}

// askBest is ask for a MILP.
func (l *loaded) askBest(ctx context.Context, step string, d problem.Delta) error {
	return l.ask(ctx, step, d, known.Answer{})
}

func checkPushPop(ctx context.Context, e *SolverEnv) error {
	l, err := e.loadMILP(ctx, knapsack())
	if err != nil {
		return err
	}
	defer l.loaded.Close()
	for _, step := range []struct {
		name string
		d    problem.Delta
	}{
		{"as loaded", problem.Delta{}},
		{"a row pushed", problem.Delta{Push: 1, Rows: []problem.Row{known.Row(-inf, 1, 0, 1, 1, 1)}}},
		{"a bound pushed on top", problem.Delta{Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 0, Hi: 0}}}},
		{"infeasible on top", problem.Delta{Push: 1, Rows: []problem.Row{known.Row(5, inf, 1, 1, 1, 1)}}},
		{"one popped", problem.Delta{Pop: 1}},
		{"two popped", problem.Delta{Pop: 2}},
		{"a row for good", problem.Delta{Rows: []problem.Row{known.Row(-inf, 1, 0, 0, 1, 1)}}},
		{"popped and pushed at once", problem.Delta{Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 1, Lo: 1, Hi: 1}}}},
		{"popped and pushed again", problem.Delta{Pop: 1, Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 2, Lo: 1, Hi: 1}}}},
		{"all popped", problem.Delta{Pop: 1}},
	} {
		if err := l.askBest(ctx, step.name, step.d); err != nil {
			return err
		}
	}
	return l.loaded.Close()
}

func checkDeltaObjective(ctx context.Context, e *SolverEnv) error {
	l, err := e.loadMILP(ctx, knapsack())
	if err != nil {
		return err
	}
	defer l.loaded.Close()
	other, back := known.Min(1, -2, 0, 3), known.Max(0, 0, 1)
	none := problem.Objective{}
	return errors.Join(
		l.askBest(ctx, "as loaded", problem.Delta{}),
		l.askBest(ctx, "minimise another", problem.Delta{Push: 1, Objective: &other, Start: []float64{0, 1, 0, 0}}),
		l.askBest(ctx, "maximise a third", problem.Delta{Objective: &back}),
		l.askBest(ctx, "no objective", problem.Delta{Objective: &none}),
		l.askBest(ctx, "the first again", problem.Delta{Pop: 1}),
	)
}

func checkDeltaInvalid(ctx context.Context, e *SolverEnv) error {
	l, err := e.loadMILP(ctx, knapsack())
	if err != nil {
		return err
	}
	defer l.loaded.Close()
	for _, d := range []problem.Delta{
		{Pop: 1},
		{ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 1, Hi: 1}, {Column: 99, Lo: 0, Hi: 1}}},
		{ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 1, Hi: 0}}},
		{Rows: []problem.Row{known.Row(0, 1, 0, 0, 0, 0, 1)}},
		{Assert: "(assert true)"},
	} {
		r, err := l.loaded.Solve(ctx, d, e.withSet(sdk.SolveOptions{}))
		if !errors.Is(err, sdk.ErrInvalidProblem) {
			return fmt.Errorf("delta %+v does not fit: want ErrInvalidProblem, got %s", d, known.Said(r, err))
		}
	}
	return l.askBest(ctx, "after the faults", problem.Delta{})
}

func checkRandomDeltas(ctx context.Context, e *SolverEnv) error {
	rng := rand.New(rand.NewPCG(11, 11))
	for range 6 {
		p := known.MILP(rng)
		l, err := e.loadMILP(ctx, p)
		if err != nil {
			return err
		}
		depth := 0
		for step := range 8 {
			d := known.Delta(rng, p, depth)
			depth += d.Push - d.Pop
			if err := l.askBest(ctx, fmt.Sprintf("step %d, %+v", step, d), d); err != nil {
				return errors.Join(err, l.loaded.Close())
			}
		}
		if err := l.loaded.Close(); err != nil {
			return err
		}
	}
	return nil
}
