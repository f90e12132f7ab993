package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// want is a measure, N/A where NaN.
func check(t *testing.T, got Measures, want ...float64) {
	t.Helper()
	for i, cell := range got.Cells() {
		switch {
		case *cell == nil && !math.IsNaN(want[i]):
			t.Errorf("%s is N/A, want %v", Names[i], want[i])
		case *cell != nil && **cell != want[i]:
			t.Errorf("%s = %v, want %v", Names[i], **cell, want[i])
		}
	}
}

func TestRunCountsAndTells(t *testing.T) {
	var told []sdk.Trial
	moves := points(5, 30, 30, 25, 71, 99, 100, 7)
	moves[3].Round = 2 // two moves in one round
	moves[4].Round, moves[5].Round, moves[6].Round, moves[7].Round = 3, 4, 5, 6
	c, rec := config(t, script(moves, &told))
	r := Run(context.Background(), c)
	if r.Err != nil || r.Interrupted {
		t.Fatal(r.Err, r.Interrupted)
	}
	m := r.Measures
	check(t, m, 7, 3, *m.T1st, 4, 8, (4.0+3+8)/3, 300.0/7, 1, *m.TMaxK)
	if *m.T1st > *m.TMaxK || *m.T1st < 0 {
		t.Errorf("T.1st = %v after T.maxK = %v", *m.T1st, *m.TMaxK)
	}
	if r.Best == nil || r.Best.X[0] != 71 || r.Best.K != 8 || r.Best.Gap != 0.4 || r.Best.Round != 3 {
		t.Errorf("best %+v, want 71 of round 3", r.Best)
	}
	if r.Best.Evals != 5 || r.Best.Iter != 4 { // 5, 30, 30, 25 and itself; two moves shared a round
		t.Errorf("best after %d evaluations in round %d, want 5 and 4", r.Best.Evals, r.Best.Iter)
	}
	if r.Evaluations != 6 || r.Outside != 2 {
		t.Errorf("%d evaluations and %d outside, want 6 and 2 (99 has no counterfactuals, 100 is beyond the domain)", r.Evaluations, r.Outside)
	}
	want := []sdk.TrialStatus{1, 1, 1, 1, 1, sdk.TrialOutside, sdk.TrialOutside, 1}
	for i, trial := range told {
		if trial.ID != moves[i].ID || trial.Status != want[i] {
			t.Errorf("told %+v of move %d, want %v", trial, moves[i].ID, want[i])
		}
	}
	if trial := told[1]; trial.K != 4 || trial.Gap != 0.2 || !trial.Violates || trial.Point[0] != 30 {
		t.Errorf("told %+v of 30", trial)
	}
	if k := rec.events[len(rec.events)-1].Kind; k != record.KindFinished {
		t.Errorf("the last event is %s", k)
	}
}

// A guarded individual is refused and closes its round, and has no other effect, in
// single moves and in batches.
func TestGuardsRefuse(t *testing.T) {
	guard := []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 50, Hi: 99}}}}
	var told []sdk.Trial
	c, _ := config(t, script(points(60, 30, 71, 45), &told))
	c.Guards = guard
	r := Run(context.Background(), c)
	if *r.Measures.Iter != 4 || *r.Measures.ID != 2 || r.Refused != 2 || r.Evaluations != 2 || told[0].Status != sdk.TrialRefused {
		t.Errorf("%v rounds, %v found, %d refused, %d evaluations, told %v", *r.Measures.Iter, *r.Measures.ID, r.Refused, r.Evaluations, told[0].Status)
	}
	c, _ = fastConfig(t, strolling(20), Budget{Evals: 5000})
	c.Guards = guard
	c.Seeder = seeder(func([]float64, int64) ([]float64, bool, error) { return []float64{70, 0}, true, nil })
	if r := Run(context.Background(), c); r.Best.X[0] > 49 || r.Refused == 0 || *r.Measures.ID != 40 {
		t.Errorf("best %v, %d refused, %v found; want the 40 from 10 to 49", r.Best.X, r.Refused, *r.Measures.ID)
	}
}

