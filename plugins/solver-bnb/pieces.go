package main

import (
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/bnb"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// piecesTogether is the number of pieces handed over at a time.
const piecesTogether = 1024

// pieces converts pieces to those of the SDK.
func (a *answer) pieces(list []bnb.Piece) []sdk.Piece {
	g := a.s.Grid
	out := make([]sdk.Piece, 0, len(list))
	for i := range list {
		p := &list[i]
		q := sdk.Piece{Box: g.Box(p.Box), Claim: claims[p.Claim]}
		if p.Claim == bnb.PieceCounted {
			settled := p.Enumerated || p.Fair+p.Unfair >= g.Size(p.Box)
			switch {
			case settled && p.Fair+p.Unfair == 0:
				q.Claim = sdk.PieceOutside
			case settled && (p.Unfair == 0 || a.values()): // none of their values exceeds the bound
				q.Claim = sdk.PieceFair
			case settled && p.Fair == 0:
				q.Claim = sdk.PieceUnfair
			}
		}
		if g.Countable && a.q.Goal == problem.Quantify {
			q.Fair, q.Unfair = integer(p.Fair), integer(p.Unfair)
			all, _ := g.Exactly(p.Box)
			switch p.Claim {
			case bnb.PieceFair:
				q.Fair = all.Big()
			case bnb.PieceUnfair:
				q.Unfair = all.Big()
			}
		}
		if a.o.Proofs && q.Claim == sdk.PieceFair {
			q.Proof = a.proof(p)
		}
		out = append(out, q)
	}
	return out
}

var claims = map[bnb.Claim]sdk.PieceClaim{
	bnb.PieceFair: sdk.PieceFair, bnb.PieceUnfair: sdk.PieceUnfair, bnb.PieceOutside: sdk.PieceOutside,
	bnb.PieceBounded: sdk.PieceFair, bnb.PieceCounted: sdk.PieceUndecided, bnb.PieceUndecided: sdk.PieceUndecided,
}

func (a *answer) proof(p *bnb.Piece) *sdk.Proof {
	proof := &sdk.Proof{Enumerated: p.Enumerated, Cases: p.Cases}
	for _, c := range p.Copies {
		one := sdk.CopyProof{Protected: a.s.Grid.Combinations[c.Combination].Values, Logit: c.Logit}
		for _, s := range c.Slopes {
			one.Slopes = append(one.Slopes, sdk.Slope{Layer: s.Layer, Neuron: s.Neuron, Value: s.Value})
		}
		for _, s := range c.Joint {
			one.Joint = append(one.Joint, sdk.JointSlope{Layer: s.Layer, Neuron: s.Neuron, Own: s.Own, Other: s.Other})
		}
		one.Up, one.Down = c.Up, c.Down
		proof.Copies = append(proof.Copies, one)
	}
	return proof
}

// rest hands over the open nodes, as undecided pieces.
func (a *answer) rest() {
	var list []bnb.Piece
	a.s.Rest(func(p bnb.Piece) {
		if list = append(list, p); len(list) == piecesTogether {
			a.o.Pieces(a.pieces(list))
			list = list[:0]
		}
	})
	if len(list) > 0 {
		a.o.Pieces(a.pieces(list))
	}
}
