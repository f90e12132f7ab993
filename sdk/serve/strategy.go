package serve

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
)

// strategy is the service around an implementation.
type strategy struct {
	strategyv1.UnimplementedStrategyServer
	impl        sdk.Strategy
	description described
}

func newStrategy(impl sdk.Strategy) *strategy {
	return &strategy{impl: impl, description: described{ask: impl.Describe}}
}

// Describe implements strategyv1.StrategyServer.
func (s *strategy) Describe(ctx context.Context, _ *strategyv1.DescribeRequest) (*strategyv1.DescribeResponse, error) {
	d, err := s.description.get(ctx)
	if err != nil {
		return nil, err
	}
	return &strategyv1.DescribeResponse{Description: topb.StrategyDescription(d)}, nil
}

type sessionStream = grpc.BidiStreamingServer[strategyv1.SessionRequest, strategyv1.SessionResponse]

// Session implements strategyv1.StrategyServer.
func (s *strategy) Session(stream sessionStream) (err error) {
	session, err := s.start(stream)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	if err := stream.Send(&strategyv1.SessionResponse{Message: &strategyv1.SessionResponse_Started{Started: &strategyv1.Started{}}}); err != nil {
		return err
	}
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		next := m.GetNext()
		if next == nil || next.Want < 1 {
			return fmt.Errorf("%w: a session expects next with want ≥ 1", sdk.ErrInvalidProblem)
		}
		answer, err := ask(stream.Context(), session, next)
		if err != nil {
			return err
		}
		if err := stream.Send(&strategyv1.SessionResponse{Message: &strategyv1.SessionResponse_Moves{Moves: answer}}); err != nil {
			return err
		}
	}
}

func ask(ctx context.Context, session sdk.Session, next *strategyv1.Next) (*strategyv1.Moves, error) {
	told, err := frompb.Trials(next.Told)
	if err != nil {
		return nil, err
	}
	moves, err := session.Next(ctx, told, int(next.Want))
	if errors.Is(err, io.EOF) {
		return &strategyv1.Moves{Finished: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return &strategyv1.Moves{Moves: topb.Moves(moves)}, nil
}

// start reads the messages up to start_done and opens the session.
func (s *strategy) start(stream sessionStream) (sdk.Session, error) {
	d, err := s.description.get(stream.Context())
	if err != nil {
		return nil, err
	}
	m, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	sp, o, err := frompb.Start(m.GetStart())
	if err != nil {
		return nil, err
	}
	if err := checkOptions(d, o.Options); err != nil {
		return nil, err
	}
	for m.GetStartDone() == nil {
		if m, err = stream.Recv(); err != nil {
			return nil, err
		}
		if chunk := m.GetRows(); chunk != nil {
			if o.Rows, err = frompb.AppendRows(o.Rows, chunk, len(sp.Features)); err != nil {
				return nil, err
			}
		} else if m.GetStartDone() == nil {
			return nil, fmt.Errorf("%w: a session's start is followed by rows or start_done", sdk.ErrInvalidProblem)
		}
	}
	if d.NeedsNetwork && o.Network == nil {
		return nil, fmt.Errorf("%w: %s needs the network", sdk.ErrInvalidProblem, d.Name)
	}
	session, err := s.impl.Start(stream.Context(), sp, o)
	if err == nil && session == nil {
		err = fmt.Errorf("%s started no session", d.Name)
	}
	return session, err
}
