package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/grpc"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/internal/wire"
	"github.com/hyfair/hyfair/sdk/space"
)

// Strategy returns the plugin as a strategy. If it is a solver plugin, every Start
// fails with sdk.ErrUnsupported.
//
// Several sessions may run at once. A session is over if ctx ends during Next, or if
// the plugin exits (sdk.ErrPluginExited) or answers garbage (ErrGarbage); a new
// Start starts the plugin again if needed.
func (p *Plugin) Strategy() sdk.Strategy { return &strategy{p} }

type strategy struct{ p *Plugin }

// Describe returns what the plugin said at its start.
func (s *strategy) Describe(context.Context) (sdk.Description, error) { return s.p.description, nil }

// Ready starts the plugin again if its process has ended, so that the next Start does
// not spend its time on it.
func (s *strategy) Ready(ctx context.Context) error { return s.p.ready(ctx) }

type sessionStream = grpc.BidiStreamingClient[strategyv1.SessionRequest, strategyv1.SessionResponse]

// Start implements sdk.Strategy.
func (s *strategy) Start(ctx context.Context, sp *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	p := s.p
	if p.config.Kind != Strategy {
		return nil, fmt.Errorf("%w: %s is not a strategy", sdk.ErrUnsupported, p)
	}
	if sp == nil {
		return nil, fmt.Errorf("%w: the space is nil", sdk.ErrInvalidProblem)
	}
	proc, err := p.live(ctx)
	if err != nil {
		return nil, err
	}
	// The stream outlives the ctx of the start.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &session{p: p, proc: proc, cancel: cancel, features: len(sp.Features), last: math.MinInt64, homes: wire.Homes{Protected: sp.Protected()}}
	err = t.within(ctx, "starting a session", func() error {
		if t.stream, err = strategyv1.NewStrategyClient(proc.conn).Session(life); err != nil {
			return err
		}
		return t.start(sp, &o)
	})
	if err != nil {
		cancel()
		return nil, err
	}
	return t, nil
}

// session is a running search.
type session struct {
	p        *Plugin
	proc     *process
	stream   sessionStream
	cancel   context.CancelFunc
	features int
	want     int   // the number of moves that the last Ask requested
	last     int64 // the number of the last move
	own      int64 // the strategy's own evaluations so far
	packs    bool  // the last answer was packed
	homes    wire.Homes
	over     error // why the session ended; nil before
}

// within runs one exchange, and ends the session if ctx ends first or the exchange
// fails.
func (t *session) within(ctx context.Context, doing string, exchange func() error) error {
	if t.over != nil {
		return t.over
	}
	stop := context.AfterFunc(ctx, t.cancel)
	err := exchange()
	intact := stop()
	switch {
	case err == nil && intact:
		return nil
	case err == nil: // ctx ended just after the answer, and the stream with it
		t.over = ctx.Err()
		return nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("%s %w", t.p, garbage("a session", errors.New("it ended on its own")))
	default:
		err = t.p.callError(t.proc, doing, err)
	}
	t.over = err
	t.cancel()
	return err
}

func (t *session) start(sp *space.Space, o *sdk.StartOptions) error {
	send := func(m *strategyv1.SessionRequest) error { return t.stream.Send(m) }
	err := send(&strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Start{Start: topb.Start(sp, o)}})
	if err == nil {
		err = topb.RowChunks(o.Rows, func(c *strategyv1.RowChunk) error {
			return send(&strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Rows{Rows: c}})
		})
	}
	if err == nil {
		err = send(&strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_StartDone{StartDone: &strategyv1.StartDone{}}})
	}
	if err != nil && !errors.Is(err, io.EOF) { // after EOF, Recv returns the cause
		return err
	}
	m, err := t.stream.Recv()
	if err == nil && m.GetStarted() == nil {
		err = garbage("start", errors.New(`the first message of a session must be "started"`))
	}
	return err
}

// Pipelined splits Next in two, so that the strategy works while the host
// evaluates. The sessions of this package implement it. The caller calls Answer
// once after every Ask, and neither Ask nor Next in between.
type Pipelined interface {
	sdk.Session
	// Ask sends the arguments of Next without waiting for the moves.
	Ask(ctx context.Context, told []sdk.Trial, want int) error
	// Answer waits for the moves and returns them as Next does.
	Answer(ctx context.Context) ([]sdk.Move, error)
}

// Next implements sdk.Session.
func (t *session) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if err := t.Ask(ctx, told, want); err != nil {
		return nil, err
	}
	return t.Answer(ctx)
}

const proposing = "proposing moves"

// Ask implements Pipelined.
func (t *session) Ask(ctx context.Context, told []sdk.Trial, want int) error {
	if want < 1 {
		return fmt.Errorf("%w: asked for %d moves; the least is 1", sdk.ErrInvalidProblem, want)
	}
	t.want = min(want, 1<<20)
	return t.within(ctx, proposing, func() error {
		next := &strategyv1.Next{Want: int32(t.want), Packs: want > 1}
		if t.packs && len(told) > 0 {
			next.Packed = topb.PackTrials(told, t.homes.Take)
		} else {
			next.Told = topb.Trials(told)
		}
		err := t.stream.Send(&strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Next{Next: next}})
		if errors.Is(err, io.EOF) { // Answer returns the cause
			return nil
		}
		return err
	})
}

// Answer implements Pipelined.
func (t *session) Answer(ctx context.Context) (moves []sdk.Move, err error) {
	finished := false
	err = t.within(ctx, proposing, func() error {
		m, err := t.stream.Recv()
		if err != nil {
			return err
		}
		answer := m.GetMoves()
		if answer == nil {
			return garbage("next", errors.New("the message has no moves"))
		}
		if answer.Evaluations < t.own {
			return garbage("next", fmt.Errorf("evaluations are %d after %d; want a sum that never falls", answer.Evaluations, t.own))
		}
		t.own = answer.Evaluations
		if answer.Finished {
			finished = true
			return nil
		}
		if t.packs = answer.Packed != nil; t.packs {
			moves, err = frompb.UnpackMoves(answer.Packed)
		} else {
			moves, err = frompb.Moves(answer.Moves)
		}
		if err != nil {
			return garbage("next", err)
		}
		return garbage("next", checkMoves(moves, t.want, t.last, t.features))
	})
	if err != nil {
		return nil, err
	}
	if finished {
		return nil, io.EOF
	}
	t.last = moves[len(moves)-1].ID
	if t.packs {
		t.homes.Add(moves)
	}
	return moves, nil
}

// Evaluations implements sdk.Evaluating; 0 for a strategy that leaves them to
// the host.
func (t *session) Evaluations() int64 { return t.own }

// Close implements sdk.Session.
func (t *session) Close() error {
	if t.over != nil {
		return nil // the error was returned before
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.p.config.KillGrace)
	defer cancel()
	err := t.within(ctx, "closing a session", func() error {
		if err := t.stream.CloseSend(); err != nil {
			return err
		}
		_, err := t.stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			return garbage("close", errors.New("a message after the session was closed"))
		}
		return err
	})
	t.cancel()
	t.over = io.EOF
	return err
}
