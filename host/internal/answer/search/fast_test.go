package search

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// stroll is a random walk in several chains.
type stroll struct{ *chain.Domain }

func (s stroll) Propose(rng *rand.Rand, x []float64) []float64 { return s.Neighbour(rng, x) }

func (stroll) AcceptTrial(*rand.Rand, *sdk.Trial, *sdk.Trial, int64) bool { return true }

func strolling(patience int64) sdk.Session {
	g := chain.NewDomain(line(), sdk.StartOptions{})
	return chain.NewParallel(g, stroll{g}, 8, patience, 3)
}

func fastConfig(t *testing.T, s sdk.Session, budget Budget) (Config, *recorder) {
	c, rec := config(t, s)
	c.Fast = &Fast{Chains: 8, Ahead: true, Keep: -1}
	c.Budget = budget
	return c, rec
}

// withoutTime returns the events without their times.
func withoutTime(events []record.Event) []record.Event {
	out := make([]record.Event, 0, len(events))
	for _, e := range events {
		if e.Kind == record.KindFound || e.Kind == record.KindBest {
			e.Seconds, e.Seq = 0, 0
			out = append(out, e)
		}
	}
	return out
}

// A run with a smaller budget finds a prefix of what a larger budget finds, with a
// slow solver or a fast one.
func TestFastRunsArePrefixes(t *testing.T) {
	play := func(budget Budget, delay time.Duration) (*Outcome, []record.Event) {
		c, rec := fastConfig(t, strolling(20), budget)
		var asked atomic.Int64
		c.Seeder = seeder(func(from []float64, seed int64) ([]float64, bool, error) {
			time.Sleep(delay)
			asked.Add(1)
			return []float64{20 + float64(uint64(seed)%70), 0}, true, nil
		})
		r := Run(context.Background(), c)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		return r, withoutTime(rec.events)
	}
	long, events := play(Budget{Evals: 300_000}, 0)
	if long.Evaluations != 300_000 {
		t.Errorf("%d evaluations with a budget of 300000", long.Evaluations)
	}
	again, same := play(Budget{Evals: 300_000}, 20*time.Millisecond)
	if d := cmp.Diff(events, same); d != "" || *again.Measures.Iter != *long.Measures.Iter {
		t.Errorf("a slower solver changes what is found:\n%s", d)
	}
	_, short := play(Budget{Evals: 60}, 0)
	if len(short) == 0 || len(short) >= len(events) {
		t.Fatalf("%d events of the short run, %d of the long one", len(short), len(events))
	}
	if d := cmp.Diff(events[:len(short)], short); d != "" {
		t.Errorf("the short run is no prefix:\n%s", d)
	}
	if r, _ := play(Budget{Iter: 777}, 0); *r.Measures.Iter != 777 {
		t.Errorf("%v rounds with a budget of 777", *r.Measures.Iter)
	}
}

// Seeds count as finds of the run, and reach the chains that ask for one.
func TestBackgroundSeeds(t *testing.T) {
	c, rec := fastConfig(t, strolling(20), Budget{Evals: 3 * firstSeed})
	lo := line()
	lo.Features[0].Hi = 9 // the strategy's part of the space has no unfair individual
	g := chain.NewDomain(lo, sdk.StartOptions{})
	c.Start = func(context.Context) (sdk.Session, error) {
		return chain.NewParallel(g, stroll{g}, 8, 20, 3), nil
	}
	c.Seeder = seeder(func([]float64, int64) ([]float64, bool, error) { return []float64{95, 1}, true, nil })
	r := Run(context.Background(), c)
	var seeds int
	for _, e := range rec.events {
		if e.Kind == record.KindFound && e.Found.Seed && e.Found.X[0] == 95 && e.Found.X[1] == 0 {
			seeds++
		}
	}
	if seeds != 1 || r.Best == nil || r.Best.K != 10 {
		t.Errorf("the solver's individual was found %d times, best %+v", seeds, r.Best)
	}
}

func TestBackgroundSolverLost(t *testing.T) {
	c, _ := fastConfig(t, strolling(20), Budget{Evals: 2 * firstSeed})
	lost := errors.New("gone")
	c.Seeder = seeder(func([]float64, int64) ([]float64, bool, error) { return nil, false, lost })
	r := Run(context.Background(), c)
	if r.Err != nil || !errors.Is(r.SolverErr, lost) || r.Evaluations != 2*firstSeed {
		t.Errorf("error %v, solver's %v, %d evaluations", r.Err, r.SolverErr, r.Evaluations)
	}
}