func TestNothingFoundIsNotApplicable(t *testing.T) {
	c, _ := config(t, script(points(1, 2, 3), nil))
	na := math.NaN()
	check(t, Run(context.Background(), c).Measures, 3, 0, na, na, na, na, 0, na, na)
	c, _ = config(t, fakeSession{})
	check(t, Run(context.Background(), c).Measures, 0, 0, na, na, na, na, na, na, na)
}

func TestBudgetInIterations(t *testing.T) {
	for _, n := range []int64{1, 2, 50} {
		c, _ := config(t, count())
		c.Budget = Budget{Iter: n}
		r := Run(context.Background(), c)
		if r.Err != nil || *r.Measures.Iter != float64(n) || r.Evaluations != n {
			t.Errorf("%d iterations: %v iterations, %d evaluations, error %v", n, *r.Measures.Iter, r.Evaluations, r.Err)
		}
	}
}

func TestBudgetInTimeEndsByItself(t *testing.T) {
	c, _ := config(t, count())
	c.Budget = Budget{Time: 50 * time.Millisecond}
	r := Run(context.Background(), c)
	if r.Err != nil || r.Interrupted || *r.Measures.Iter == 0 {
		t.Errorf("error %v, interrupted %v, %v iterations", r.Err, r.Interrupted, *r.Measures.Iter)
	}
}

func TestSolverInTheLoop(t *testing.T) {
	ask := func(id int64, at float64) sdk.Move {
		return sdk.Move{ID: id, Round: id, Kind: sdk.MoveSeedFrom, Point: []float64{at, 0}}
	}
	moves := []sdk.Move{ask(1, 10), ask(2, 11), ask(3, 12), ask(4, 13), ask(5, math.NaN()), ask(6, 14), ask(7, 15)}
	lost := errors.New("gone")
	var seeds []int64
	solver := func(from []float64, seed int64) ([]float64, bool, error) {
		seeds = append(seeds, seed)
		switch from[0] {
		case 10:
			return []float64{44, 1}, true, nil
		case 11:
			return nil, false, nil
		case 12:
			return []float64{3, 0}, true, nil // 2-fair
		case 13:
			return []float64{500, 0}, true, nil // no individual at all
		}
		return nil, false, lost
	}
	var told []sdk.Trial
	c, rec := config(t, script(moves, &told))
	c.Seeder = seeder(solver)
	r := Run(context.Background(), c)
	want := []sdk.TrialStatus{
		sdk.TrialEvaluated, sdk.TrialNoSeed, sdk.TrialNoSeed, sdk.TrialNoSeed,
		sdk.TrialOutside, sdk.TrialNoSolver, sdk.TrialNoSolver,
	}
	for i := range want {
		if told[i].Status != want[i] {
			t.Errorf("move %d: told %v, want %v", i+1, told[i].Status, want[i])
		}
	}
	if x := told[0].Point; x[0] != 44 || x[1] != 0 {
		t.Errorf("the solver's individual came back as %v, want 44 in canonical form", x)
	}
	if r.NoSeed != 1 || r.Spurious != 2 || r.Outside != 1 || r.Err != nil || !errors.Is(r.SolverErr, lost) {
		t.Errorf("%d without a seed, %d spurious, %d outside, errors %v, %v", r.NoSeed, r.Spurious, r.Outside, r.Err, r.SolverErr)
	}
	if len(seeds) != 5 || seeds[0] == seeds[1] || seeds[0] < 0 {
		t.Errorf("the solver was asked with the seeds %v; want five different ones: a lost solver is not asked again", seeds)
	}
	if !rec.events[0].Found.Seed {
		t.Error("the individual is not marked as the solver's")
	}
	var faults int
	for _, e := range rec.events {
		if e.Kind == record.KindFault && e.Fault.Plugin == "oracle" {
			faults++
		}
	}
	if faults != 1 {
		t.Errorf("%d fault events, want 1", faults)
	}
}

