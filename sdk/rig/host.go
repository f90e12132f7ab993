package rig

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// Host answers a strategy's moves as a host does.
type Host struct {
	// Answer returns the trial of a move. Its ID need not be set.
	Answer func(sdk.Move) sdk.Trial
	// Want is the number of moves requested per call.
	Want int
	// Lag delays trials by that many calls; 0 or 1.
	Lag int
}

// Drive calls Next the given number of times, and returns all moves.
func (h Host) Drive(t testing.TB, s sdk.Session, calls int) (all []sdk.Move) {
	t.Helper()
	var waiting [][]sdk.Trial
	for range calls {
		var told []sdk.Trial
		if len(waiting) > h.Lag {
			told, waiting = waiting[0], waiting[1:]
		}
		moves, err := s.Next(t.Context(), told, h.Want)
		if err != nil {
			t.Fatal(err)
		}
		trials := make([]sdk.Trial, len(moves))
		for i, m := range moves {
			trials[i] = h.Answer(m)
			trials[i].ID = m.ID
		}
		waiting, all = append(waiting, trials), append(all, moves...)
	}
	return all
}

// SameSeed fails unless searches with one seed make the same moves and the same number
// of evaluations on one processor and on two, and a search with the next seed makes
// different moves. start returns the strategy of each search, in this process or from
// Launch.
func (h Host) SameSeed(t testing.TB, start func() sdk.Strategy, s *space.Space, o sdk.StartOptions, calls int) {
	t.Helper()
	search := func(processors int) (moves []sdk.Move, evaluations int64) {
		t.Helper()
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		session, err := start().Start(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		moves = h.Drive(t, session, calls)
		if e, ok := session.(sdk.Evaluating); ok {
			evaluations = e.Evaluations()
		}
		return moves, evaluations
	}
	first, one := search(1)
	second, two := search(2)
	if len(first) != len(second) || one != two {
		t.Fatalf("seed %d: %d moves and %d evaluations on one processor, %d and %d on two; want the same", o.Seed, len(first), one, len(second), two)
	}
	for i := range first {
		if !reflect.DeepEqual(first[i], second[i]) {
			t.Fatalf("seed %d: move %d is %+v on one processor and %+v on two", o.Seed, i, first[i], second[i])
		}
	}
	o.Seed++
	if other, _ := search(2); reflect.DeepEqual(first, other) {
		t.Errorf("seeds %d and %d make the same moves", o.Seed-1, o.Seed)
	}
}
