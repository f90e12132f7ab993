package frompb_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/problem"
)

// FuzzMessages reads arbitrary bytes as each message a peer may send. Nothing
// may panic, and a problem that is accepted must survive a second trip and
// whatever an implementation does first with one.
func FuzzMessages(f *testing.F) {
	seed := func(kind byte, m proto.Message) {
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kind, data)
	}
	seed(0, asMilp(goodMilp()))
	seed(0, asQuery(goodQuery()))
	seed(0, &problemv1.Problem{Form: &problemv1.Problem_Smt{Smt: &problemv1.Script{Text: "(assert true)"}}})
	seed(1, &problemv1.Delta{Push: 1, Rows: goodMilp().Rows})
	seed(2, &solverv1.Result{Status: 1, Reason: 1, Values: &problemv1.Values{Numbers: []*problemv1.Number{goodQuery().Epsilon}}})
	seed(3, &strategyv1.Start{Space: goodQuery().Space, Model: &strategyv1.Start_Network{Network: goodQuery().GetNetwork()}})
	seed(4, &strategyv1.Next{Told: []*strategyv1.Trial{{Status: 1, Point: []float64{1}}}})
	seed(5, &pluginv1.Description{Name: "x", Kind: &pluginv1.Description_Solver{Solver: &pluginv1.SolverTraits{Exactness: 1}}})
	good := &solverv1.Shares{Fair: fraction("1/3"), Unfair: fraction("0"), Individuals: fraction("12"), Boxes: 4}
	seed(2, &solverv1.Result{Status: 4, Reason: 2, Shares: good})
	seed(6, &solverv1.Pieces{Pieces: []*solverv1.Piece{{Lo: []float64{0}, Hi: []float64{1}, Claim: 1, Fair: fraction("2"), Proof: &solverv1.Proof{
		Copies: []*solverv1.CopyProof{{Logit: &problemv1.Interval{Lo: -1, Hi: 1}, Layers: []int32{0}, Neurons: []int32{1}, Slopes: []float64{0.5}}},
		Cases: []*solverv1.CaseProof{{First: &solverv1.CaseSide{Copies: []int32{0}, Layers: []int32{0}, Neurons: []int32{1}}, Second: &solverv1.CaseSide{Copies: []int32{0}}, Steps: []*solverv1.CaseStep{
			{Step: &solverv1.CaseStep_Cut{Cut: &solverv1.CaseCut{At: 3}}}, {Step: &solverv1.CaseStep_Relu{}},
			{Step: &solverv1.CaseStep_End{End: &solverv1.CaseEnd{Up: 1, Down: 1, Slopes: []float64{0.5}}}},
		}}},
	}}}})
	seed(7, &solverv1.Progress{Nodes: 3, Shares: good})
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		switch kind % 8 {
		case 0:
			m := &problemv1.Problem{}
			if proto.Unmarshal(data, m) == nil {
				acceptProblem(t, m)
			}
		case 1:
			m := &problemv1.Delta{}
			if proto.Unmarshal(data, m) == nil {
				acceptDelta(t, m)
			}
		case 2:
			m := &solverv1.Result{}
			if proto.Unmarshal(data, m) == nil {
				if r, err := frompb.Result(m); err == nil && !proto.Equal(topb.Result(r), topb.Result(r)) {
					t.Error("not a number slipped through")
				}
			}
		case 3:
			m := &strategyv1.Start{}
			if proto.Unmarshal(data, m) == nil {
				_, _, _ = frompb.Start(m)
			}
		case 4:
			m := &strategyv1.Next{}
			if proto.Unmarshal(data, m) == nil {
				_, _ = frompb.Trials(m.Told)
				_, _ = frompb.UnpackTrials(m.Packed, 2, func(int64) []float64 { return nil })
			}
			moves := &strategyv1.PackedMoves{}
			if proto.Unmarshal(data, moves) == nil {
				_, _ = frompb.UnpackMoves(moves)
			}
		case 5:
			m := &pluginv1.Description{}
			if proto.Unmarshal(data, m) == nil {
				_, _ = frompb.SolverDescription(m)
				_, _ = frompb.StrategyDescription(m)
			}
		case 6:
			m := &solverv1.Pieces{}
			if proto.Unmarshal(data, m) == nil {
				acceptPieces(t, m)
			}
		case 7:
			m := &solverv1.Progress{}
			if proto.Unmarshal(data, m) == nil {
				_, _ = frompb.Progress(m)
			}
		}
	})
}

func acceptProblem(t *testing.T, m *problemv1.Problem) {
	p, err := frompb.Problem(m)
	if err != nil {
		return
	}
	if _, err := frompb.Problem(topb.Problem(p)); err != nil {
		t.Errorf("accepted once, then refused: %v", err)
	}
	if q := p.Query; q != nil {
		x := make([]float64, len(q.Space.Features))
		for i := range x {
			x[i] = q.Space.Features[i].Lo
		}
		q.Space.RegionContains(q.RegionOrWhole(), x)
		q.Model.Logit(q.Space.NetworkInputs(nil, x))
	}
}

// acceptPieces sends pieces that were accepted a second time.
func acceptPieces(t *testing.T, m *solverv1.Pieces) {
	list, err := frompb.Pieces(m)
	if err != nil {
		return
	}
	again := &solverv1.Pieces{}
	for i := range list {
		again.Pieces = append(again.Pieces, topb.Piece(&list[i]))
	}
	if _, err := frompb.Pieces(again); err != nil {
		t.Errorf("accepted once, then refused: %v", err)
	}
}

// acceptDelta applies a delta to a small problem: either may refuse it, and
// neither may panic.
func acceptDelta(t *testing.T, m *problemv1.Delta) {
	d, err := frompb.Delta(m)
	if err != nil {
		return
	}
	p, err := frompb.Problem(asMilp(goodMilp()))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = problem.NewStack(p).Apply(d)
}
