package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/serve"
	"github.com/hyfair/hyfair/sdk/space"
)

// dial serves what register puts on a server, in memory: the bare protocol, as
// a host that keeps no rules might speak it.
func dial(t *testing.T, register func(grpc.ServiceRegistrar)) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(serve.ServerOptions()...)
	register(server)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func dialSolver(t *testing.T, impl sdk.Solver) solverv1.SolverClient {
	return solverv1.NewSolverClient(dial(t, func(s grpc.ServiceRegistrar) { serve.RegisterSolver(s, impl) }))
}

// waiter answers when its context ends.
type waiter struct {
	entered chan string // gets the name of each problem
	closed  chan bool   // gets a value at each Close of a loaded problem
	failing bool        // Describe fails
}

func (w *waiter) Describe(context.Context) (sdk.Description, error) {
	if w.failing {
		w.failing = false
		return sdk.Description{}, fmt.Errorf("no licence: %w", sdk.ErrIncompatible)
	}
	return sdk.Description{
		Name: "waiter", Exactness: sdk.GradeExact,
		Serves: []sdk.Service{{Form: problem.FormMILP, Goal: problem.Decide}},
	}, nil
}

func (w *waiter) Solve(ctx context.Context, p *problem.Problem, _ sdk.SolveOptions) (*sdk.Result, error) {
	w.entered <- p.Name
	if p.Name == "quick" {
		return &sdk.Result{Status: sdk.Infeasible}, nil
	}
	<-ctx.Done()
	return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Interrupted}, nil
}

func (w *waiter) Load(context.Context, *problem.Problem) (sdk.Loaded, error) { return held{w}, nil }

type held struct{ w *waiter }

func (h held) Solve(context.Context, problem.Delta, sdk.SolveOptions) (*sdk.Result, error) {
	return &sdk.Result{Status: sdk.Infeasible, Native: "held"}, nil
}

func (h held) Close() error { h.w.closed <- true; return nil }

func feasibility(name string) *problemv1.Problem {
	return &problemv1.Problem{Name: name, Form: &problemv1.Problem_Milp{Milp: &problemv1.Milp{Objective: &problemv1.Objective{}}}}
}

// last reads a call to its end.
func last(stream grpc.ServerStreamingClient[solverv1.SolveResponse], err error) (*solverv1.Result, error) {
	if err != nil {
		return nil, err
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		if m.GetResult() != nil {
			return m.GetResult(), nil
		}
	}
}

func TestInterrupt(t *testing.T) {
	w := &waiter{entered: make(chan string, 9)}
	api := dialSolver(t, w)
	stream, err := api.Solve(t.Context(), &solverv1.SolveRequest{Problem: feasibility("first"), Call: 7})
	<-w.entered

	// A second call waits for its turn, and can be interrupted while it does.
	// Its request may not have arrived yet: so it is asked until it stops.
	done := make(chan error)
	go func() {
		_, err := last(api.Solve(t.Context(), &solverv1.SolveRequest{Problem: feasibility("second"), Call: 8}))
		done <- err
	}()
	for stopped := false; !stopped; {
		if _, err := api.Interrupt(t.Context(), &solverv1.InterruptRequest{Call: 8}); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			if status.Code(err) != codes.Canceled {
				t.Errorf("interrupted in the queue: %v", err)
			}
			stopped = true
		default:
		}
	}
	if _, err := api.Interrupt(t.Context(), &solverv1.InterruptRequest{Call: 7}); err != nil {
		t.Fatal(err)
	}
	r, err := last(stream, err)
	if err != nil || r.Reason != solverv1.Reason_REASON_INTERRUPTED {
		t.Errorf("%v, %v; want a result that says interrupted", r, err)
	}
	if len(w.entered) > 0 {
		t.Errorf("%q was solved all the same", <-w.entered)
	}
}

