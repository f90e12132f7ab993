package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Optional capabilities: pieces for goals other than Quantify, and counting under predicates.
var pieceGoalCases = []SolverCase{
	{Name: "network/pieces-goals", Doc: "whatever the goal, the pieces are the region, and their claims hold, also those about the bound",
		Needs: needs(problem.FormNetwork, problem.Decide), Run: checkPiecesOfGoals},
	{Name: "network/quantify-predicates", Doc: "those for whom a required predicate does not hold, or a forbidden one does, are not counted",
		Needs: needs(problem.FormNetwork, problem.Quantify), Run: checkQuantifyPredicates},
}

func checkPiecesOfGoals(ctx context.Context, e *SolverEnv) error {
	divides := false
	for _, goal := range problem.Goals {
		if goal == problem.Quantify || !e.Description.Answers(problem.FormNetwork, goal) {
			continue
		}
		for _, k := range wholeQueries(4) {
			k.q.Goal = goal
			name := fmt.Sprintf("%s, %s", k.name, goal)
			r, pieces, err := e.divide(ctx, &problem.Problem{Name: name, Query: k.q}, sdk.SolveOptions{Seed: 1})
			if err != nil {
				return err
			}
			if len(pieces) == 0 {
				continue
			}
			divides = true
			if err := e.checkClaims(k.q, r, pieces); err != nil {
				return fmt.Errorf("problem %q: %w", name, err)
			}
		}
	}
	if !divides {
		return skip("there are no pieces")
	}
	return nil
}

// checkClaims holds what is claimed of the pieces against every individual.
func (e *SolverEnv) checkClaims(q *problem.Query, r *sdk.Result, pieces []sdk.Piece) error {
	faults := inRegion(q, pieces)
	if faults != nil {
		return faults
	}
	exact := q.Model.Exact()
	for x := range q.Space.Individuals(q.RegionOrWhole().Box) {
		home, err := homeOf(q.Space, pieces, x)
		if err != nil {
			faults = errors.Join(faults, err)
			continue
		}
		logits := q.Logits(exact, x)
		if len(logits) == 0 || !q.Describes(x) {
			continue
		}
		wrong := false
		switch pieces[home].Claim {
		case sdk.PieceOutside:
			wrong = true
		case sdk.PieceUnfair:
			wrong = !q.Violates(logits)
		case sdk.PieceFair:
			if q.Goal == problem.Decide {
				wrong = q.Violates(logits)
			} else if lo, hi := value(q, logits); r.HasBound {
				wrong = sign(q.Goal == problem.Maximise || q.Goal == problem.MaxK)*(lo-r.Bound) > e.slack(hi)
			}
		}
		if wrong {
			faults = errors.Join(faults, fmt.Errorf("the piece %v is claimed to be %s, and holds %v, which is not", pieces[home].Box, pieces[home].Claim, x))
		}
	}
	return faults
}

func checkQuantifyPredicates(ctx context.Context, e *SolverEnv) error {
	for i, k := range wholeQueries(4) {
		k.q.Goal = problem.Quantify
		k.q.Require = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: -1, Hi: float64(i)}}}}
		if i%2 == 1 {
			k.q.Forbid = []space.Predicate{{{Feature: 2, Set: []int{0, 2}}, {Feature: 4, Interval: space.Interval{Lo: 1, Hi: inf}}}}
		}
		switch err := e.askShares(ctx, k.name, k.q); {
		case errors.Is(err, sdk.ErrUnsupported):
			return skip("declined: %v", err)
		case err != nil:
			return err
		}
	}
	return nil
}
