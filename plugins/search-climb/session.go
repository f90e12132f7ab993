package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/sdk"
)

// session is an sdk.Session with Lag 0 that also implements sdk.Evaluating. All
// climbs take a step together, on as many goroutines as there are processors;
// what one finds the others learn after the step, so that the moves do not
// depend on how many those are. A round is a step.
//
// Of the trials only the individuals that the host does not want are of
// interest: the climb goes back, and nobody goes there again.
type session struct {
	terrain *terrain
	climbs  []*climb
	steps   [][]float64 // of the last round, one a climb

	queue  []sdk.Move // moves made and not yet handed over
	flying []sdk.Move // moves handed over whose trials are to come
	id     int64
	round  int64
}

// maxRefused bounds the memory of refused individuals; beyond it, it begins
// anew.
const maxRefused = 1 << 16

func newSession(t *terrain, seed int64) *session {
	s := &session{terrain: t, steps: make([][]float64, t.climbs)}
	for i := range t.climbs {
		// The constant is the golden ratio's, arbitrary; i tells the climbs apart.
		s.climbs = append(s.climbs, newClimb(t, rand.New(rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15+uint64(i)))))
	}
	return s
}

// Next hands over the individuals of a round; where fewer are wanted than there
// are climbs, it takes several calls.
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
		s.advance(want)
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
		s.climbs[m.Chain].refuse(m.Point)
	}
	return nil
}

// advance lets every climb take a step. Where there is room for more moves than
// steps, what the climbs came across that is as good as the best top goes along.
func (s *session) advance(want int) {
	t := s.terrain
	t.surplus, t.bar = 0, 0
	if len(t.summits) > 0 {
		t.surplus, t.bar = want/len(s.climbs)-1, t.summits[0].k
	}
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(s.climbs)); i = next.Add(1) - 1 {
			s.steps[i] = s.climbs[i].step()
		}
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.climbs)) {
		wait.Go(work)
	}
	wait.Wait()
	s.queue = make([]sdk.Move, 0, len(s.climbs))
	for i, c := range s.climbs {
		if !c.reached.nowhere() {
			t.summits.offer(c.reached)
		}
		if s.steps[i] != nil {
			t.known.add(key(s.steps[i]))
			s.propose(i, s.steps[i])
		}
		for _, x := range c.others {
			if t.known.add(key(x)) {
				s.propose(i, x)
			}
		}
	}
	s.round++
}

func (s *session) propose(climb int, x []float64) {
	s.id++
	s.queue = append(s.queue, sdk.Move{ID: s.id, Round: s.round, Chain: climb, Kind: sdk.MovePoint, Point: x})
}

// Evaluations counts the individuals evaluated by all climbs.
func (s *session) Evaluations() (n int64) {
	for _, c := range s.climbs {
		n += c.evaluations
	}
	return n
}

// Close releases nothing; it is there for sdk.Session.
func (s *session) Close() error { return nil }

// key is an individual with protected entries zero, as a map key.
func key(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}