// A host that goes away in the middle of a call frees the solver for the next.
func TestCancelFreesTheTurn(t *testing.T) {
	w := &waiter{entered: make(chan string, 9)}
	api := dialSolver(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := api.Solve(ctx, &solverv1.SolveRequest{Problem: feasibility("long")}); err != nil {
		t.Fatal(err)
	}
	<-w.entered
	cancel()
	if r, err := last(api.Solve(t.Context(), &solverv1.SolveRequest{Problem: feasibility("quick")})); err != nil || r.Status != solverv1.Status_STATUS_INFEASIBLE {
		t.Errorf("%v, %v", r, err)
	}
}

func TestHandles(t *testing.T) {
	w := &waiter{entered: make(chan string, 9), closed: make(chan bool, 9)}
	api := dialSolver(t, w)
	m, err := api.Load(t.Context(), &solverv1.LoadRequest{Problem: feasibility("kept")})
	if err != nil || m.Handle == 0 {
		t.Fatalf("%v, %v", m, err)
	}
	r, err := last(api.SolveLoaded(t.Context(), &solverv1.SolveLoadedRequest{Handle: m.Handle}))
	if err != nil || r.Native != "held" {
		t.Errorf("%v, %v", r, err)
	}
	for range 2 { // a second time does nothing
		if _, err := api.Unload(t.Context(), &solverv1.UnloadRequest{Handle: m.Handle}); err != nil {
			t.Error(err)
		}
	}
	if len(w.closed) != 1 {
		t.Errorf("closed %d times", len(w.closed))
	}
	_, err = last(api.SolveLoaded(t.Context(), &solverv1.SolveLoadedRequest{Handle: m.Handle}))
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("a handle that is gone: %v", err)
	}
	if _, err := api.Load(t.Context(), &solverv1.LoadRequest{}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("nothing to load: %v", err)
	}
}

// An error of Describe is an answer for now, not for ever.
func TestDescribeIsAskedAgain(t *testing.T) {
	api := dialSolver(t, &waiter{failing: true})
	if _, err := api.Describe(t.Context(), &solverv1.DescribeRequest{}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("%v", err)
	}
	if m, err := api.Describe(t.Context(), &solverv1.DescribeRequest{}); err != nil || m.Description.Name != "waiter" {
		t.Errorf("%v, %v", m, err)
	}
}

// picky is a strategy that needs the network and closes what it opens.
type picky struct{ closed chan bool }

func (picky) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "picky", NeedsModel: true}, nil
}

func (p picky) Start(context.Context, *space.Space, sdk.StartOptions) (sdk.Session, error) {
	return p, nil
}

func (picky) Next(context.Context, []sdk.Trial, int) ([]sdk.Move, error) { return nil, io.EOF }
func (p picky) Close() error                                             { p.closed <- true; return nil }

