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
	"github.com/hyfair/hyfair/sdk/space"
)

// Strategy is the plugin as a strategy; of a solver plugin, every Start fails
// with sdk.ErrUnsupported.
//
// Several sessions may be under way at once. A session whose ctx ends in a
// Next, or whose plugin exits (sdk.ErrPluginExited) or answers garbage
// (ErrGarbage), is over; a new Start starts the plugin again where needed.
func (p *Plugin) Strategy() sdk.Strategy { return &strategy{p} }

type strategy struct{ p *Plugin }

// Describe returns what the plugin said at its start.
func (s *strategy) Describe(context.Context) (sdk.Description, error) { return s.p.description, nil }

type sessionStream = grpc.BidiStreamingClient[strategyv1.SessionRequest, strategyv1.SessionResponse]

// Start implements sdk.Strategy.
func (s *strategy) Start(ctx context.Context, sp *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	p := s.p
	if p.config.Kind != Strategy {
		return nil, fmt.Errorf("%w: %s is no strategy", sdk.ErrUnsupported, p)
	}
	if sp == nil {
		return nil, fmt.Errorf("%w: no space", sdk.ErrInvalidProblem)
	}
	proc, err := p.live(ctx)
	if err != nil {
		return nil, err
	}
	// The stream outlives the ctx of the start.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &session{p: p, proc: proc, cancel: cancel, features: len(sp.Features), last: math.MinInt64}
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

// session is a search under way.
type session struct {
	p        *Plugin
	proc     *process
	stream   sessionStream
	cancel   context.CancelFunc
	features int
	last     int64 // the number of the last move
	over     error // why the session ended, where it did
}

// within runs one exchange, and gives the stream up if ctx ends first or the
// exchange fails.
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
		err = fmt.Errorf("%s %w", t.p, garbage(errors.New("the session ended of itself")))
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
	if err != nil && !errors.Is(err, io.EOF) { // of EOF, Recv tells the cause
		return err
	}
	m, err := t.stream.Recv()
	if err == nil && m.GetStarted() == nil {
		err = garbage(errors.New("a session began without saying started"))
	}
	return err
}

// Next implements sdk.Session.
func (t *session) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if want < 1 {
		return nil, fmt.Errorf("%w: next with want %d", sdk.ErrInvalidProblem, want)
	}
	var moves []sdk.Move
	finished := false
	err := t.within(ctx, "proposing moves", func() error {
		next := &strategyv1.Next{Told: topb.Trials(told), Want: int32(min(want, 1<<20))}
		err := t.stream.Send(&strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Next{Next: next}})
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		m, err := t.stream.Recv()
		if err != nil {
			return err
		}
		answer := m.GetMoves()
		if answer == nil {
			return garbage(errors.New("no moves where moves were asked for"))
		}
		if answer.Finished {
			finished = true
			return nil
		}
		if moves, err = frompb.Moves(answer.Moves); err != nil {
			return garbage(err)
		}
		return garbage(checkMoves(moves, want, t.last, t.features))
	})
	if err != nil {
		return nil, err
	}
	if finished {
		return nil, io.EOF
	}
	t.last = moves[len(moves)-1].ID
	return moves, nil
}

// Close implements sdk.Session.
func (t *session) Close() error {
	if t.over != nil {
		return nil // told before
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
			return garbage(errors.New("a message after the session was closed"))
		}
		return err
	})
	t.cancel()
	t.over = io.EOF
	return err
}
