package serve_test

import (
	"context"
	"math/big"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// divider answers with as many pieces as the seed says, each with a proof of
// some 16 KiB, in one list, which it then overwrites.
type divider struct{}

func (divider) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "divider", Exactness: sdk.GradeExact, Serves: []sdk.Service{{Form: problem.FormNetwork, Goal: problem.Quantify}},
	}, nil
}

func (divider) Solve(_ context.Context, _ *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if o.Pieces != nil {
		list := make([]sdk.Piece, o.Seed)
		for i := range list {
			list[i] = sdk.Piece{Box: space.Box{{Lo: float64(i), Hi: float64(i)}, {}}, Claim: sdk.PieceFair}
			if o.Proofs {
				list[i].Proof = &sdk.Proof{Copies: []sdk.CopyProof{{Slopes: make([]sdk.Slope, 1600)}}}
			}
		}
		for range 100 {
			o.Progress(sdk.Progress{Nodes: 1}) // from another goroutine than the pieces, to the same stream
		}
		o.Pieces(list)
		clear(list)
	}
	return &sdk.Result{Status: sdk.Optimal, Shares: &sdk.Shares{Fair: big.NewRat(1, 1), Unfair: new(big.Rat)}}, nil
}

func TestPiecesAreSplit(t *testing.T) {
	api := dialSolver(t, divider{})
	q := topb.Problem(&problem.Problem{Query: &problem.Query{
		Model: &relu.Network{Layers: []relu.Layer{{In: 2, Out: 1, Weights: []float64{1, 1}, Bias: []float64{0}}}, Head: relu.HeadSigmoid, Precision: 64},
		Space: &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "a", Kind: space.Integer, Hi: 999, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "s", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		}},
		Notion: fairness.Decision, Goal: problem.Quantify,
	}})
	for _, c := range []struct {
		name           string
		options        *solverv1.SolveOptions
		pieces, splits int
	}{
		{"none asked for", &solverv1.SolveOptions{Seed: 9}, 0, 0},
		{"none there", &solverv1.SolveOptions{Pieces: true}, 0, 0},
		{"few", &solverv1.SolveOptions{Seed: 9, Pieces: true}, 9, 1},
		{"many with proofs", &solverv1.SolveOptions{Seed: 300, Pieces: true, Proofs: true}, 300, 4},
	} {
		pieces, messages := ask(t, api, q, c.options)
		if pieces != c.pieces || messages < c.splits || messages > 3*c.splits {
			t.Errorf("%s: %d pieces in %d messages; want %d in %d or a few more", c.name, pieces, messages, c.pieces, c.splits)
		}
	}
}

// ask counts the pieces of a call, which come in order, and their messages,
// none of which may be large.
func ask(t *testing.T, api solverv1.SolverClient, q *problemv1.Problem, o *solverv1.SolveOptions) (pieces, messages int) {
	t.Helper()
	stream, err := api.Solve(t.Context(), &solverv1.SolveRequest{Problem: q, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if m.GetResult() != nil {
			return pieces, messages
		}
		list := m.GetPieces()
		if list == nil {
			continue
		}
		messages++
		if size := proto.Size(list); size > 1<<20 {
			t.Errorf("a message of %d bytes", size)
		}
		for _, p := range list.Pieces {
			if p.Lo[0] != float64(pieces) {
				t.Fatalf("piece %d begins at %v", pieces, p.Lo[0])
			}
			pieces++
		}
	}
}
