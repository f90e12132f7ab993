package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model"
)

// session is an sdk.Session with Lag 0 that also implements sdk.Evaluating. All
// walks take a step together, on as many goroutines as there are processors;
// they share nothing that a step changes, so that the moves do not depend on
// how many those are. A round is a step.
//
// Of the trials only the individuals that the host does not want are of
// interest: nobody goes there again.
type session struct {
	terrain *terrain
	walks   []*walk
	steps   [][]float64 // of the last round, one a walk

	queue  []sdk.Move // moves made and not yet handed over
	flying []sdk.Move // moves handed over whose trials are to come
	id     int64
	round  int64
}

// maxRefused bounds the memory of refused individuals; beyond it, it begins
// anew.
const maxRefused = 1 << 16

func newSession(t *terrain, m model.Differentiable, seed int64, walks int) *session {
	s := &session{terrain: t, steps: make([][]float64, walks)}
	for i := range walks {
		s.walks = append(s.walks, &walk{
			terrain: t, gradient: m.Gradient(), seeded: i,
			// The constant is the golden ratio's, arbitrary; i tells the walks apart.
			rng:    rand.New(rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15+uint64(i))),
			inputs: make([]float64, m.Inputs()),
			slopes: make([]float64, m.Inputs()),
		})
	}
	return s
}

// Next hands over the individuals of a round; where fewer are wanted than there
// are walks, it takes several calls.
func (s *session) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
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
		s.advance()
		if len(s.queue) == 0 {
			return nil, io.EOF
		}
	}
	s.flying = s.queue[:min(want, len(s.queue))]
	s.queue = s.queue[len(s.flying):]
	return s.flying, nil
}

// learn takes the trials of the moves in flight.
func (s *session) learn(told []sdk.Trial) error {
	if len(told) != len(s.flying) {
		return fmt.Errorf("told of %d moves; this strategy (lag 0) waits for the trials of %d", len(told), len(s.flying))
	}
	for i := range told {
		m := &s.flying[i]
		if told[i].ID != m.ID {
			return fmt.Errorf("told of move %d in place of move %d", told[i].ID, m.ID)
		}
		if told[i].Status == sdk.TrialEvaluated {
			continue
		}
		if len(s.terrain.refused) >= maxRefused {
			clear(s.terrain.refused)
		}
		s.terrain.refused[key(m.Point)] = true
		s.walks[m.Chain].refuse(m.Point)
	}
	return nil
}

// advance lets every walk take a step.
func (s *session) advance() {
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(s.walks)); i = next.Add(1) - 1 {
			s.steps[i] = s.walks[i].step()
		}
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.walks)) {
		wait.Go(work)
	}
	wait.Wait()
	s.queue = make([]sdk.Move, 0, len(s.walks))
	for i := range s.walks {
		if s.steps[i] != nil {
			s.id++
			s.queue = append(s.queue, sdk.Move{ID: s.id, Round: s.round, Chain: i, Kind: sdk.MovePoint, Point: s.steps[i]})
		}
	}
	s.round++
}

// Evaluations counts the individuals evaluated by all walks.
func (s *session) Evaluations() (n int64) {
	for _, w := range s.walks {
		n += w.evaluations
	}
	return n
}

// Close releases nothing; it is there for sdk.Session.
func (s *session) Close() error { return nil }
