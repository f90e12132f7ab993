package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"sync"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// wholeCases are about the goals that concern an individual with all its counterfactuals, and
// about the pieces of the region that a solver hands over, which are optional for goals other
// than Quantify. Each problem is small enough to be enumerated.
var wholeCases = []Case[*SolverEnv]{
	on(problem.MaxK, "network/max-k", "the largest number of bins, with an individual that reaches it", checkWholes(problem.MaxK)),
	on(problem.MinK, "network/min-k", "the smallest number of bins, with an individual that reaches it", checkWholes(problem.MinK)),
	on(problem.Minimise, "network/minimise", "the smallest gap in scores and in logits, with an individual that has it", checkWholes(problem.Minimise)),
	on(problem.Quantify, "network/quantify", "the shares of individuals treated fairly and unfairly", checkQuantify),
	on(problem.Quantify, "network/pieces", "the pieces cover the region without overlap, and their claims hold", checkPieces(sdk.SolveOptions{Seed: 1})),
	on(problem.Quantify, "network/pieces-limited", "after a work limit, the pieces still cover the region, and the shares still hold", checkPieces(sdk.SolveOptions{Seed: 1, WorkLimit: 3})),
	on(problem.Quantify, "network/pieces-again", "the same question has the same pieces and the same shares, in another process too", checkPiecesAgain),
	on(problem.Quantify, "network/real-shares", "the shares for a real-valued feature are shares of its interval", checkRealShares),
	on(problem.Decide, "network/pieces-goals", "for every goal, the pieces cover the region, and their claims hold, also those about the bound", checkPiecesOfGoals),
	on(problem.Quantify, "network/quantify-predicates", "individuals that break a required predicate, or match a forbidden one, are not counted", checkQuantifyPredicates),
}

// wholeQueries returns random queries for the score notion, every third one with a
// region.
func wholeQueries(n int) queries {
	var out queries
	rng := rand.New(rand.NewPCG(8, 13))
	for i := range n {
		q := known.Small(rng)
		q.Notion = fairness.Score
		if i%3 == 1 {
			q.Region = q.Space.Whole().Clone()
			q.Region.Box[0] = space.Interval{Lo: -1, Hi: 2}
			q.Region.Values[1] = []float64{1, 12}
		}
		out = append(out, question[*problem.Query]{name: fmt.Sprintf("random network %d", i), p: q})
	}
	return out
}

func checkWholes(goal problem.Goal) func(context.Context, *SolverEnv) error {
	return func(ctx context.Context, e *SolverEnv) error {
		list := wholeQueries(12)
		for i := range list {
			q := list[i].p
			if q.Goal = goal; goal == problem.Minimise && i%2 == 1 {
				q.Notion = fairness.Logit
			}
			list[i].want = known.Enumerate(q).Answer(q)
		}
		return askAll(ctx, e, goal, list)
	}
}

