package serve

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/grpc"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/problem"
)

// loaded is a problem under deltas. The stack holds its present state, so that the
// implementation gets validated problems; native is set if the implementation
// keeps the problem itself.
type loaded struct {
	mu     sync.Mutex // allows one call at a time, even to a concurrent solver
	stack  *problem.Stack
	native sdk.Loaded
}

// Load implements solverv1.SolverServer.
func (s *solver) Load(ctx context.Context, m *solverv1.LoadRequest) (*solverv1.LoadResponse, error) {
	p, err := frompb.Problem(m.Problem)
	if err != nil {
		return nil, err
	}
	d, err := s.description.get(ctx)
	if err != nil {
		return nil, err
	}
	if p.Query != nil {
		if err := d.RefusesQuery(p.Query); err != nil {
			return nil, err
		}
	}
	l := &loaded{stack: problem.NewStack(p)}
	if incremental, ok := s.impl.(sdk.Incremental); ok {
		release, err := s.take(ctx, d)
		if err != nil {
			return nil, err
		}
		defer release()
		if l.native, err = incremental.Load(ctx, p); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handles++
	s.loaded[s.handles] = l
	return &solverv1.LoadResponse{Handle: s.handles}, nil
}

// SolveLoaded implements solverv1.SolverServer.
func (s *solver) SolveLoaded(m *solverv1.SolveLoadedRequest, stream grpc.ServerStreamingServer[solverv1.SolveResponse]) error {
	s.mu.Lock()
	l := s.loaded[m.Handle]
	s.mu.Unlock()
	if l == nil {
		return fmt.Errorf("%w: no problem is loaded under handle %d", sdk.ErrInvalidProblem, m.Handle)
	}
	delta, err := frompb.Delta(m.Delta)
	if err != nil {
		return err
	}
	return s.call(stream, m.Call, m.Options, func(ctx context.Context, d *sdk.Description, o sdk.SolveOptions) (*sdk.Result, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		p, err := l.stack.Apply(delta)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
		}
		if err := answers(d, p); err != nil {
			return nil, err
		}
		if l.native != nil {
			return l.native.Solve(ctx, delta, o)
		}
		return s.impl.Solve(ctx, p, o)
	})
}

// Unload implements solverv1.SolverServer.
func (s *solver) Unload(ctx context.Context, m *solverv1.UnloadRequest) (*solverv1.UnloadResponse, error) {
	s.mu.Lock()
	l := s.loaded[m.Handle]
	delete(s.loaded, m.Handle)
	s.mu.Unlock()
	if l != nil && l.native != nil {
		d, err := s.description.get(ctx)
		if err != nil {
			return nil, err
		}
		release, err := s.take(ctx, d)
		if err != nil {
			return nil, err
		}
		defer release()
		l.mu.Lock()
		defer l.mu.Unlock()
		if err := l.native.Close(); err != nil {
			return nil, err
		}
	}
	return &solverv1.UnloadResponse{}, nil
}
