package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

var milpDeltaCases = []SolverCase{
	{Name: "milp/start", Doc: "start values, whether good, bad or partial, do not change the answer",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkStart},
	{Name: "milp/push-pop", Doc: "bounds and rows pushed are gone when popped",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkPushPop},
	{Name: "milp/delta-objective", Doc: "a loaded problem takes a new objective and a new direction",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkDeltaObjective},
	{Name: "milp/delta-invalid", Doc: "a delta that does not fit is an error and changes nothing",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkDeltaInvalid},
	{Name: "milp/deltas", Doc: "random deltas on a loaded problem give what solving from scratch gives",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkRandomDeltas},
}

func checkStart(ctx context.Context, e *SolverEnv) error {
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
		if _, err := e.askMILP(ctx, fmt.Sprintf("start %v", start), p, optimum(knapsackOptimum), sdk.SolveOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// loadedMILP is a problem kept loaded beside what it should be.
type loadedMILP struct {
	e      *SolverEnv
	loaded sdk.Loaded
	stack  *problem.Stack
}

// load loads p, or skips where the solver takes no deltas itself.
func (e *SolverEnv) load(ctx context.Context, p *problem.MILP) (*loadedMILP, error) {
	s, ok := e.Solver.(sdk.Incremental)
	if !ok {
		return nil, skip("the solver takes no deltas itself: sdk/serve applies them for it")
	}
	whole := &problem.Problem{Name: "loaded", MILP: p}
	l, err := s.Load(ctx, whole)
	if err != nil {
		return nil, err
	}
	return &loadedMILP{e, l, problem.NewStack(whole)}, nil
}

// ask applies the delta on both sides and compares.
func (l *loadedMILP) ask(ctx context.Context, step string, d problem.Delta) error {
	now, err := l.stack.Apply(d)
	if err != nil {
		return err
	}
	r, err := l.loaded.Solve(ctx, d, l.e.withSet(sdk.SolveOptions{}))
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	return l.e.judge(step, now.MILP, r, enumerate(now.MILP), false)
}

func checkPushPop(ctx context.Context, e *SolverEnv) error {
	l, err := e.load(ctx, knapsack())
	if err != nil {
		return err
	}
	defer l.loaded.Close()
	for _, step := range []struct {
		name string
		d    problem.Delta
	}{
		{"as loaded", problem.Delta{}},
		{"a row pushed", problem.Delta{Push: 1, Rows: []problem.Row{row(-inf, 1, 0, 1, 1, 1)}}},
		{"a bound pushed on top", problem.Delta{Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 0, Hi: 0}}}},
		{"infeasible on top", problem.Delta{Push: 1, Rows: []problem.Row{row(5, inf, 1, 1, 1, 1)}}},
		{"one popped", problem.Delta{Pop: 1}},
		{"two popped", problem.Delta{Pop: 2}},
		{"a row for good", problem.Delta{Rows: []problem.Row{row(-inf, 1, 0, 0, 1, 1)}}},
		{"popped and pushed at once", problem.Delta{Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 1, Lo: 1, Hi: 1}}}},
		{"popped and pushed again", problem.Delta{Pop: 1, Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 2, Lo: 1, Hi: 1}}}},
		{"all popped", problem.Delta{Pop: 1}},
	} {
		if err := l.ask(ctx, step.name, step.d); err != nil {
			return err
		}
	}
	return l.loaded.Close()
}

func checkDeltaObjective(ctx context.Context, e *SolverEnv) error {
	l, err := e.load(ctx, knapsack())
	if err != nil {
		return err
	}
	defer l.loaded.Close()
	other, back := minimise(1, -2, 0, 3), maximise(0, 0, 1)
	none := problem.Objective{}
	return errors.Join(
		l.ask(ctx, "as loaded", problem.Delta{}),
		l.ask(ctx, "minimise another", problem.Delta{Push: 1, Objective: &other, Start: []float64{0, 1, 0, 0}}),
		l.ask(ctx, "maximise a third", problem.Delta{Objective: &back}),
		l.ask(ctx, "no objective", problem.Delta{Objective: &none}),
		l.ask(ctx, "the first again", problem.Delta{Pop: 1}),
	)
}

func checkDeltaInvalid(ctx context.Context, e *SolverEnv) error {
	l, err := e.load(ctx, knapsack())
	if err != nil {
		return err
	}
	defer l.loaded.Close()
	for _, d := range []problem.Delta{
		{Pop: 1},
		{ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 1, Hi: 1}, {Column: 99, Lo: 0, Hi: 1}}},
		{ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 1, Hi: 0}}},
		{Rows: []problem.Row{row(0, 1, 0, 0, 0, 0, 1)}},
		{Assert: "(assert true)"},
	} {
		r, err := l.loaded.Solve(ctx, d, e.withSet(sdk.SolveOptions{}))
		if !errors.Is(err, sdk.ErrInvalidProblem) {
			return fmt.Errorf("delta %+v does not fit: want ErrInvalidProblem, got %s", d, answer(r, err))
		}
	}
	return l.ask(ctx, "after the faults", problem.Delta{})
}

func checkRandomDeltas(ctx context.Context, e *SolverEnv) error {
	rng := rand.New(rand.NewPCG(11, 11))
	for range 6 {
		p := randomMILP(rng)
		l, err := e.load(ctx, p)
		if err != nil {
			return err
		}
		depth := 0
		for step := range 8 {
			d := randomDelta(rng, p, depth)
			depth += d.Push - d.Pop
			if err := l.ask(ctx, fmt.Sprintf("step %d, %+v", step, d), d); err != nil {
				return errors.Join(err, l.loaded.Close())
			}
		}
		if err := l.loaded.Close(); err != nil {
			return err
		}
	}
	return nil
}

func randomDelta(rng *rand.Rand, p *problem.MILP, depth int) problem.Delta {
	d := problem.Delta{Push: rng.IntN(2)}
	if depth > 0 {
		d.Pop = rng.IntN(depth + 1)
	}
	if rng.IntN(2) == 0 {
		i := rng.IntN(len(p.Columns))
		c := &p.Columns[i]
		lo := c.Lo + float64(rng.IntN(int(c.Hi-c.Lo)+1))
		d.ColumnBounds = []problem.ColumnBound{{Column: i, Lo: lo, Hi: c.Hi}}
	}
	coefs := func() []float64 {
		out := make([]float64, len(p.Columns))
		for i := range out {
			out[i] = float64(rng.IntN(7) - 3)
		}
		return out
	}
	if rng.IntN(2) == 0 {
		d.Rows = []problem.Row{row(-inf, float64(rng.IntN(9)), coefs()...)}
	}
	if rng.IntN(3) == 0 {
		d.Objective = &problem.Objective{Maximise: rng.IntN(2) == 0, Terms: terms(coefs()...)}
	}
	return d
}
