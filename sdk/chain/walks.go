package chain

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/sdk"
)

// Walk is one of several parallel searches of a strategy that evaluates by itself.
type Walk interface {
	// Step moves to the next individual and returns it; nil if the walk has ended.
	Step() []float64
	// Refuse undoes the step to x, which the host has refused.
	Refuse(x []float64)
	// Evaluations counts the individuals that the walk has evaluated.
	Evaluations() int64
}

// Walks is an sdk.Session with Lag 0 that also implements sdk.Evaluating. A round is one
// step of each walk, on a goroutine per processor. Walks may exchange results between rounds
// only, so that the moves do not depend on the number of goroutines.
//
// It learns from trials only which individuals are refused, and keeps them in Refused.
type Walks[W Walk] struct {
	All []W
	// Refused holds the individuals that the host has refused, by Key. Steps may read
	// it. The creator sets it to a map.
	Refused map[string]bool
	// Before, if not nil, is called before each round with the number of moves wanted.
	Before func(want int)
	// After, if not nil, is called after each round, once per walk in order, with the
	// individual that it moved to, and returns further individuals to propose.
	After func(walk int, step []float64) [][]float64

	queue  []sdk.Move // moves made and not yet handed over
	flying []sdk.Move // moves handed over, waiting for their trials
	id     int64
	round  int64
}

// maxRefused bounds the number of refused individuals; above it the set is cleared.
const maxRefused = 1 << 16

// Next returns the individuals of a round. If fewer are wanted than there are walks, a round
// takes several calls.
func (s *Walks[W]) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if want < 1 {
		return nil, fmt.Errorf("asked for %d moves; the least is 1", want)
	}
	if err := s.learn(told); err != nil {
		return nil, err
	}
	if len(s.queue) == 0 {
		s.advance(want)
		if len(s.queue) == 0 {
			return nil, io.EOF
		}
	}
	s.flying = s.queue[:min(want, len(s.queue))]
	s.queue = s.queue[len(s.flying):]
	return s.flying, nil
}

// learn records the individuals that the host refused, and undoes the steps to them. The
// trials must be those of the moves in flight, in the order of the moves.
func (s *Walks[W]) learn(told []sdk.Trial) error {
	if len(told) != len(s.flying) {
		return fmt.Errorf("got %d trials; this strategy (lag 0) waits for the trials of %d moves", len(told), len(s.flying))
	}
	for i := range told {
		m := &s.flying[i]
		if told[i].ID != m.ID {
			return fmt.Errorf("got the trial of move %d in place of move %d", told[i].ID, m.ID)
		}
		if told[i].Status == sdk.TrialEvaluated {
			continue
		}
		if len(s.Refused) >= maxRefused {
			clear(s.Refused)
		}
		s.Refused[Key(m.Point)] = true
		s.All[m.Chain].Refuse(m.Point)
	}
	return nil
}

// advance makes a step of every walk, in parallel, and queues the moves in the order of the
// walks.
func (s *Walks[W]) advance(want int) {
	if s.Before != nil {
		s.Before(want)
	}
	steps := make([][]float64, len(s.All))
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(s.All)); i = next.Add(1) - 1 {
			steps[i] = s.All[i].Step()
		}
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.All)) {
		wait.Go(work)
	}
	wait.Wait()
	s.queue = make([]sdk.Move, 0, len(s.All))
	for i, x := range steps {
		var others [][]float64
		if s.After != nil {
			others = s.After(i, x)
		}
		if x != nil {
			s.propose(i, x)
		}
		for _, x := range others {
			s.propose(i, x)
		}
	}
	s.round++
}

func (s *Walks[W]) propose(walk int, x []float64) {
	s.id++
	s.queue = append(s.queue, sdk.Move{ID: s.id, Round: s.round, Chain: walk, Kind: sdk.MovePoint, Point: x})
}

// Evaluations counts the individuals evaluated by all walks.
func (s *Walks[W]) Evaluations() (n int64) {
	for _, w := range s.All {
		n += w.Evaluations()
	}
	return n
}

// Close releases nothing; it is there for sdk.Session.
func (s *Walks[W]) Close() error { return nil }