// Finds beyond Keep are summed up, without a change of the measures.
func TestFindsAreSummedUp(t *testing.T) {
	play := func(keep int64) (*Outcome, *recorder) {
		c, rec := fastConfig(t, strolling(0), Budget{Evals: 5000})
		c.Fast.Keep = keep
		return Run(context.Background(), c), rec
	}
	all, _ := play(-1)
	few, rec := play(10)
	if d := cmp.Diff(all.Measures.ID, few.Measures.ID); d != "" || *all.Measures.ID != 89 {
		t.Errorf("%v and %v found, want 89", *all.Measures.ID, *few.Measures.ID)
	}
	if *all.Measures.AvgK != *few.Measures.AvgK || *all.Measures.IDMaxK != *few.Measures.IDMaxK || *few.Measures.MaxK != 10 {
		t.Errorf("measures %v and %v", all.Measures.Map(), few.Measures.Map())
	}
	var kept, summed int64
	for _, e := range rec.events {
		switch e.Kind {
		case record.KindFound:
			kept++
		case record.KindTally:
			for _, n := range e.Tally.K {
				summed += n
			}
		}
	}
	if kept+summed != 89 || kept < 10 || kept > 60 {
		t.Errorf("%d kept and %d summed up", kept, summed)
	}
	if d := cmp.Diff(few.Measures, Measure(rec.events)); d != "" {
		t.Errorf("measures from the events differ:\n%s", d)
	}
}

// A strategy's own evaluations count towards the budget.
func TestOwnEvaluationsCount(t *testing.T) {
	s := &thinker{fakeSession: count()}
	c, _ := fastConfig(t, s, Budget{Evals: 1000})
	r := Run(context.Background(), c)
	if r.Err != nil || r.Evaluations < 1000 || r.Evaluations > 1200 || s.own == 0 {
		t.Errorf("error %v, %d evaluations, %d of them the strategy's", r.Err, r.Evaluations, s.own)
	}
}

type thinker struct {
	fakeSession
	own int64
}

func (s *thinker) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	s.own += 99
	return s.fakeSession.Next(ctx, told, 1)
}

func (s *thinker) Evaluations() int64 { return s.own }

// The rules for single moves hold for batches.
func TestFastLiarsAndEnds(t *testing.T) {
	move := func(id int64) sdk.Move {
		return sdk.Move{ID: id, Round: id, Kind: sdk.MovePoint, Point: []float64{30, 0}}
	}
	cases := map[string]struct {
		moves []sdk.Move
		err   error
		bad   bool
	}{
		"finished":        {err: io.EOF},
		"too many":        {moves: make([]sdk.Move, 5), bad: true},
		"none":            {moves: nil, bad: true},
		"numbers go back": {moves: []sdk.Move{move(9), move(8)}, bad: true},
		"crash":           {err: errors.New("gone"), bad: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			calls := 0
			config, _ := fastConfig(t, fakeSession{func(context.Context, []sdk.Trial, int) ([]sdk.Move, error) {
				if calls++; calls == 1 {
					return []sdk.Move{move(1), move(2)}, nil
				}
				return c.moves, c.err
			}}, Budget{Time: time.Minute})
			r := Run(context.Background(), config)
			if (r.Err != nil) != c.bad || *r.Measures.ID != 1 {
				t.Errorf("error %v, %v found; want the one of the first call", r.Err, *r.Measures.ID)
			}
		})
	}
}

func TestFastInterrupt(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	c, rec := fastConfig(t, strolling(0), Budget{Time: time.Minute})
	c.Seeder = slow{}
	c.Stream.Sinks = append(c.Stream.Sinks, func(e record.Event) {
		if e.Kind == record.KindFound {
			stop()
		}
	})
	r := Run(ctx, c)
	if !r.Interrupted || r.Err != nil || r.Best == nil || rec.events[len(rec.events)-1].Kind != record.KindFinished {
		t.Errorf("interrupted %v, error %v, best %v", r.Interrupted, r.Err, r.Best)
	}
}

// A budget in evaluations is met exactly, even if an answer of the solver is due
// at its very end, or individuals without counterfactuals, which do not count, are
// under way.
func TestFastBudgetsAreExact(t *testing.T) {
	c, _ := fastConfig(t, count(), Budget{Evals: firstSeed})
	c.Seeder = seeder(func([]float64, int64) ([]float64, bool, error) { return []float64{95, 0}, true, nil })
	if r := Run(context.Background(), c); r.Err != nil || r.Evaluations != firstSeed {
		t.Errorf("error %v, %d evaluations with a budget of %d", r.Err, r.Evaluations, firstSeed)
	}
	moves := points(99, 10, 99, 99, 20, 30, 40, 50, 60, 70)
	for _, budget := range []int64{1, 2, 3, 5} {
		calls := 0
		c, _ := fastConfig(t, fakeSession{func(_ context.Context, _ []sdk.Trial, want int) ([]sdk.Move, error) {
			calls++
			return moves[(calls-1)*want : calls*want], nil
		}}, Budget{Evals: budget})
		if r := Run(context.Background(), c); r.Err != nil || r.Evaluations != budget || *r.Measures.ID != float64(budget) {
			t.Errorf("budget %d: error %v, %d evaluations, %v found", budget, r.Err, r.Evaluations, *r.Measures.ID)
		}
	}
}

