package client

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Solver returns the plugin as a solver. If it is a strategy plugin, every call
// fails with sdk.ErrUnsupported.
//
// Solve returns within Config.KillGrace after ctx ends or the time limit passes,
// with a result and no error: what the plugin held when interrupted, or its last
// report if it had to be killed. While the plugin hands over pieces, each message
// restarts the grace period, for Config.HandOver in total. If the plugin exits by
// itself, the error wraps sdk.ErrPluginExited, and the result, if not nil, is its
// last report. The error for an invalid answer wraps ErrGarbage. If the plugin
// serves several calls at once, a kill ends them all.
//
// SolveOptions.Pieces is called from the goroutine that receives: while it runs,
// the plugin has to wait, and pieces do not pile up in memory. Solve waits for it
// to return, and its time does not count against the plugin.
//
// A loaded problem outlives the process it was loaded into: it is loaded again
// when needed, with all its deltas, which must not be modified after the call. A
// Solve that fails does not apply its delta.
func (p *Plugin) Solver() sdk.Incremental { return &solver{p} }

type solver struct{ p *Plugin }

// Describe returns what the plugin said at its start.
func (s *solver) Describe(context.Context) (sdk.Description, error) { return s.p.description, nil }

// Ready starts the plugin again if its process has ended, so that the next call
// does not spend its time on it.
func (s *solver) Ready(ctx context.Context) error { return s.p.ready(ctx) }

func (s *solver) check(prob *problem.Problem) error {
	if s.p.config.Kind != Solver {
		return fmt.Errorf("%w: %s is not a solver", sdk.ErrUnsupported, s.p)
	}
	if prob == nil || prob.Form() == 0 {
		return fmt.Errorf("%w: it is nil or empty; want a MILP, a script or a query", sdk.ErrInvalidProblem)
	}
	// sdk/serve cannot check this: a plugin without support for sets would not see
	// them, and would solve another problem.
	if prob.MILP != nil && len(prob.MILP.SOS1) > 0 && !s.p.description.SOS1 {
		return fmt.Errorf("%w: %s takes no special ordered sets; the problem has %d", sdk.ErrUnsupported, s.p, len(prob.MILP.SOS1))
	}
	// Likewise, a plugin without support for bands or rows would answer another question.
	if q := prob.Query; q != nil && (q.Bands != nil || q.Within != nil) {
		return s.p.description.RefusesQuery(q)
	}
	return nil
}

// Solve implements sdk.Solver.
func (s *solver) Solve(ctx context.Context, prob *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if err := s.check(prob); err != nil {
		return nil, err
	}
	m := &solverv1.SolveRequest{Problem: topb.Problem(prob), Options: topb.SolveOptions(&o)}
	if q := m.Problem.GetNetwork(); q != nil {
		q.Seed = o.Seed // for plugins that read it there
	}
	r, _, err := s.p.solve(ctx, shapeOf(prob), &o, func(ctx context.Context, proc *process, number uint64) (events, error) {
		m.Call = number
		return solverv1.NewSolverClient(proc.conn).Solve(ctx, m)
	})
	return r, err
}

// Load implements sdk.Incremental.
func (s *solver) Load(ctx context.Context, prob *problem.Problem) (sdk.Loaded, error) {
	if err := s.check(prob); err != nil {
		return nil, err
	}
	release, err := s.p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	proc, err := s.p.live(ctx)
	if err != nil {
		return nil, err
	}
	l := &loaded{p: s.p, shape: shapeOf(prob), history: newHistory(prob)}
	if err := l.load(ctx, proc, prob); err != nil {
		if ctx.Err() != nil {
			proc.end() // it may still be loading, and the next call would wait for it
			return nil, ctx.Err()
		}
		return nil, s.p.callError(proc, "loading", err)
	}
	return l, nil
}

// loaded is a problem loaded into a plugin, with the history to load it again.
type loaded struct {
	p       *Plugin
	shape   shape
	history history

	proc   *process // the process that holds it; nil if none does
	handle uint64
	floor  int  // the level at which it was loaded: the plugin cannot pop below it
	plain  bool // the plugin does not load: every call carries the problem
}

// load loads prob, the problem with all its deltas, into the process.
func (l *loaded) load(ctx context.Context, proc *process, prob *problem.Problem) error {
	m, err := solverv1.NewSolverClient(proc.conn).Load(ctx, &solverv1.LoadRequest{Problem: topb.Problem(prob)})
	if status.Code(err) == codes.Unimplemented {
		l.plain = true
		return nil
	}
	if err != nil {
		return err
	}
	l.proc, l.handle = proc, m.Handle
	return nil
}

// Solve implements sdk.Loaded.
func (l *loaded) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	next, err := l.history.with(d)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	r, answered, err := l.p.solve(ctx, l.shape, &o, func(ctx context.Context, proc *process, number uint64) (events, error) {
		return l.open(ctx, proc, number, d, next, &o)
	})
	if err != nil || !answered {
		// The plugin may or may not have applied the delta: the next call
		// loads the problem again.
		l.forget()
	}
	if err == nil {
		l.history = next
	}
	return r, err
}

// open sends the delta, or the complete problem if the plugin does not hold the
// one that the delta changes.
func (l *loaded) open(ctx context.Context, proc *process, number uint64, d problem.Delta, next history, o *sdk.SolveOptions) (events, error) {
	api := solverv1.NewSolverClient(proc.conn)
	if l.proc != proc || len(l.history.levels)-1-d.Pop < l.floor {
		prob, err := next.problem()
		if err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		if l.plain {
			return api.Solve(ctx, &solverv1.SolveRequest{Problem: topb.Problem(prob), Options: topb.SolveOptions(o), Call: number})
		}
		l.forget()
		if err := l.load(ctx, proc, prob); err != nil {
			return nil, err
		}
		l.floor, d = len(next.levels)-1, problem.Delta{}
	}
	return api.SolveLoaded(ctx, &solverv1.SolveLoadedRequest{
		Handle: l.handle, Delta: topb.Delta(d), Options: topb.SolveOptions(o), Call: number,
	})
}

// forget drops the handle, so that the next call loads the problem again. It unloads the
// problem in the background, which only frees the plugin's memory.
func (l *loaded) forget() {
	if proc := l.proc; proc != nil && proc.alive() {
		handle := l.handle
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), l.p.config.KillGrace)
			defer cancel()
			_, _ = solverv1.NewSolverClient(proc.conn).Unload(ctx, &solverv1.UnloadRequest{Handle: handle})
		}()
	}
	l.proc = nil
}

// Close implements sdk.Loaded. It does nothing if the process has ended.
func (l *loaded) Close() error {
	proc := l.proc
	l.proc = nil
	if proc == nil || !proc.alive() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.p.config.KillGrace)
	defer cancel()
	_, err := solverv1.NewSolverClient(proc.conn).Unload(ctx, &solverv1.UnloadRequest{Handle: l.handle})
	if err == nil {
		return nil
	}
	if err := l.p.callError(proc, "unloading", err); !errors.Is(err, sdk.ErrPluginExited) {
		return err
	}
	return nil
}
