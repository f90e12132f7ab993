package serve

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/throttle"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/internal/wire"
	"github.com/hyfair/hyfair/sdk/option"
	"github.com/hyfair/hyfair/sdk/problem"
)

// solver is the gRPC service of one implementation. It keeps the loaded problems and knows
// the running calls.
type solver struct {
	solverv1.UnimplementedSolverServer
	impl        sdk.Solver
	description described
	// turn holds a token while a call runs; unused if calls may be concurrent.
	turn chan struct{}

	mu      sync.Mutex
	loaded  map[uint64]*loaded
	handles uint64
	calls   map[uint64]context.CancelFunc // running, by the host's number
}

func newSolver(impl sdk.Solver) *solver {
	return &solver{
		impl:        impl,
		description: described{ask: impl.Describe},
		turn:        make(chan struct{}, 1),
		loaded:      map[uint64]*loaded{},
		calls:       map[uint64]context.CancelFunc{},
	}
}

// Describe implements solverv1.SolverServer.
func (s *solver) Describe(ctx context.Context, _ *solverv1.DescribeRequest) (*solverv1.DescribeResponse, error) {
	d, err := s.description.get(ctx)
	if err != nil {
		return nil, err
	}
	return &solverv1.DescribeResponse{Description: topb.SolverDescription(d)}, nil
}

// Solve implements solverv1.SolverServer.
func (s *solver) Solve(m *solverv1.SolveRequest, stream grpc.ServerStreamingServer[solverv1.SolveResponse]) error {
	p, err := frompb.Problem(m.Problem)
	if err != nil {
		return err
	}
	return s.call(stream, m.Call, m.Options, func(ctx context.Context, d *sdk.Description, o sdk.SolveOptions) (*sdk.Result, error) {
		if err := answers(d, p); err != nil {
			return nil, err
		}
		return s.impl.Solve(ctx, p, o)
	})
}

// call checks the options, runs one solve, and sends its events and its result.
func (s *solver) call(stream grpc.ServerStreamingServer[solverv1.SolveResponse], number uint64, m *solverv1.SolveOptions,
	solve func(context.Context, *sdk.Description, sdk.SolveOptions) (*sdk.Result, error),
) error {
	o, err := frompb.SolveOptions(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	d, err := s.description.get(ctx)
	if err != nil {
		return err
	}
	if err := option.Check(d.Name, d.Options, o.Options); err != nil {
		return err
	}
	defer s.interruptible(number, cancel)()
	release, err := s.take(ctx, d)
	if err != nil {
		return err
	}
	defer release()

	// Progress and pieces come from two goroutines, and a stream takes one event
	// at a time. A failed send means that the host is gone or has cancelled.
	var sending sync.Mutex
	send := func(m *solverv1.SolveResponse) error {
		sending.Lock()
		defer sending.Unlock()
		return stream.Send(m)
	}
	progress := throttle.New(wire.ProgressEvery, latest, func(p sdk.Progress) {
		_ = send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Progress{Progress: topb.Progress(&p)}})
	})
	defer progress.Stop() // also when the implementation panics
	o.Progress = func(p sdk.Progress) {
		p.Values = slices.Clone(p.Values) // the implementation may reuse its slice
		progress.Put(p)
	}
	if m.GetPieces() {
		o.Pieces = pieces(send)
	}
	r, err := solve(ctx, d, o)
	progress.Stop()
	if err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("%s returned neither a result nor an error", d.Name)
	}
	return send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Result{Result: topb.Result(r)}})
}

// latest merges two progress reports: what newer lacks is taken from older.
func latest(older, newer sdk.Progress) sdk.Progress {
	if newer.Values == nil {
		newer.Values, newer.Objective = older.Values, older.Objective
	}
	if !newer.HasBound {
		newer.Bound, newer.HasBound = older.Bound, older.HasBound
	}
	if newer.Shares == nil {
		newer.Shares = older.Shares
	}
	return newer
}

// take waits for the caller's turn to use the implementation, or for the end of ctx. The
// caller must release the turn; a concurrent implementation needs none.
func (s *solver) take(ctx context.Context, d *sdk.Description) (release func(), err error) {
	if d.Concurrent {
		return func() {}, nil
	}
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// interruptible lets Interrupt end the call with that number, until undo is called.
func (s *solver) interruptible(number uint64, cancel context.CancelFunc) (undo func()) {
	if number == 0 {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[number] = cancel
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.calls, number)
	}
}

// Interrupt implements solverv1.SolverServer.
func (s *solver) Interrupt(_ context.Context, m *solverv1.InterruptRequest) (*solverv1.InterruptResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.calls[m.Call]; cancel != nil {
		cancel()
	}
	return &solverv1.InterruptResponse{}, nil
}

// answers refuses a problem that the plugin does not claim to answer, by its form and goal or
// by what RefusesQuery checks.
func answers(d *sdk.Description, p *problem.Problem) error {
	form, goal := p.Form(), goalOf(p)
	switch {
	case !d.Answers(form, goal):
	case p.Query == nil:
		return nil
	default:
		return d.RefusesQuery(p.Query)
	}
	return fmt.Errorf("%w: %s does not answer %q in the %s form", sdk.ErrUnsupported, d.Name, goal, form)
}

// goalOf returns a problem's goal: a MILP or script with an objective asks for its
// best point, one without for any point.
func goalOf(p *problem.Problem) problem.Goal {
	switch {
	case p.Query != nil:
		return p.Query.Goal
	case p.MILP != nil && len(p.MILP.Objective.Terms) > 0, p.SMT != nil && p.SMT.Objective != "":
		return problem.Maximise
	}
	return problem.Decide
}