// A solver that takes too long for a question is not lost.
func TestSeedLimit(t *testing.T) {
	var told []sdk.Trial
	ask := sdk.Move{ID: 1, Kind: sdk.MoveSeedFrom, Point: []float64{10, 0}}
	again := ask
	again.ID = 2
	c, _ := config(t, script([]sdk.Move{ask, again}, &told))
	c.Seeder, c.SeedLimit = slow{}, time.Millisecond
	r := Run(context.Background(), c)
	if r.Err != nil || r.SolverErr != nil || r.NoSeed != 2 || told[0].Status != sdk.TrialNoSeed {
		t.Errorf("told %v, %d without a seed, errors %v, %v", told, r.NoSeed, r.Err, r.SolverErr)
	}
}

func TestWithoutSolver(t *testing.T) {
	var told []sdk.Trial
	c, _ := config(t, script([]sdk.Move{{ID: 1, Kind: sdk.MoveSeedFrom, Point: []float64{10, 0}}}, &told))
	if r := Run(context.Background(), c); r.Err != nil || told[0].Status != sdk.TrialNoSolver {
		t.Errorf("told %v, error %v", told, r.Err)
	}
}

// An interrupt while the strategy runs, while it ignores its context, and while the solver
// runs: earlier finds are kept.
func TestInterruptKeepsWhatWasFound(t *testing.T) {
	cases := map[string]func(ctx context.Context, stop func(), i int64) ([]sdk.Move, error){
		"thinking": func(ctx context.Context, stop func(), _ int64) ([]sdk.Move, error) {
			stop()
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"deaf": func(_ context.Context, stop func(), _ int64) ([]sdk.Move, error) {
			stop()
			select {}
		},
		"solving": func(_ context.Context, _ func(), i int64) ([]sdk.Move, error) {
			return []sdk.Move{{ID: i, Round: i, Kind: sdk.MoveSeedFrom, Point: []float64{0, 0}}}, nil
		},
	}
	for name, third := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			var i int64
			c, rec := config(t, fakeSession{func(ctx context.Context, _ []sdk.Trial, _ int) ([]sdk.Move, error) {
				i++
				if i == 3 {
					return third(ctx, stop, i)
				}
				return []sdk.Move{{ID: i, Round: i, Kind: sdk.MovePoint, Point: []float64{20 * float64(i), 0}}}, nil
			}})
			c.Seeder = seeder(func([]float64, int64) ([]float64, bool, error) {
				stop()
				return nil, false, ctx.Err()
			})
			r := Run(ctx, c)
			if !r.Interrupted || r.Err != nil || r.SolverErr != nil {
				t.Errorf("interrupted %v, errors %v, %v", r.Interrupted, r.Err, r.SolverErr)
			}
			if *r.Measures.ID != 2 || r.Best.X[0] != 40 {
				t.Errorf("%v found, best %+v; want 2 and the individual 40", *r.Measures.ID, r.Best)
			}
			if last := rec.events[len(rec.events)-1]; last.Finished == nil || !last.Finished.Interrupted {
				t.Errorf("last event %+v", last)
			}
		})
	}
}

