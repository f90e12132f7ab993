package search

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// line is a space of one integer feature, 0 to 99, and a protected one.
func line() *space.Space {
	return &space.Space{Features: []space.Feature{
		{Name: "at", Kind: space.Integer, Lo: 0, Hi: 99},
		{Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
	}}
}

// tens is an evaluator: k(x) = 1 + ⌊x/10⌋, gap = k/20, violating from k = 2;
// 99 has no counterfactuals. It cannot evaluate single counterfactuals.
type tens struct{ Evaluator }

func (tens) Evaluate(x []float64) evaluate.Outcome {
	if x[0] == 99 {
		return evaluate.Outcome{ArgMax: -1, ArgMin: -1}
	}
	k := 1 + int(x[0])/10
	return evaluate.Outcome{N: 2, K: k, Gap: float64(k) / 20, Violates: k >= 2}
}

func (e tens) EvaluateCopies(xs [][]float64, out []evaluate.Outcome, _ evaluate.Detail) []evaluate.Copies {
	for i, x := range xs {
		out[i] = e.Evaluate(x)
	}
	return nil
}

// fakeSession is a strategy made of functions; the zero value is finished at once.
type fakeSession struct {
	next func(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error)
}

func (s fakeSession) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if s.next == nil {
		return nil, io.EOF
	}
	return s.next(ctx, told, want)
}

func (fakeSession) Close() error { return nil }

// script makes the moves in order, one per round unless they say otherwise, and keeps the
// trials.
func script(moves []sdk.Move, told *[]sdk.Trial) fakeSession {
	var i int
	return fakeSession{func(_ context.Context, t []sdk.Trial, _ int) ([]sdk.Move, error) {
		if told != nil {
			*told = append(*told, t...)
		}
		if i == len(moves) {
			return nil, io.EOF
		}
		i++
		return moves[i-1 : i], nil
	}}
}

// points returns a move to each of the individuals, one per round.
func points(at ...float64) (moves []sdk.Move) {
	for i, x := range at {
		moves = append(moves, sdk.Move{ID: int64(i + 1), Round: int64(i), Kind: sdk.MovePoint, Point: []float64{x, 0}})
	}
	return moves
}

// count walks up the line for ever, one step per round.
func count() fakeSession {
	var i int64
	return fakeSession{func(context.Context, []sdk.Trial, int) ([]sdk.Move, error) {
		i++
		return []sdk.Move{{ID: i, Round: i - 1, Kind: sdk.MovePoint, Point: []float64{float64(i % 99), 0}}}, nil
	}}
}

// slow is a solver that never answers.
type slow struct{}

func (slow) Seed(ctx context.Context, _ []float64, _ int64) ([]float64, bool, error) {
	<-ctx.Done()
	return nil, false, ctx.Err()
}

// seeder is a solver made of a function.
type seeder func(from []float64, seed int64) ([]float64, bool, error)

func (s seeder) Seed(_ context.Context, from []float64, seed int64) ([]float64, bool, error) {
	return s(from, seed)
}

// recorder keeps events.
type recorder struct{ events []record.Event }

func (r *recorder) add(e record.Event) { r.events = append(r.events, e) }

// config returns a run over the line with a budget of a minute.
func config(t *testing.T, s sdk.Session) (Config, *recorder) {
	t.Helper()
	rec := &recorder{}
	sp := line()
	return Config{
		Space: sp, Region: sp.Whole(), Evaluator: tens{},
		Strategy: "fake", Solver: "oracle", Seed: 1,
		Start:  func(context.Context) (sdk.Session, error) { return s, nil },
		Budget: Budget{Time: time.Minute},
		Stream: &record.Stream{Run: "r", Clock: clock.Wall(time.Now()), Sinks: []func(record.Event){rec.add}},
	}, rec
}
