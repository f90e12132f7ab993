package main

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
)

// session is an sdk.Session. Each call of Next proposes individuals of one island; the
// islands take turns. Trials may lag by one call: when an island's turn comes again, the
// trials of its last call have arrived, and it can breed if its generation is complete.
// A move's Chain is the island, its Round the generation.
type session struct {
	islands [2]*island
	turn    int
	id      int64
	// flying holds the moves whose trials have not arrived: at most those of two calls.
	flying map[int64]seat
}

// seat is an individual's place on an island.
type seat struct{ island, index int }

func newSession(set settings, g *chain.Domain, seed int64) *session {
	s := &session{flying: map[int64]seat{}}
	seen := &chain.Memory{}
	for i := range s.islands {
		s.islands[i] = newIsland(&set, g, chain.Random(seed, i), seen, (set.population+i)/2)
	}
	return s
}

// Next records trials and returns at most want individuals of the island whose turn it is:
// those of its generation that were not handed over yet.
func (s *session) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if want < 1 {
		return nil, fmt.Errorf("asked for %d moves; ask for at least 1", want)
	}
	for i := range told {
		at, ok := s.flying[told[i].ID]
		if !ok {
			return nil, fmt.Errorf("got the trial of move %d, which is not pending", told[i].ID)
		}
		delete(s.flying, told[i].ID)
		s.islands[at.island].learn(at.index, &told[i])
	}
	land := s.islands[s.turn]
	if land.asked == len(land.people) {
		if land.waiting > 0 {
			return nil, fmt.Errorf("%d trials of island %d are missing; they may lag by one call", land.waiting, s.turn)
		}
		land.breed(s.islands[1-s.turn])
	}
	moves := make([]sdk.Move, 0, min(want, len(land.people)-land.asked))
	for range cap(moves) {
		s.id++
		s.flying[s.id] = seat{s.turn, land.asked}
		moves = append(moves, sdk.Move{
			ID: s.id, Round: land.generation, Chain: s.turn, Kind: sdk.MovePoint, Point: land.people[land.asked].x,
		})
		land.asked++
		land.waiting++
	}
	s.turn = 1 - s.turn
	return moves, nil
}

// Close implements sdk.Session; there is nothing to release.
func (s *session) Close() error { return nil }