// A strategy that breaks the rules after one good move ends its run with one
// error; the find of the good move stays.
func TestLiars(t *testing.T) {
	move := func(id, round int64) sdk.Move {
		return sdk.Move{ID: id, Round: round, Kind: sdk.MovePoint, Point: []float64{30, 0}}
	}
	one := func(m sdk.Move) func(context.Context, int64) ([]sdk.Move, error) {
		return func(context.Context, int64) ([]sdk.Move, error) { return []sdk.Move{m}, nil }
	}
	cases := map[string]struct {
		next func(ctx context.Context, i int64) ([]sdk.Move, error)
		says string
	}{
		"crash": {func(context.Context, int64) ([]sdk.Move, error) {
			return nil, fmt.Errorf("strategy fake %w: panic: boom", sdk.ErrPluginExited)
		}, "boom"},
		"no moves":      {func(context.Context, int64) ([]sdk.Move, error) { return nil, nil }, "it made no move"},
		"flood":         {func(context.Context, int64) ([]sdk.Move, error) { return make([]sdk.Move, 5000), nil }, "it made 5000 moves, want at most 1"},
		"same id":       {one(move(1, 1)), "identifiers must increase"},
		"back in time":  {one(sdk.Move{ID: 2, Round: -1, Kind: sdk.MovePoint}), "never go back"},
		"back a round":  {func(_ context.Context, i int64) ([]sdk.Move, error) { return []sdk.Move{move(i, 7-i)}, nil }, "never go back"},
		"unknown kind":  {one(sdk.Move{ID: 2, Round: 1, Kind: 9}), "unknown kind 9"},
		"unknown chain": {one(sdk.Move{ID: 2, Round: 1, Kind: sdk.MovePoint, Chain: -1}), "chain -1"},
		"many chains":   {one(sdk.Move{ID: 2, Round: 1, Kind: sdk.MovePoint, Chain: 1 << 30}), "is outside 0 to"},
		"endless round": {func(_ context.Context, i int64) ([]sdk.Move, error) { return []sdk.Move{move(i, 0)}, nil }, "more than 100000 moves in round 0"},
		"hang":          {func(ctx context.Context, _ int64) ([]sdk.Move, error) { <-ctx.Done(); return nil, ctx.Err() }, "no answer for"},
		"deaf hang":     {func(context.Context, int64) ([]sdk.Move, error) { select {} }, "no answer for"},
	}
	for name, liar := range cases {
		t.Run(name, func(t *testing.T) {
			var i int64
			c, rec := config(t, fakeSession{func(ctx context.Context, _ []sdk.Trial, _ int) ([]sdk.Move, error) {
				if i++; i == 1 {
					return []sdk.Move{move(1, 0)}, nil
				}
				return liar.next(ctx, i)
			}})
			c.Budget = Budget{Iter: 10}
			if c.Patience = time.Minute; liar.says == "no answer for" {
				c.Patience = 100 * time.Millisecond
			}
			r := Run(context.Background(), c)
			if r.Err == nil || !strings.HasPrefix(r.Err.Error(), "strategy fake") || !strings.Contains(r.Err.Error(), liar.says) {
				t.Errorf("error %v, want one that says %q", r.Err, liar.says)
			}
			if *r.Measures.ID != 1 || r.Best == nil {
				t.Errorf("%v found; the find before the fault is lost", *r.Measures.ID)
			}
			if last := rec.events[len(rec.events)-1]; last.Finished == nil || last.Finished.Error == "" {
				t.Errorf("last event %+v", last)
			}
		})
	}
}