func checkQuantify(ctx context.Context, e *SolverEnv) error {
	for i, k := range wholeQueries(12) {
		// Covers every notion, and many bins.
		k.p.Notion = fairness.Notions[i%len(fairness.Notions)]
		if k.p.Notion == fairness.Score && i > 0 {
			k.p.K, k.p.Epsilon = 3, big.NewRat(1, 20)
		}
		if err := e.askShares(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// askShares asks for shares, and checks the final ones and those in progress reports
// against an enumeration.
func (e *SolverEnv) askShares(ctx context.Context, k question[*problem.Query]) error {
	k.p.Goal = problem.Quantify
	truth := known.Enumerate(k.p)
	var mu sync.Mutex
	var early error
	o := sdk.SolveOptions{Seed: 1, Progress: func(p sdk.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Shares != nil && early == nil {
			early = truth.Within(p.Shares)
		}
	}}
	r, err := e.claim(ctx, k.problem(), o)
	if err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	if early != nil {
		return fmt.Errorf("problem %q, %s: in a progress report, %w", k.name, k.p.Notion, early)
	}
	if err := truth.Shares(r); err != nil {
		return fmt.Errorf("problem %q, %s: %w", k.name, k.p.Notion, err)
	}
	return nil
}

// divide asks for pieces along with the answer.
func (e *SolverEnv) divide(ctx context.Context, k question[*problem.Query], o sdk.SolveOptions) (*sdk.Result, []sdk.Piece, error) {
	var pieces []sdk.Piece
	o.Pieces = func(list []sdk.Piece) { pieces = append(pieces, list...) }
	r, err := e.claim(ctx, k.problem(), o)
	return r, pieces, err
}

func checkPieces(o sdk.SolveOptions) func(context.Context, *SolverEnv) error {
	return func(ctx context.Context, e *SolverEnv) error {
		for _, k := range wholeQueries(6) {
			k.p.Goal = problem.Quantify
			r, pieces, err := e.divide(ctx, k, o)
			if err != nil {
				return err
			}
			if o.WorkLimit == 0 {
				err = known.Enumerate(k.p).Shares(r)
			}
			if err = errors.Join(err, e.Pieces(k.p, r, pieces)); err != nil {
				return fmt.Errorf("problem %q: %w", k.name, err)
			}
		}
		return nil
	}
}

func checkPiecesAgain(ctx context.Context, e *SolverEnv) error {
	other, err := e.another(ctx)
	if err != nil {
		return err
	}
	for _, k := range wholeQueries(3) {
		k.p.Goal = problem.Quantify
		r, pieces, err := e.divide(ctx, k, sdk.SolveOptions{Seed: 7})
		if err != nil {
			return err
		}
		again, piecesAgain, err := other.divide(ctx, k, sdk.SolveOptions{Seed: 7})
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(r.Shares, again.Shares) {
			return fmt.Errorf("problem %q: the shares of two runs differ: %+v and %+v", k.name, r.Shares, again.Shares)
		}
		if !reflect.DeepEqual(pieces, piecesAgain) {
			return fmt.Errorf("problem %q: the pieces of two runs, %d and %d, differ", k.name, len(pieces), len(piecesAgain))
		}
	}
	return nil
}

func checkRealShares(ctx context.Context, e *SolverEnv) error {
	q, fair := realQuery()
	r, pieces, err := e.divide(ctx, question[*problem.Query]{name: "a real feature", p: q}, sdk.SolveOptions{Seed: 1, WorkLimit: 5000})
	switch {
	case errors.Is(err, sdk.ErrUnsupported):
		return skip("declined: %v", err)
	case err != nil:
		return err
	case r.Shares == nil && r.Status == sdk.Unknown:
		return skip("declined: %s", known.Said(r, nil))
	case r.Shares == nil:
		return fmt.Errorf("%s without shares", known.Said(r, nil))
	}
	const slip = 1e-9
	proved, refuted := exactShare(r.Shares.Fair), exactShare(r.Shares.Unfair)
	if proved > fair+slip || refuted > 1-fair+slip {
		return fmt.Errorf("the shares %v and %v exceed the truth, %v and %v", proved, refuted, fair, 1-fair)
	}
	length, settled := 0.0, 0.0
	for _, p := range pieces {
		side := p.Box[0]
		if side.Lo < 0 || side.Hi > 2.5 {
			return fmt.Errorf("the piece %v is not in the region", p.Box)
		}
		if p.Fair != nil || p.Unfair != nil {
			return fmt.Errorf("the piece %v counts individuals; a real feature has infinitely many", p.Box)
		}
		border := 2.5 * fair
		if p.Claim == sdk.PieceFair && side.Hi > border+slip || p.Claim == sdk.PieceUnfair && side.Lo < border-slip {
			return fmt.Errorf("the piece %v is claimed to be %s; violations begin at %v", p.Box, p.Claim, border)
		}
		if length += side.Hi - side.Lo; p.Claim == sdk.PieceFair {
			settled += side.Hi - side.Lo
		}
	}
	if math.Abs(length-2.5) > slip {
		return fmt.Errorf("the pieces have a total length of %v; the region has 2.5", length)
	}
	if math.Abs(settled/2.5-proved) > slip {
		return fmt.Errorf("the fair pieces make up %v of the region; the answer says %v", settled/2.5, proved)
	}
	return nil
}

func exactShare(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}

func checkPiecesOfGoals(ctx context.Context, e *SolverEnv) error {
	divides := false
	for _, goal := range problem.Goals {
		if goal == problem.Quantify || !e.Description.Answers(problem.FormNetwork, goal) {
			continue
		}
		for _, k := range wholeQueries(4) {
			k.p.Goal, k.name = goal, fmt.Sprintf("%s, %s", k.name, goal)
			r, pieces, err := e.divide(ctx, k, sdk.SolveOptions{Seed: 1})
			if err != nil {
				return err
			}
			if len(pieces) == 0 {
				continue
			}
			divides = true
			if err := e.Pieces(k.p, r, pieces); err != nil {
				return fmt.Errorf("problem %q: %w", k.name, err)
			}
		}
	}
	if !divides {
		return skip("there are no pieces")
	}
	return nil
}

func checkQuantifyPredicates(ctx context.Context, e *SolverEnv) error {
	for i, k := range wholeQueries(4) {
		k.p.Require = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: -1, Hi: float64(i)}}}}
		if i%2 == 1 {
			k.p.Forbid = []space.Predicate{{{Feature: 2, Set: []int{0, 2}}, {Feature: 4, Interval: space.Interval{Lo: 1, Hi: inf}}}}
		}
		switch err := e.askShares(ctx, k); {
		case errors.Is(err, sdk.ErrUnsupported):
			return skip("declined: %v", err)
		case err != nil:
			return err
		}
	}
	return nil
}

// realQuery has the real feature a from 0 to 2.5: the score gap at a is
// σ(a−1) − σ(−1), which is ½ at about 2.2023.
func realQuery() (q *problem.Query, fair float64) {
	q = bent("1/2", func(q *problem.Query) {
		q.Goal = problem.Quantify
		q.Space.Features[0].Kind, q.Space.Features[0].Hi = space.Real, 2.5
	})
	score := 0.5 + fairness.Sigmoid(-1)
	at := math.Log(score/(1-score)) + 1
	return q, at / 2.5
}