// Chains that a strategy ends together close no more rounds than the budget has.
func TestFastEndWithinBudget(t *testing.T) {
	calls := 0
	c, _ := fastConfig(t, fakeSession{func(context.Context, []sdk.Trial, int) ([]sdk.Move, error) {
		if calls++; calls > 1 {
			return nil, io.EOF
		}
		moves := points(10, 20, 30, 40)
		for i := range moves {
			moves[i].Chain, moves[i].Round = i, 0
		}
		return moves, nil
	}}, Budget{Iter: 3})
	if r := Run(context.Background(), c); r.Err != nil || *r.Measures.Iter != 3 || *r.Measures.ID != 4 {
		t.Errorf("error %v, %v rounds, %v found; want 3 rounds and 4 found", r.Err, *r.Measures.Iter, *r.Measures.ID)
	}
}

// A strategy that answered in time is not blamed for a host that was busy.
func TestFastPatienceIsWithTheStrategy(t *testing.T) {
	c, _ := fastConfig(t, strolling(0), Budget{Evals: 10})
	c.Patience = 200 * time.Millisecond
	c.Evaluator = busy{time: c.Patience + 30*time.Millisecond}
	if r := Run(context.Background(), c); r.Err != nil || r.Evaluations != 10 {
		t.Errorf("error %v, %d evaluations", r.Err, r.Evaluations)
	}
}

// busy takes longer for a batch than the strategy may for its moves.
type busy struct {
	tens
	time time.Duration
}

func (b busy) EvaluateCopies(xs [][]float64, out []evaluate.Outcome, d evaluate.Detail) []evaluate.Copies {
	time.Sleep(b.time)
	return tens{}.EvaluateCopies(xs, out, d)
}

// A session is closed only after its Next, under way when the budget ended, has
// returned.
func TestFastCallsComeOneAtATime(t *testing.T) {
	s := &solitary{Session: strolling(0)}
	c, _ := fastConfig(t, s, Budget{Evals: 10})
	c.Evaluator = busy{time: 30 * time.Millisecond}
	if r := Run(context.Background(), c); r.Err != nil || s.closed != 1 || s.overlap {
		t.Errorf("error %v, closed %d times, during a Next: %v", r.Err, s.closed, s.overlap)
	}
}

// solitary runs until it is interrupted, and notices a Close in the meantime.
type solitary struct {
	sdk.Session
	calls   int
	inside  atomic.Bool
	closed  int
	overlap bool
}

func (s *solitary) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	s.inside.Store(true)
	defer s.inside.Store(false)
	if s.calls++; s.calls == 4 {
		<-ctx.Done()
		time.Sleep(10 * time.Millisecond)
	}
	return s.Session.Next(ctx, told, want)
}

func (s *solitary) Close() error {
	s.closed++
	s.overlap = s.inside.Load()
	return nil
}

// A strategy's report of its own evaluations cannot keep a run alive.
func TestFastHugeOwnEvaluations(t *testing.T) {
	s := &boaster{fakeSession: count()}
	c, _ := fastConfig(t, s, Budget{Evals: 1000})
	if r := Run(context.Background(), c); r.Err != nil || r.Evaluations < 1000 {
		t.Errorf("error %v, %d evaluations", r.Err, r.Evaluations)
	}
}

type boaster struct {
	fakeSession
	asked bool
}

func (s *boaster) Evaluations() int64 {
	if !s.asked {
		s.asked = true
		return 0
	}
	return math.MaxInt64
}

// The points that the host keeps of a strategy stay the same, and it changes none of the strategy's.
func TestFastPointsAreTheStrategys(t *testing.T) {
	moves := points(95, 85)
	for i := range moves {
		moves[i].Point[1] = 1
	}
	calls := 0
	c, rec := fastConfig(t, fakeSession{func(_ context.Context, told []sdk.Trial, _ int) ([]sdk.Move, error) {
		for _, trial := range told {
			trial.Point[0] = -1
		}
		if calls++; calls > len(moves) {
			return nil, io.EOF
		}
		return moves[calls-1 : calls], nil
	}}, Budget{Time: time.Minute})
	c.Fast.Ahead = false
	Run(context.Background(), c)
	found := []float64{95, 85}
	for _, e := range rec.events {
		if e.Kind == record.KindFound {
			if e.Found.X[0] != found[0] || e.Found.X[1] != 0 {
				t.Errorf("found %v, want %v", e.Found.X, found[0])
			}
			found = found[1:]
		}
	}
	if len(found) != 0 || moves[0].Point[1] != 1 {
		t.Errorf("not found: %v; move %v", found, moves[0].Point)
	}
}