// A hang under a time budget is noticed as well, when the time is up.
func TestHangUntilTheTimeIsUp(t *testing.T) {
	c, _ := config(t, fakeSession{func(ctx context.Context, _ []sdk.Trial, _ int) ([]sdk.Move, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	c.Budget = Budget{Time: 500 * time.Millisecond}
	if r := Run(context.Background(), c); r.Err == nil || r.Interrupted {
		t.Errorf("error %v, interrupted %v; want an error", r.Err, r.Interrupted)
	}
}

// Invalid points are outside, and the search continues.
func TestGarbagePointsAreOutside(t *testing.T) {
	garbage := [][]float64{nil, {}, {1}, {1, 2, 3}, {math.NaN(), 0}, {math.Inf(1), 0}, {0.5, 0}, {-1, 0}, {1e300, 0}}
	var moves []sdk.Move
	for i, x := range garbage {
		for _, kind := range []sdk.MoveKind{sdk.MovePoint, sdk.MoveSeedFrom} {
			moves = append(moves, sdk.Move{ID: int64(len(moves) + 1), Round: int64(i), Kind: kind, Point: x})
		}
	}
	c, _ := config(t, script(moves, nil))
	c.Seeder = seeder(func(from []float64, _ int64) ([]float64, bool, error) {
		if len(from) != 2 || math.IsNaN(from[0]) || math.IsInf(from[0], 0) {
			t.Errorf("the solver was handed %v", from)
		}
		return nil, false, nil
	})
	r := Run(context.Background(), c)
	if r.Err != nil || r.Evaluations != 0 || r.Outside != 15 || r.NoSeed != 3 {
		t.Errorf("error %v, %d evaluations, %d outside, %d without a seed; want none, 0, 15, 3", r.Err, r.Evaluations, r.Outside, r.NoSeed)
	}
}

func TestRegionBoundsTheSearch(t *testing.T) {
	c, _ := config(t, script(points(15, 35), nil))
	c.Region = c.Region.Clone()
	c.Region.Box[0].Hi = 20
	if r := Run(context.Background(), c); r.Evaluations != 1 || r.Outside != 1 {
		t.Errorf("%d evaluations, %d outside; want 1 and 1", r.Evaluations, r.Outside)
	}
}

// Individuals that differ in the sign of a zero or in protected entries only
// are the same.
func TestSameIndividualCountsOnce(t *testing.T) {
	moves := points(20, 20, 20)
	moves[1].Point = []float64{20, 1}
	c, _ := config(t, script(moves, nil))
	if r := Run(context.Background(), c); *r.Measures.ID != 1 {
		t.Errorf("%v distinct individuals in three copies of one", *r.Measures.ID)
	}
	if identity([]float64{math.Copysign(0, -1)}) != identity([]float64{0}) {
		t.Error("−0 and 0 are told apart")
	}
	if identity([]float64{1, 2}) == identity([]float64{2, 1}) {
		t.Error("different individuals have one key")
	}
}

func TestProgressIsReported(t *testing.T) {
	var seen []Progress
	c, _ := config(t, script(points(5, 30), nil))
	c.Progress = func(p Progress) { seen = append(seen, p) }
	Run(context.Background(), c)
	if len(seen) == 0 || seen[0].Budget != c.Budget {
		t.Errorf("progress %+v", seen)
	}
}

// The moves made do not depend on the clock: two runs give the same events.
func TestSameSeedSameEvents(t *testing.T) {
	events := func() []record.Event {
		c, rec := config(t, count())
		c.Budget = Budget{Iter: 40}
		Run(context.Background(), c)
		for i := range rec.events {
			e := &rec.events[i]
			e.Seconds = 0
			if e.Finished != nil {
				e.Finished.Measures = nil // they hold times
			}
		}
		return rec.events
	}
	if d := gocmp.Diff(events(), events()); d != "" {
		t.Error(d)
	}
}

// A strategy that does not start gives one error, whatever the reason.
func TestStartFails(t *testing.T) {
	refused := errors.New("strategy fake: no such option")
	hang := func(ctx context.Context) (sdk.Session, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	cases := map[string]struct {
		start  func(context.Context) (sdk.Session, error)
		budget Budget
		says   string
	}{
		"refused": {func(context.Context) (sdk.Session, error) { return nil, refused }, Budget{Iter: 1}, "no such option"},
		"hang":    {hang, Budget{Iter: 1}, "did not start within"},
		"late":    {hang, Budget{Time: time.Millisecond}, "used up before the search began"},
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			c, rec := config(t, nil)
			c.Start, c.Budget, c.Patience = f.start, f.budget, 50*time.Millisecond
			r := Run(context.Background(), c)
			if r.Err == nil || !strings.Contains(r.Err.Error(), f.says) || r.Interrupted {
				t.Errorf("error %v, want one that says %q", r.Err, f.says)
			}
			if len(rec.events) != 2 || rec.events[0].Fault == nil || rec.events[1].Finished == nil {
				t.Errorf("events %+v; want a fault and the end", rec.events)
			}
		})
	}
	ctx, stop := context.WithCancel(context.Background())
	c, _ := config(t, nil)
	c.Start = func(ctx context.Context) (sdk.Session, error) { stop(); return hang(ctx) }
	if r := Run(ctx, c); r.Err != nil || !r.Interrupted {
		t.Errorf("interrupted at the start: error %v, interrupted %v", r.Err, r.Interrupted)
	}
}

// A budget in evaluations ends in an almost empty space; a search of an empty space does not
// begin.
func TestNobodyToEvaluate(t *testing.T) {
	tier.NeedUsual(t)
	var i int64
	outside := fakeSession{func(_ context.Context, _ []sdk.Trial, want int) (moves []sdk.Move, _ error) {
		for range want {
			i++
			x := 99.0
			if i == 50 {
				x = 5
			}
			moves = append(moves, sdk.Move{ID: i, Round: i, Kind: sdk.MovePoint, Point: []float64{x, 0}})
		}
		return moves, nil
	}}
	for name, c := range map[string]Config{
		"paper": first(config(t, outside)), "fast": first(fastConfig(t, outside, Budget{})),
	} {
		i = 0
		c.Budget = Budget{Evals: 2}
		if r := Run(context.Background(), c); r.Err != nil || r.Evaluations != 1 || r.Outside < maxVain || r.Outside > maxVain+60 || !strings.Contains(r.Ended, "no evaluation") {
			t.Errorf("%s: %d evaluated, %d outside, ended by %q, %v", name, r.Evaluations, r.Outside, r.Ended, r.Err)
		}
		i = 0
		c.Budget = Budget{Iter: 2 * maxVain}
		if r := Run(context.Background(), c); r.Err != nil || *r.Measures.Iter != 2*maxVain || r.Ended != "" {
			t.Errorf("%s: %v rounds, ended by %q, %v", name, *r.Measures.Iter, r.Ended, r.Err)
		}
	}
	c, _ := config(t, outside)
	c.Space.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 99}}}}
	c.Start = func(context.Context) (sdk.Session, error) { return nil, errors.New("started") }
	if r := Run(context.Background(), c); r.Err != nil || !strings.Contains(r.Ended, "no individual") {
		t.Errorf("ended by %q, %v", r.Ended, r.Err)
	}
}

