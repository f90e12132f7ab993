package client_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// shareQuery asks which share of four individuals is treated fairly.
func shareQuery() *problem.Problem {
	return &problem.Problem{Name: "shares", Query: &problem.Query{
		Model: &relu.Network{
			Layers: []relu.Layer{{In: 2, Out: 1, Weights: []float64{1, 1}, Bias: []float64{0}}},
			Head:   relu.HeadSigmoid, Precision: 64,
		},
		Space: &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "a", Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "s", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		}},
		Notion: fairness.Decision, Goal: problem.Quantify,
	}}
}

func TestPiecesAndShares(t *testing.T) {
	p := launch(t, config(client.Solver, "liar:honest"))
	var got []sdk.Piece
	r, err := p.Solver().Solve(t.Context(), shareQuery(), sdk.SolveOptions{Pieces: func(list []sdk.Piece) { got = append(got, list...) }})
	if err != nil {
		t.Fatal(err)
	}
	want := []sdk.Piece{
		{Box: space.Box{{Lo: 0, Hi: 1}, {}}, Claim: sdk.PieceFair},
		{Box: space.Box{{Lo: 2, Hi: 3}, {}}, Claim: sdk.PieceUnfair},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pieces:\n%s", diff)
	}
	half := big.NewRat(1, 2)
	if s := r.Shares; r.Status != sdk.Optimal || s == nil || s.Fair.Cmp(half) != 0 || s.Unfair.Cmp(half) != 0 || s.Individuals != nil || s.Boxes != 2 {
		t.Errorf("%+v", r.Shares)
	}
}

func TestOddPiecesAndShares(t *testing.T) {
	for mode, says := range map[string]string{
		"narrow piece":   "a piece of 1 sides for 2 features",
		"inverted piece": "piece 0: its side at feature 0",
		"shareless":      "status optimal without shares",
		"greedy":         "the shares sum to 2",
	} {
		p := launch(t, config(client.Solver, "liar:"+mode))
		_, err := p.Solver().Solve(t.Context(), shareQuery(), sdk.SolveOptions{Pieces: func([]sdk.Piece) {}})
		if !errors.Is(err, client.ErrGarbage) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	p := launch(t, config(client.Solver, "liar:honest"))
	if _, err := p.Solver().Solve(t.Context(), shareQuery(), sdk.SolveOptions{}); !errors.Is(err, client.ErrGarbage) {
		t.Errorf("pieces that were not asked for: %v", err)
	}
}

// What was proved before a plugin went is not lost with it.
func TestSharesOutliveThePlugin(t *testing.T) {
	p := launch(t, config(client.Solver, "liar:quits"))
	pieces := 0
	r, err := p.Solver().Solve(t.Context(), shareQuery(), sdk.SolveOptions{Pieces: func(list []sdk.Piece) { pieces += len(list) }})
	if !errors.Is(err, sdk.ErrPluginExited) {
		t.Fatal(err)
	}
	if pieces != 2 || r == nil || r.Status != sdk.Unknown || r.Shares == nil || r.Shares.Boxes != 2 {
		t.Errorf("%d pieces, and %+v", pieces, r)
	}
}
