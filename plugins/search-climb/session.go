package main

import "github.com/hyfair/hyfair/sdk/chain"

// session holds all climbs. After a step, the climbs share what each of them found.
type session struct {
	chain.Walks[*climb]
	terrain *terrain
}

func newSession(t *terrain, seed int64) *session {
	s := &session{terrain: t}
	for i := range t.climbs {
		s.All = append(s.All, newClimb(t, chain.Random(seed, i)))
	}
	s.Refused, s.Before, s.After = t.refused, s.prepare, s.gather
	return s
}

// prepare sets how many further individuals each climb may hand over, if the host asks
// for more than one move per climb: individuals that it evaluates and that have at
// least the k of the best local optimum.
func (s *session) prepare(want int) {
	t := s.terrain
	t.surplus, t.bar = 0, 0
	if len(t.optima) > 0 {
		t.surplus, t.bar = want/len(s.All)-1, t.optima[0].K
	}
}

// gather records what a climb found in its step, and returns the further individuals for
// the host.
func (s *session) gather(i int, step []float64) (others [][]float64) {
	c := s.All[i]
	if !c.reached.nowhere() {
		s.terrain.optima.offer(c.reached)
	}
	if step != nil {
		s.terrain.known.Add(chain.Key(step))
	}
	for _, x := range c.others {
		if s.terrain.known.Add(chain.Key(x)) {
			others = append(others, x)
		}
	}
	return others
}