func first(c Config, _ *recorder) Config { return c }

// reporting is a session that reports a share of its moves as evaluations of its own.
type reporting struct {
	fakeSession
	each, own int64
}

func (s *reporting) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	s.own += s.each
	return s.fakeSession.Next(ctx, told, want)
}

func (s *reporting) Evaluations() int64 { return s.own }

// A strategy that holds the model and reports almost no evaluations of its own is marked, for
// any kind of budget; one that reports, or does not hold the model, is not.
func TestUncountedStrategiesAreTold(t *testing.T) {
	silent := func() sdk.Session { return script(points(10, 20, 30, 40), nil) }
	says := func(own, each int64) func() sdk.Session {
		return func() sdk.Session {
			return &reporting{fakeSession: script(points(10, 20, 30, 40), nil), own: own, each: each}
		}
	}
	for name, c := range map[string]struct {
		session     func() sdk.Session
		holds, want bool
	}{
		"holds the model, reports nothing":     {silent, true, true},
		"holds the model, reports zero":        {says(0, 0), true, true},
		"holds the model, reports once":        {says(1, 0), true, true},
		"holds the model, reports":             {says(0, 1), true, false},
		"holds the model, evaluates every 2nd": {says(2, 0), true, false},
		"has no model":                         {silent, false, false},
	} {
		for _, budget := range []Budget{{Time: time.Minute}, {Iter: 4}, {Evals: 100}} {
			config, rec := config(t, c.session())
			config.HoldsModel, config.Budget = c.holds, budget
			if r := Run(context.Background(), config); r.Uncounted != c.want || rec.events[len(rec.events)-1].Finished.Uncounted != c.want {
				t.Errorf("%s, %s: uncounted %v", name, budget, r.Uncounted)
			}
		}
	}
}
