package conformance_test

import (
	"context"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// wholeLiars lie about individuals with all their counterfactuals.
func wholeLiars() []solverLiar {
	narrow := func(change func(*space.Region)) *bent {
		return &bent{ask: asking(func(q *problem.Query) {
			q.Region = q.RegionOrWhole().Clone()
			change(&q.Region)
		})}
	}
	half := func() *bent { return narrow(func(r *space.Region) { r.Box[4].Hi = 0 }) }
	telling := func(g problem.Goal, tell func(*sdk.Result)) *bent {
		return &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.Query != nil && p.Query.Goal == g {
				tell(r)
			}
		}}
	}
	return []solverLiar{
		{"network/max-k", "its bound is below the k that it shows", telling(problem.MaxK, func(r *sdk.Result) { r.Bound-- })},
		{"network/max-k", "it shows fewer bins than it says", telling(problem.MaxK, func(r *sdk.Result) { r.Objective, r.Bound = r.Objective+1, r.Bound+1 })},
		{"network/max-k", "it looks at half of the space", half()},
		{"network/max-k", "it drops a protected value", narrow(func(r *space.Region) { r.Values[1] = r.Values[1][:len(r.Values[1])-1] })},
		{"network/max-k", "it answers for the least", &bent{ask: asking(func(q *problem.Query) { q.Goal = problem.MinK })}},
		{"network/min-k", "its bound is above the k that it shows", telling(problem.MinK, func(r *sdk.Result) { r.Bound++ })},
		{"network/min-k", "it answers for the most", &bent{ask: asking(func(q *problem.Query) { q.Goal = problem.MaxK })}},
		{"network/minimise", "it looks at half of the space", half()},
		{"network/minimise", "it knows the score notion only", &bent{ask: asking(func(q *problem.Query) { q.Notion = fairness.Score })}},
		{"network/minimise", "it answers for the largest", &bent{ask: asking(func(q *problem.Query) { q.Goal = problem.Maximise })}},
		{"network/quantify", "its shares sum to more than 1", telling(problem.Quantify, func(r *sdk.Result) {
			if r.Shares != nil {
				r.Shares.Fair = big.NewRat(1, 1)
			}
		})},
		{"network/quantify", "its shares leave nothing open, and are not those", telling(problem.Quantify, func(r *sdk.Result) {
			if s := r.Shares; s != nil {
				s.Fair, s.Unfair = s.Unfair, s.Fair
			}
		})},
		{"network/quantify", "it gives a person along", telling(problem.Quantify, func(r *sdk.Result) {
			r.Witness = &sdk.Witness{Copy1: make([]float64, 5), Copy2: make([]float64, 5)}
		})},
		{"network/quantify", "it looks at half of the space", half()},
		{"network/quantify", "two bins are enough for it", &bent{ask: asking(func(q *problem.Query) { q.K = 0 })}},
		{"network/quantify", "on the way it promises more than there is", &bent{ask: func(_ *problem.Problem, o *sdk.SolveOptions) {
			if o.Progress != nil {
				o.Progress(sdk.Progress{Shares: &sdk.Shares{Fair: big.NewRat(1, 1), Unfair: new(big.Rat)}})
			}
		}}},
		{"network/quantify-predicates", "it counts all individuals", &bent{ask: asking(func(q *problem.Query) { q.Require, q.Forbid = nil, nil })}},
	}
}

// pieceLiars lie about parts of the region.
func pieceLiars() []solverLiar {
	// dividing changes the lists of pieces on their way.
	dividing := func(change func([]sdk.Piece) []sdk.Piece) *bent {
		return &bent{ask: func(_ *problem.Problem, o *sdk.SolveOptions) {
			if tell := o.Pieces; tell != nil {
				o.Pieces = func(list []sdk.Piece) { tell(change(list)) }
			}
		}}
	}
	claiming := func(c sdk.PieceClaim) *bent {
		return dividing(func(list []sdk.Piece) []sdk.Piece {
			for i := range list {
				list[i].Claim = c
			}
			return list
		})
	}
	calls := 0
	return []solverLiar{
		{"network/pieces", "its pieces overlap", dividing(func(list []sdk.Piece) []sdk.Piece { return append(list, list[len(list)-1]) })},
		{"network/pieces", "its pieces leave a hole", dividing(func(list []sdk.Piece) []sdk.Piece { return list[1:] })},
		{"network/pieces", "its pieces reach out of the region", dividing(func(list []sdk.Piece) []sdk.Piece {
			for i := range list {
				if side := &list[i].Box[2]; side.Lo == 2 { // the last category
					side.Hi = 9
				}
			}
			return list
		})},
		{"network/pieces", "it takes the unfair for the fair", dividing(func(list []sdk.Piece) []sdk.Piece {
			for i := range list {
				if list[i].Claim == sdk.PieceUnfair {
					list[i].Claim = sdk.PieceFair
				}
			}
			return list
		})},
		{"network/pieces", "its pieces count too many", dividing(func(list []sdk.Piece) []sdk.Piece {
			for i := range list {
				list[i].Fair.Add(list[i].Fair, big.NewInt(1))
			}
			return list
		})},
		{"network/pieces", "its pieces do not add up to its shares", dividing(func(list []sdk.Piece) []sdk.Piece {
			list[0].Claim, list[0].Fair = sdk.PieceUndecided, new(big.Int)
			return list
		})},
		{"network/pieces-goals", "its pieces leave a hole", dividing(func(list []sdk.Piece) []sdk.Piece { return list[1:] })},
		{"network/pieces-goals", "to it the question is about no individual", claiming(sdk.PieceOutside)},
		{"network/pieces-goals", "what it did not look at is fair to it", claiming(sdk.PieceFair)},
		{"network/pieces-goals", "what stays within the bound is unfair to it", claiming(sdk.PieceUnfair)},
		{"network/pieces-limited", "stopped short, it keeps the rest to itself", dividing(func(list []sdk.Piece) []sdk.Piece {
			return slices.DeleteFunc(list, func(p sdk.Piece) bool { return p.Claim == sdk.PieceUndecided })
		})},
		{"network/pieces-limited", "stopped short, it takes the rest to be fair", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if s := r.Shares; s != nil && r.Status == sdk.Unknown {
				s.Fair = new(big.Rat).Sub(big.NewRat(1, 1), s.Unfair)
			}
		}}},
		{"network/pieces-again", "it begins at the other end every other time", &bent{ask: func(_ *problem.Problem, o *sdk.SolveOptions) {
			if calls++; calls%2 == 0 {
				o.Options = map[string]string{"order": "down"}
			}
		}}},
		{"network/real-shares", "to it all values between two whole numbers are fair", &bent{solve: roundsAndDivides}},
	}
}

// roundsAndDivides answers for the whole numbers of a real feature only, with pieces between
// them.
func roundsAndDivides(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
	if p.Query == nil || !p.Query.Space.HasReals() {
		return right.Solve(ctx, p, o)
	}
	side := p.Query.RegionOrWhole().Box[0]
	o.Pieces([]sdk.Piece{{Box: space.Box{side, {}}, Claim: sdk.PieceFair}})
	return &sdk.Result{Status: sdk.Optimal, Shares: &sdk.Shares{Fair: big.NewRat(1, 1), Unfair: new(big.Rat)}}, nil
}
