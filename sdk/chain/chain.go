// Package chain runs the rounds of the paper's Algorithm 1, which strategies
// share: it keeps the current individual and the best k, leaves plateaus, and
// asks for candidates. A strategy decides which candidate to propose, and when
// to accept it.
//
// The algorithm, line by line ("ask" is a move; its outcome comes with the next
// call of Next):
//
//	current ← ask for an individual near a random row      MoveSeedFrom
//	for round = 0, 1, …
//	    if k(current) > best: best ← k(current)
//	    else current ← ask for one near current             MoveSeedFrom
//	    candidate ← Propose(current); ask for its k         MovePoint
//	    if Accept(k(current), k(candidate), round): current ← candidate
//
// If no individual comes back (no solver in the run, none found, or the one
// found is refused), a separate MovePoint asks for a random row of the data set
// in its place. If that row cannot be evaluated either, the current individual
// stays; if there is none yet, the round is closed and the next one begins with
// another row. A candidate that is refused or outside is never accepted, and
// Accept is not called.
package chain

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
)

// Rules are a strategy's part of the round. They draw from rng only, so that the
// same seed gives the same moves.
type Rules interface {
	// Propose gives the candidate for current, which it must not modify.
	Propose(rng *rand.Rand, current []float64) []float64
	// Accept decides whether the candidate replaces the current individual. It gets the
	// k of each, and the number of the round, from 0.
	Accept(rng *rand.Rand, current, candidate int, round int64) bool
}

// step says what the move in flight is for.
type step uint8

const (
	idle      step = iota
	seeding        // an individual near a row or near current
	restart        // a row in place of an individual
	candidate      // the round's candidate
)

// Chain is one run of the algorithm, and an sdk.Session with Lag 0: each call of
// Next takes the trial of the move before it and makes one new move. It never
// finishes by itself. Not safe for concurrent use.
type Chain struct {
	domain *Domain
	rules  Rules
	rng    *rand.Rand

	current  []float64 // nil until the first individual is known
	k, best  int       // of current; the largest k that a round began with
	round    int64
	noSolver bool

	step     step
	inFlight sdk.Move
}

// New starts a chain on the domain; seed drives every draw, the rules'
// included.
func New(d *Domain, r Rules, seed int64) *Chain {
	return &Chain{domain: d, rules: r, rng: Random(seed, 0)}
}

// Next takes the trial of the move in flight and returns the next move. A
// trial that is missing or of another move is an error.
func (c *Chain) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if want < 1 {
		return nil, fmt.Errorf("asked for %d moves; the least is 1", want)
	}
	if c.step == idle {
		if len(told) > 0 {
			return nil, fmt.Errorf("got the trial of move %d before any move", told[0].ID)
		}
		c.begin()
	} else {
		if len(told) != 1 {
			return nil, fmt.Errorf("got %d trials; this strategy (lag 0) waits for one, of move %d", len(told), c.inFlight.ID)
		}
		if told[0].ID != c.inFlight.ID {
			return nil, fmt.Errorf("got the trial of move %d in place of move %d", told[0].ID, c.inFlight.ID)
		}
		c.learn(told[0])
	}
	return []sdk.Move{c.inFlight}, nil
}

// Close releases nothing; it is there for sdk.Session.
func (c *Chain) Close() error { return nil }

// begin makes the first move of a round.
func (c *Chain) begin() {
	switch {
	case c.current == nil:
		c.seed(c.domain.Row(c.rng))
	case c.k > c.best:
		c.best = c.k
		c.propose()
	default:
		c.seed(slices.Clone(c.current))
	}
}

// seed asks for an individual near x, or for a random row if the run has no
// solver.
func (c *Chain) seed(x []float64) {
	if c.noSolver {
		c.ask(restart, sdk.MovePoint, c.domain.Row(c.rng))
		return
	}
	c.ask(seeding, sdk.MoveSeedFrom, x)
}

func (c *Chain) propose() {
	c.ask(candidate, sdk.MovePoint, c.rules.Propose(c.rng, c.current))
}

func (c *Chain) ask(s step, kind sdk.MoveKind, x []float64) {
	c.step = s
	c.inFlight = sdk.Move{ID: c.inFlight.ID + 1, Round: c.round, Kind: kind, Point: x}
}

// learn takes the trial of the move in flight and makes the next move.
func (c *Chain) learn(t sdk.Trial) {
	evaluated := t.Status == sdk.TrialEvaluated
	if t.Status == sdk.TrialNoSolver {
		c.noSolver = true
	}
	if c.step == candidate {
		if evaluated && c.rules.Accept(c.rng, c.k, t.K, c.round) {
			c.move(t)
		}
		c.closeRound()
		return
	}
	if !evaluated && c.step == seeding {
		c.ask(restart, sdk.MovePoint, c.domain.Row(c.rng))
		return
	}
	first := c.current == nil
	if evaluated {
		c.move(t)
	}
	switch {
	case c.current == nil:
		c.closeRound()
	case first:
		c.begin() // the loop's first test is still to come
	default:
		c.propose()
	}
}

func (c *Chain) move(t sdk.Trial) { c.current, c.k = slices.Clone(t.Point), t.K }

func (c *Chain) closeRound() {
	c.round++
	c.begin()
}
