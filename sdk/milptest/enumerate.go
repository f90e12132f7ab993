package milptest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Draw draws a pure integer program small enough to enumerate. All its numbers
// are small integers, so that feasibility is never a close call.
func Draw(t *rapid.T) *problem.MILP { return draw(source(t)) }

// source draws from a seed, so that rapid reproduces what it draws.
func source(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)) }

func draw(r *rand.Rand) *problem.MILP {
	m := known.MILP(r)
	if m.Objective.Offset = float64(r.IntN(7) - 3); r.IntN(4) == 0 {
		m.Objective.Terms = nil
	}
	return m
}

// drawDelta draws a delta for a problem with depth pushed levels.
func drawDelta(r *rand.Rand, m *problem.MILP, depth int) problem.Delta {
	d := known.Delta(r, m, depth)
	if r.IntN(4) == 0 {
		for range m.Columns {
			d.Start = append(d.Start, []float64{math.NaN(), float64(r.IntN(11) - 4)}[r.IntN(2)])
		}
	}
	return d
}

// Agree fails unless status, optimum and bound of a result are what enumeration finds.
// The problem must be as small as those of Draw.
func Agree(t rapid.TB, m *problem.MILP, r *sdk.Result) {
	t.Helper()
	Check(t, m, r)
	best, want := known.Best(m), sdk.Infeasible
	switch {
	case best.Best:
		want = sdk.Optimal
	case best.Feasible:
		want = sdk.Feasible
	}
	if r.Status != want || r.Reason != sdk.NoReason {
		t.Fatalf("%s, want %v", known.Said(r, nil), want)
	}
	if best.Best && !(math.Abs(r.Objective-best.Optimum) <= 1e-5 && r.HasBound && math.Abs(r.Bound-best.Optimum) <= 1e-5) {
		t.Fatalf("optimum %v, bound %v (%v), enumeration finds %v", r.Objective, r.Bound, r.HasBound, best.Optimum)
	}
}

// Optima asks problems drawn by rapid: status, optimum and bound must be what
// enumeration finds.
func Optima(t testing.TB, s sdk.Solver) {
	t.Helper()
	checks := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 2 { // rapid's 100 draws, two problems each
			m := Draw(t)
			Agree(t, m, Solve(t, s, m, sdk.SolveOptions{}))
			checks++
		}
	})
	t.Logf("%d problems", checks)
}

// Deltas applies a sequence of deltas to one loaded problem: after each, the answer
// must be what enumeration of the changed problem finds, so popping must restore it
// exactly.
func Deltas(t testing.TB, s sdk.Incremental) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		rng := source(t)
		p := &problem.Problem{MILP: draw(rng)}
		l, err := s.Load(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		referee, depth := problem.NewStack(p), 0
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			d := drawDelta(rng, p.MILP, depth)
			depth += d.Push - d.Pop
			now, err := referee.Apply(d)
			if err != nil {
				t.Fatal(err)
			}
			r, err := l.Solve(context.Background(), d, sdk.SolveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			Agree(t, now.MILP, r)
		}
	})
}
