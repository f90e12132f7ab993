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
	"github.com/hyfair/hyfair/sdk/internal/wire"
	"github.com/hyfair/hyfair/sdk/option"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy is the gRPC service of one implementation. Its sessions share only that.
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
	d, err := s.description.get(stream.Context())
	if err != nil {
		return err
	}
	session, sp, err := s.start(stream, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	talk := &talk{session: session, asked: lacking(d), features: len(sp.Features), homes: wire.Homes{Protected: sp.Protected()}}
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
			return fmt.Errorf("%w: a started session takes only the message next, with a want of at least 1", sdk.ErrInvalidProblem)
		}
		answer, err := talk.next(stream.Context(), next)
		if err != nil {
			return err
		}
		if err := stream.Send(&strategyv1.SessionResponse{Message: &strategyv1.SessionResponse_Moves{Moves: answer}}); err != nil {
			return err
		}
	}
}

// talk is the state of a running session: the implementation's session, and what is needed
// to unpack and check the host's trials.
type talk struct {
	session  sdk.Session
	asked    func(*sdk.Trial) error
	features int
	homes    wire.Homes
}

// lacking returns an error for an evaluated trial without the values that the description
// requests, as from a host older than the request.
func lacking(d *sdk.Description) func(*sdk.Trial) error {
	return func(t *sdk.Trial) error {
		what := ""
		switch {
		case t.Status != sdk.TrialEvaluated:
		case d.NeedsScores && len(t.Scores) == 0:
			what = "scores"
		case d.NeedsBins && len(t.Bins) == 0:
			what = "bins"
		case d.NeedsPair && (len(t.Highest) == 0 || len(t.Lowest) == 0):
			what = "extreme pair"
		}
		if what == "" {
			return nil
		}
		return fmt.Errorf("%w: %s needs the %s of an individual's counterfactuals, which this host does not send: use a newer hyfair", sdk.ErrIncompatible, d.Name, what)
	}
}

func (t *talk) next(ctx context.Context, next *strategyv1.Next) (*strategyv1.Moves, error) {
	told, err := t.told(next)
	if err != nil {
		return nil, err
	}
	moves, err := t.session.Next(ctx, told, int(next.Want))
	finished := errors.Is(err, io.EOF)
	if err != nil && !finished {
		return nil, err
	}
	answer := &strategyv1.Moves{Finished: finished}
	if e, ok := t.session.(sdk.Evaluating); ok {
		answer.Evaluations = e.Evaluations()
	}
	if finished {
		return answer, nil
	}
	if next.Packs {
		if packed, ok := topb.PackMoves(moves); ok {
			answer.Packed = packed
			t.remember(packed)
			return answer, nil
		}
	}
	answer.Moves = topb.Moves(moves)
	return answer, nil
}

func (t *talk) told(next *strategyv1.Next) (told []sdk.Trial, err error) {
	if next.Packed != nil {
		told, err = frompb.UnpackTrials(next.Packed, t.features, t.homes.Take)
	} else {
		told, err = frompb.Trials(next.Told)
	}
	for i := 0; i < len(told) && err == nil; i++ {
		err = t.asked(&told[i])
	}
	return told, err
}

// remember keeps the message's copies of the points, because the strategy may reuse
// its slices.
func (t *talk) remember(p *strategyv1.PackedMoves) {
	if len(p.Points) != len(p.Ids)*t.features {
		return // the host refuses it
	}
	moves := make([]sdk.Move, len(p.Ids))
	for i, id := range p.Ids {
		moves[i] = sdk.Move{ID: id, Point: p.Points[i*t.features : (i+1)*t.features : (i+1)*t.features]}
	}
	t.homes.Add(moves)
}

// start reads the messages up to start_done and opens the session.
func (s *strategy) start(stream sessionStream, d *sdk.Description) (sdk.Session, *space.Space, error) {
	m, err := stream.Recv()
	if err != nil {
		return nil, nil, err
	}
	sp, o, err := frompb.Start(m.GetStart())
	if err != nil {
		return nil, nil, err
	}
	if err := option.Check(d.Name, d.Options, o.Options); err != nil {
		return nil, nil, err
	}
	for m.GetStartDone() == nil {
		if m, err = stream.Recv(); err != nil {
			return nil, nil, err
		}
		if chunk := m.GetRows(); chunk != nil {
			if o.Rows, err = frompb.AppendRows(o.Rows, chunk, len(sp.Features)); err != nil {
				return nil, nil, err
			}
		} else if m.GetStartDone() == nil {
			return nil, nil, fmt.Errorf("%w: a session's start is followed by rows or start_done", sdk.ErrInvalidProblem)
		}
	}
	if d.NeedsModel && o.Model == nil {
		return nil, nil, fmt.Errorf("%w: %s needs the model, which the host does not send", sdk.ErrInvalidProblem, d.Name)
	}
	if o.Model != nil {
		if err := d.Refuses(o.Model); err != nil {
			return nil, nil, err
		}
	}
	session, err := s.impl.Start(stream.Context(), sp, o)
	if err == nil && session == nil {
		err = fmt.Errorf("%s returned neither a session nor an error", d.Name)
	}
	return session, sp, err
}