func TestSessionOrder(t *testing.T) {
	p := picky{closed: make(chan bool, 9)}
	api := strategyv1.NewStrategyClient(dial(t, func(s grpc.ServiceRegistrar) { serve.RegisterStrategy(s, p) }))
	start := func(n *problemv1.Network) *strategyv1.SessionRequest {
		s := &problemv1.Space{Inputs: 1, Features: []*problemv1.Feature{{Name: "age", Kind: 1, Hi: 9, Inputs: []*problemv1.Input{{Scale: 1}}}}}
		of := &strategyv1.Start{Space: s}
		if n != nil {
			of.Model = &strategyv1.Start_Network{Network: n}
		}
		return &strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Start{Start: of}}
	}
	done := &strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_StartDone{StartDone: &strategyv1.StartDone{}}}
	next := func(want int32) *strategyv1.SessionRequest {
		return &strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Next{Next: &strategyv1.Next{Want: want}}}
	}
	rows := &strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Rows{Rows: &strategyv1.RowChunk{Width: 1, Values: []float64{1}}}}
	net := &problemv1.Network{Head: 1, Precision: 32, Layers: []*problemv1.Layer{{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{0}}}}

	for name, c := range map[string]struct {
		say    []*strategyv1.SessionRequest
		code   codes.Code
		closed bool
	}{
		"next before start":     {[]*strategyv1.SessionRequest{next(1)}, codes.InvalidArgument, false},
		"next before done":      {[]*strategyv1.SessionRequest{start(net), next(1)}, codes.InvalidArgument, false},
		"empty message":         {[]*strategyv1.SessionRequest{start(net), {}}, codes.InvalidArgument, false},
		"needs the network":     {[]*strategyv1.SessionRequest{start(nil), done}, codes.InvalidArgument, false},
		"rows after done":       {[]*strategyv1.SessionRequest{start(net), done, rows}, codes.InvalidArgument, true},
		"want nothing":          {[]*strategyv1.SessionRequest{start(net), done, next(0)}, codes.InvalidArgument, true},
		"start, done, and over": {[]*strategyv1.SessionRequest{start(net), rows, done, next(1)}, codes.OK, true},
	} {
		stream, err := api.Session(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.say {
			if err := stream.Send(m); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
		}
		_ = stream.CloseSend()
		for err == nil {
			_, err = stream.Recv()
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if status.Code(err) != c.code {
			t.Errorf("%s: %v; want %v", name, err, c.code)
		}
		if c.closed != (len(p.closed) == 1) {
			t.Errorf("%s: closed %d times", name, len(p.closed))
		}
		for len(p.closed) > 0 {
			<-p.closed
		}
	}
}

// curious is a strategy that reads what it asks for.
type curious struct{ d sdk.Description }

func (c curious) Describe(context.Context) (sdk.Description, error) { return c.d, nil }

func (c curious) Start(context.Context, *space.Space, sdk.StartOptions) (sdk.Session, error) {
	return c, nil
}

func (c curious) Next(_ context.Context, told []sdk.Trial, _ int) ([]sdk.Move, error) {
	for _, t := range told {
		if t.Status == sdk.TrialEvaluated {
			_ = []any{c.d.NeedsScores && t.Scores[0] > 0, c.d.NeedsBins && t.Bins[0] > 0, c.d.NeedsPair && t.Highest[0] > t.Lowest[0]}
		}
	}
	return nil, io.EOF
}

func (curious) Close() error { return nil }

// A host that is older than what a strategy asks for sends trials without it: the
// strategy is spared them, and the error says what the host lacks.
func TestTrialsOfAnOlderHost(t *testing.T) {
	trial := func(status strategyv1.TrialStatus, complete bool) *strategyv1.SessionRequest {
		told := &strategyv1.Trial{Id: 1, Status: status, Point: []float64{3}, K: 1}
		if complete {
			told.Scores, told.Bins, told.Highest, told.Lowest = []float64{0.5}, []int32{9}, []float64{3}, []float64{3}
		}
		return &strategyv1.SessionRequest{Message: &strategyv1.SessionRequest_Next{Next: &strategyv1.Next{Want: 1, Told: []*strategyv1.Trial{told}}}}
	}
	for what, d := range map[string]sdk.Description{
		"scores": {Name: "curious", NeedsScores: true}, "bins": {Name: "curious", NeedsBins: true}, "extreme pair": {Name: "curious", NeedsPair: true},
	} {
		api := strategyv1.NewStrategyClient(dial(t, func(s grpc.ServiceRegistrar) { serve.RegisterStrategy(s, curious{d}) }))
		for _, c := range []struct {
			told *strategyv1.SessionRequest
			code codes.Code
		}{
			{trial(strategyv1.TrialStatus_TRIAL_STATUS_EVALUATED, true), codes.OK},
			{trial(strategyv1.TrialStatus_TRIAL_STATUS_REFUSED, false), codes.OK},
			{trial(strategyv1.TrialStatus_TRIAL_STATUS_EVALUATED, false), codes.FailedPrecondition},
		} {
			stream, err := api.Session(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s := &problemv1.Space{Inputs: 1, Features: []*problemv1.Feature{{Name: "age", Kind: 1, Hi: 9, Inputs: []*problemv1.Input{{Scale: 1}}}}}
			for _, m := range []*strategyv1.SessionRequest{
				{Message: &strategyv1.SessionRequest_Start{Start: &strategyv1.Start{Space: s}}},
				{Message: &strategyv1.SessionRequest_StartDone{StartDone: &strategyv1.StartDone{}}}, c.told,
			} {
				if err := stream.Send(m); err != nil {
					t.Fatal(err)
				}
			}
			_ = stream.CloseSend()
			for err == nil {
				_, err = stream.Recv()
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			want := "curious needs the " + what + " of an individual's counterfactuals, which this host does not send: use a newer hyfair"
			if status.Code(err) != c.code || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %v", what, err, c.code)
			}
		}
	}
}

// A model of a family that is known here, and that the solver does not declare, is
// refused before the solver sees it.
func TestUndeclaredFamilies(t *testing.T) {
	w := &waiter{entered: make(chan string, 9)}
	api := dialSolver(t, w)
	q := topb.Problem(&problem.Problem{Query: &problem.Query{
		Model: &linear.Unit{Weights: []float64{1, 2}},
		Space: &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "a", Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "s", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		}},
		Notion: fairness.Decision, Goal: problem.Decide,
	}})
	_, loading := api.Load(t.Context(), &solverv1.LoadRequest{Problem: q})
	if status.Code(loading) != codes.Unimplemented || !strings.Contains(loading.Error(), "not of the family linear") {
		t.Errorf("loading: %v", loading)
	}
	if len(w.entered) > 0 {
		t.Error("the solver was asked")
	}
}
