package milp_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

// asked maximises, or minimises, x + 10.
func asked(maximise bool, o sdk.SolveOptions) milp.Question {
	m := &problem.MILP{
		Columns:   []problem.Column{{Hi: 9}},
		Objective: problem.Objective{Maximise: maximise, Offset: 10, Terms: []problem.Term{{Column: 0, Coef: 1}}},
	}
	return milp.Question{MILP: m, Options: o, Begin: time.Now()}
}

// stopsFor waits until the watch says to stop.
func stopsFor(t *testing.T, w *milp.Monitor, want sdk.Reason) {
	t.Helper()
	for range 60_000 {
		if reason, stopped := w.Stopped(); stopped {
			if reason != want {
				t.Errorf("stopped for the reason %q, want %q", reason, want)
			}
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("not stopped, want %q", want)
}

func TestLimits(t *testing.T) {
	t.Run("cancelled before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := milp.Watch(ctx, asked(true, sdk.SolveOptions{}))
		defer w.End()
		if reason, stopped := w.Stopped(); !stopped || reason != sdk.Interrupted {
			t.Errorf("%v, %q at once; want it interrupted", stopped, reason)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := milp.Watch(ctx, asked(true, sdk.SolveOptions{}))
		defer w.End()
		if _, stopped := w.Stopped(); stopped {
			t.Error("stopped by nothing")
		}
		cancel()
		stopsFor(t, w, sdk.Interrupted)
	})
	t.Run("time", func(t *testing.T) {
		q := asked(true, sdk.SolveOptions{TimeLimit: time.Millisecond})
		w := milp.Watch(t.Context(), q)
		defer w.End()
		stopsFor(t, w, sdk.TimeLimit)
		if spent := time.Since(q.Begin); spent < time.Millisecond || q.Left() != 0 {
			t.Errorf("stopped after %v, with %v left", spent, q.Left())
		}
	})
	t.Run("memory", func(t *testing.T) {
		if milp.Memory() == 0 {
			t.Skip("SKIPPED: the memory of a process is not known on this system")
		}
		w := milp.Watch(t.Context(), asked(true, sdk.SolveOptions{Memory: 1}))
		defer w.End()
		stopsFor(t, w, sdk.MemoryLimit)
	})
	t.Run("the first reason counts", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := milp.Watch(ctx, asked(true, sdk.SolveOptions{}))
		w.Stop(sdk.NoReason)
		w.Stop(sdk.WorkLimit)
		cancel()
		w.End()
		stopsFor(t, w, sdk.NoReason)
	})
}

// The incumbent is kept and reported, each point once, and the last one at the end.
func TestProgress(t *testing.T) {
	for _, maximise := range []bool{false, true} {
		var seen []sdk.Progress
		w := milp.Watch(t.Context(), asked(maximise, sdk.SolveOptions{Progress: func(p sdk.Progress) { seen = append(seen, p) }}))
		better, worse := 7.0, 3.0
		if !maximise {
			better, worse = worse, better
		}
		for _, c := range []struct {
			x     float64
			taken bool
		}{{5, true}, {worse, false}, {5, false}, {better, true}} {
			if got := w.Found([]float64{c.x}); got != c.taken {
				t.Errorf("maximise %v: %v taken: %v", maximise, c.x, got)
			}
		}
		w.Searched(4)
		w.Bounded(math.Inf(1))
		w.Bounded(math.NaN())
		w.Bounded(12.5)
		w.End()
		if best := w.Incumbent(); len(best) != 1 || best[0] != better {
			t.Errorf("maximise %v: the best is %v, want %v", maximise, best, better)
		}
		if len(seen) == 0 {
			t.Fatal("nothing was told")
		}
		last := seen[len(seen)-1]
		if last.Objective != better+10 || last.Nodes != 4 || !last.HasBound || last.Bound != 12.5 || last.Elapsed <= 0 {
			t.Errorf("maximise %v: the last report is %+v", maximise, last)
		}
		points := 0
		for _, p := range seen {
			if p.Values != nil {
				points++
			}
		}
		if points < 1 || points > 2 {
			t.Errorf("maximise %v: %d points in %d reports; want the best, and at most one before it", maximise, points, len(seen))
		}
	}
}

func TestNothingNewIsNotTold(t *testing.T) {
	told := 0
	w := milp.Watch(t.Context(), asked(true, sdk.SolveOptions{Progress: func(sdk.Progress) { told++ }}))
	w.Searched(0)
	w.Bounded(math.Inf(-1))
	w.End()
	if told != 0 || w.Incumbent() != nil {
		t.Errorf("%d reports, best %v", told, w.Incumbent())
	}
}

// Without an objective the first point is as good as any, and a bound says
// nothing.
func TestWithoutAnObjective(t *testing.T) {
	q := asked(true, sdk.SolveOptions{})
	q.MILP.Objective.Terms = nil
	var last sdk.Progress
	q.Options.Progress = func(p sdk.Progress) { last = p }
	w := milp.Watch(t.Context(), q)
	if !w.Found([]float64{5}) || w.Found([]float64{7}) {
		t.Error("want the first point taken, and no other")
	}
	w.Bounded(3)
	w.End()
	if last.HasBound || last.Values == nil || w.Incumbent()[0] != 5 {
		t.Errorf("%+v, best %v", last, w.Incumbent())
	}
}

func TestQuestion(t *testing.T) {
	for _, c := range []struct {
		maximise     bool
		target       float64
		reach, short float64
	}{{true, 15, 5, 4.9}, {false, 15, 5, 5.1}} {
		q := asked(c.maximise, sdk.SolveOptions{})
		if q.ReachesTarget([]float64{c.reach}) {
			t.Error("a target is reached, and there is none")
		}
		q.Options.Target = &c.target
		if !q.ReachesTarget([]float64{c.reach}) || q.ReachesTarget([]float64{c.short}) {
			t.Errorf("maximise %v: want %v to reach the target %v, and %v not", c.maximise, c.reach, c.target, c.short)
		}
	}
	q := asked(true, sdk.SolveOptions{})
	if q.Left() != -1 || q.WholeStart() != nil {
		t.Errorf("%v left, start %v; there is no limit and no start", q.Left(), q.WholeStart())
	}
	q.MILP.Start = []float64{math.NaN()}
	if q.WholeStart() != nil {
		t.Error("a start that lacks a value is whole")
	}
	q.MILP.Start[0] = 4
	if got := q.WholeStart(); len(got) != 1 || got[0] != 4 {
		t.Errorf("start %v, want 4", got)
	}
	target := 12.0
	q.Options = sdk.SolveOptions{TimeLimit: time.Nanosecond, Target: &target, Progress: func(sdk.Progress) {}, Seed: 3}
	time.Sleep(time.Nanosecond)
	var plain milp.Question
	point, r, err := q.SettleUnbounded(5, func(asked milp.Question) (*sdk.Result, error) {
		plain = asked
		return &sdk.Result{Status: sdk.Feasible, Nodes: 2, Values: problem.Floats([]float64{4})}, nil
	})
	if err != nil || len(point) != 1 || point[0] != 4 || r.Nodes != 7 || r.Elapsed <= 0 {
		t.Errorf("point %v, %+v, %v; want the point 4 after 7 nodes", point, r, err)
	}
	if plain.WantsBest() || !q.WantsBest() || plain.Options.Target != nil || plain.Options.Progress != nil || plain.Options.Seed != 3 || plain.Options.TimeLimit <= 0 {
		t.Errorf("without its objective: %+v", plain)
	}
}
