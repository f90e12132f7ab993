package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/throttle"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// events is the stream of a running solve: progress reports, pieces, and the result last.
type events = grpc.ServerStreamingClient[solverv1.SolveResponse]

// opener sends a solve to a process under the call's number.
type opener func(ctx context.Context, proc *process, number uint64) (events, error)

// solve runs one call of a solver from end to end. Once ctx ends or the time limit
// passes, it returns at the latest when the guard's patience ends, whatever the plugin does.
// answered reports whether the result comes from the plugin and was not made here.
func (p *Plugin) solve(ctx context.Context, s shape, o *sdk.SolveOptions, open opener) (r *sdk.Result, answered bool, err error) {
	began := time.Now()
	release, err := p.take(ctx)
	if err != nil {
		return stopped(reasonOf(ctx), nil, began), false, nil
	}
	defer release()
	proc, err := p.liveFor(ctx, o.TimeLimit)
	if err != nil {
		if ctx.Err() != nil {
			return stopped(reasonOf(ctx), nil, began), false, nil
		}
		return nil, false, err
	}

	// The call outlives ctx by as long as the guard lets the plugin hand over what
	// it holds.
	rpc, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	number := p.calls.Add(1)
	guard := p.watch(ctx, proc, number, o.TimeLimit)
	w := newIncumbents(s, o.Progress)
	m, err := receive(rpc, proc, number, open, w, guard.timed(s.pieces(o.Pieces)))
	w.stop()
	reason := guard.stop()

	if err == nil {
		r, err := p.judge(s, m, reason)
		return r, true, err
	}
	if reason != sdk.NoReason && lost(err) {
		return stopped(reason, w.last(p.description.Exactness), began), false, nil
	}
	partial := w.last(p.description.Exactness)
	if partial != nil {
		partial.Elapsed = time.Since(began)
	}
	return partial, false, p.callError(proc, "solving", err)
}

// take waits for the caller's turn to use the plugin, or for the end of ctx. The caller
// must release the turn; a plugin with concurrent calls needs none.
func (p *Plugin) take(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.description.Concurrent {
		return func() {}, nil
	}
	select {
	case p.turn <- struct{}{}:
		return func() { <-p.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// liveFor is live with a deadline of limit plus the grace period; none if limit is 0.
func (p *Plugin) liveFor(ctx context.Context, limit time.Duration) (*process, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit+p.config.KillGrace)
		defer cancel()
	}
	return p.live(ctx)
}

// receive sends the call, passes on its progress and its pieces, and returns its result. An
// unexpected event, or a stream that ends without a result, is an error that wraps ErrGarbage.
func receive(ctx context.Context, proc *process, number uint64, open opener, w *incumbents, pieces func(*solverv1.Pieces) error) (*solverv1.Result, error) {
	stream, err := open(ctx, proc, number)
	if err != nil {
		return nil, err
	}
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil, garbage("solve", errors.New("the call ended without a result"))
		}
		if err != nil {
			return nil, err
		}
		switch e := m.Event.(type) {
		case *solverv1.SolveResponse_Progress:
			w.put(e.Progress)
		case *solverv1.SolveResponse_Pieces:
			if err := pieces(e.Pieces); err != nil {
				return nil, garbage("solve", err)
			}
		case *solverv1.SolveResponse_Result:
			if e.Result == nil {
				return nil, garbage("solve", errors.New("an empty result"))
			}
			return e.Result, nil
		default:
			return nil, garbage("solve", errors.New("an event that is neither progress, nor pieces, nor a result"))
		}
	}
}

// judge converts and checks a received result. An invalid one is an error that wraps
// ErrGarbage. If the host interrupted the call at its time limit, the reason becomes
// TimeLimit.
func (p *Plugin) judge(s shape, m *solverv1.Result, reason sdk.Reason) (*sdk.Result, error) {
	r, err := frompb.Result(m)
	if err == nil {
		err = s.result(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", p, garbage("solve", err))
	}
	if r.Reason == sdk.Interrupted && reason == sdk.TimeLimit {
		r.Reason = sdk.TimeLimit // it was interrupted because time was up
	}
	return r, nil
}

// lost reports whether err comes from interrupting or killing the call, and not from
// the plugin.
func lost(err error) bool {
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.Canceled || code == codes.DeadlineExceeded
}

func reasonOf(ctx context.Context) sdk.Reason {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return sdk.TimeLimit
	}
	return sdk.Interrupted
}

// stopped is the result of a call that this side stopped: the last incumbent, or
// Unknown without one.
func stopped(reason sdk.Reason, incumbent *sdk.Result, began time.Time) *sdk.Result {
	r := incumbent
	if r == nil {
		r = &sdk.Result{Status: sdk.Unknown}
	}
	r.Reason, r.Elapsed = reason, time.Since(began)
	return r
}

// incumbents keeps the latest progress of a call and passes it on.
type incumbents struct {
	shape   shape
	latest  *solverv1.Progress // only touched by the receiving goroutine
	deliver *throttle.Latest[*solverv1.Progress]
}

func newIncumbents(s shape, report func(sdk.Progress)) *incumbents {
	w := &incumbents{shape: s}
	if report != nil {
		w.deliver = throttle.New(wire.ProgressEvery, newer, func(m *solverv1.Progress) {
			if p, err := frompb.Progress(m); err == nil && s.progress(&p) == nil {
				report(p)
			}
		})
	}
	return w
}

// put records a progress report. It does not block, however many arrive.
func (w *incumbents) put(m *solverv1.Progress) {
	if m == nil {
		return
	}
	if w.deliver != nil {
		w.deliver.Put(m)
	}
	if w.latest != nil {
		m = newer(w.latest, m)
	}
	w.latest = m
}

// newer is the later of two progress reports, with incumbent, bound and shares of the earlier
// one if it lacks them. Neither is changed.
func newer(older, m *solverv1.Progress) *solverv1.Progress {
	out := &solverv1.Progress{
		Values: m.Values, Objective: m.Objective, Bound: m.Bound, Shares: m.Shares,
		Nodes: m.Nodes, ElapsedNanos: m.ElapsedNanos, Settled: m.Settled,
	}
	if out.Values == nil {
		out.Values, out.Objective = older.Values, older.Objective
	}
	if out.Bound == nil {
		out.Bound = older.Bound
	}
	if out.Shares == nil {
		out.Shares = older.Shares
	}
	return out
}

// stop returns when the last report has been delivered.
func (w *incumbents) stop() {
	if w.deliver != nil {
		w.deliver.Stop()
	}
}

// assumedTolerance is the tolerance of a claim that is made from a numerical solver's
// progress report, since reports carry no tolerance. Other solvers' claims get 0.
const assumedTolerance = 1e-6

// last turns the latest progress report into a claim; nil if the report is invalid
// or has no point, no bound and no shares.
func (w *incumbents) last(e sdk.Grade) *sdk.Result {
	if w.latest == nil {
		return nil
	}
	p, err := frompb.Progress(w.latest)
	if err != nil || w.shape.progress(&p) != nil || p.Values == nil && !p.HasBound && p.Shares == nil {
		return nil
	}
	r := &sdk.Result{
		Status: sdk.Unknown, Reason: sdk.Other, Values: p.Values, Objective: p.Objective,
		Bound: p.Bound, HasBound: p.HasBound, Nodes: p.Nodes, Shares: p.Shares,
		Detail: "the plugin gave no result; this is its last progress report",
	}
	if p.Values != nil {
		r.Status = sdk.Feasible
	}
	if e == sdk.GradeNumerical {
		r.Tolerance = assumedTolerance
	}
	return r
}
