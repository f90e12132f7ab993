//go:build unix

package main

import (
	"context"
	"math"
	"os"
	"time"

	"google.golang.org/grpc"

	"github.com/hashicorp/go-plugin"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// serveLies serves the bare protocol, without the checks of sdk/serve, as a plugin in
// another language would. The name selects the answer, which is mostly invalid.
func serveLies(name string) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: wire.Handshake,
		VersionedPlugins: wire.Plugins(&wire.Service{Register: func(s *grpc.Server) {
			solverv1.RegisterSolverServer(s, &liar{name: name})
		}}),
		GRPCServer: plugin.DefaultGRPCServer,
	})
}

type liar struct {
	solverv1.UnimplementedSolverServer
	name string
}

func (l *liar) Describe(context.Context, *solverv1.DescribeRequest) (*solverv1.DescribeResponse, error) {
	d := &pluginv1.Description{Name: "liar", Kind: &pluginv1.Description_Solver{Solver: &pluginv1.SolverTraits{
		Exactness: pluginv1.Exactness_EXACTNESS_NUMERICAL,
		Serves: []*pluginv1.Service{
			{Form: problemv1.Form_FORM_MILP, Goal: problemv1.Goal_GOAL_MAXIMISE},
			{Form: problemv1.Form_FORM_NETWORK, Goal: problemv1.Goal_GOAL_QUANTIFY},
		},
	}}}
	if l.name == "nameless" {
		d.Name = ""
	}
	return &solverv1.DescribeResponse{Description: d}, nil
}

func numbers(values ...float64) *problemv1.Values {
	out := &problemv1.Values{Numbers: []*problemv1.Number{}}
	for _, v := range values {
		out.Numbers = append(out.Numbers, &problemv1.Number{Value: &problemv1.Number_Float{Float: v}})
	}
	return out
}

func (l *liar) Solve(m *solverv1.SolveRequest, stream grpc.ServerStreamingServer[solverv1.SolveResponse]) error {
	right := numbers(make([]float64, len(m.Problem.GetMilp().GetColumns()))...)
	r := &solverv1.Result{Status: solverv1.Status_STATUS_OPTIMAL, Reason: solverv1.Reason_REASON_NONE, Values: right}
	send := func(e *solverv1.SolveResponse) error { return stream.Send(e) }
	if m.Problem.GetNetwork() != nil {
		return l.quantify(send)
	}
	switch l.name {
	case "honest":
		r.Nodes = int64(len(m.Problem.GetMilp().GetRows()))
	case "statusless":
		r.Status = 0
	case "unknown status":
		r.Status = 77
	case "reasonless":
		r.Reason = 0
	case "short point":
		r.Values = numbers(1)
	case "NaN point":
		r.Values.Numbers[0] = &problemv1.Number{Value: &problemv1.Number_Float{Float: math.NaN()}}
	case "odd fraction":
		r.Values.Numbers[0] = &problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: "1e999999999"}}
	case "NaN bound":
		nan := math.NaN()
		r.Bound = &nan
	case "NaN objective":
		r.Objective = math.NaN()
	case "pointless":
		r.Values = nil
	case "infeasible point":
		r.Status = solverv1.Status_STATUS_INFEASIBLE
	case "witness":
		r.Witness = &solverv1.Witness{}
	case "silent":
		return nil
	case "shares":
		r.Shares = halves()
	case "unasked pieces":
		return send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Pieces{Pieces: &solverv1.Pieces{}}})
	case "empty event":
		return send(&solverv1.SolveResponse{})
	case "flood":
		for i := 0; i < tier.Count(200_000, 1_000_000) && stream.Context().Err() == nil; i++ {
			p := &solverv1.Progress{Values: right, Nodes: int64(i)}
			if err := send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Progress{Progress: p}}); err != nil {
				return err
			}
		}
	case "odd progress":
		p := &solverv1.Progress{Values: numbers(1, 2, 3, 4, 5, 6, 7)}
		if err := send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Progress{Progress: p}}); err != nil {
			return err
		}
	}
	return send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Result{Result: r}})
}

// halves are shares of a half each.
func halves() *solverv1.Shares {
	half := &problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: "1/2"}}
	return &solverv1.Shares{Fair: half, Unfair: half, Boxes: 2}
}

// quantify answers for a network of two features: two pieces, and shares.
func (l *liar) quantify(send func(*solverv1.SolveResponse) error) error {
	r := &solverv1.Result{Status: solverv1.Status_STATUS_OPTIMAL, Reason: solverv1.Reason_REASON_NONE, Shares: halves()}
	pieces := &solverv1.Pieces{Pieces: []*solverv1.Piece{
		{Lo: []float64{0, 0}, Hi: []float64{1, 0}, Claim: solverv1.PieceClaim_PIECE_CLAIM_FAIR},
		{Lo: []float64{2, 0}, Hi: []float64{3, 0}, Claim: solverv1.PieceClaim_PIECE_CLAIM_UNFAIR},
	}}
	switch l.name {
	case "lingers", "stalls", "endless", "talks":
		return handOver(l.name, send)
	case "narrow piece":
		pieces.Pieces[1].Lo, pieces.Pieces[1].Hi = []float64{2}, []float64{3}
	case "inverted piece":
		pieces.Pieces[0].Hi[0] = -1
	case "shareless":
		r.Shares = nil
	case "greedy":
		one := &problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: "1"}}
		r.Shares.Fair, r.Shares.Unfair = one, one
	}
	if err := send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Pieces{Pieces: pieces}}); err != nil {
		return err
	}
	if l.name == "quits" {
		p := &solverv1.Progress{Shares: halves()}
		if err := send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Progress{Progress: p}}); err != nil {
			return err
		}
		time.Sleep(300 * time.Millisecond)
		os.Exit(9)
	}
	return send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Result{Result: r}})
}
