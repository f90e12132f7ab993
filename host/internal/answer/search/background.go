package search

import (
	"context"
	"slices"

	"github.com/hyfair/hyfair/sdk"
)

// firstSeed is the number of evaluations between asking for the first
// background seed and taking it.
const firstSeed = 1 << 17

// seeds asks the solver for individuals in the background of a fast run. A question asked
// after n evaluations concerns the first move of the next batch. Its answer is taken before
// the first batch after 2n + firstSeed evaluations, which waits for a late solver; then the
// next question is asked. So finds do not depend on the solver's speed, a run limited by time
// is a prefix of a longer one, and a slow solver delays an ever smaller part of it. The answer
// counts as a find of the run, and goes to the next move that asks for a seed; without an
// answer, such moves are TrialNoSeed.
type seeds struct {
	run     *run
	due     int64 // evaluations after which the question under way is answered
	asked   sdk.Move
	answers chan seeded // nil: no question is under way
	stop    context.CancelFunc
	ready   []float64 // an individual that no move has asked for yet
}

type seeded struct {
	x   []float64
	ok  bool
	err error
}

// turn is called before each batch with its first move. ended: ctx ended while
// it waited.
func (s *seeds) turn(ctx context.Context, m *sdk.Move) (ended bool) {
	if s.answers != nil && s.evaluations() >= s.due {
		select {
		case a := <-s.answers:
			s.take(a)
		case <-ctx.Done():
			return true
		}
	}
	if s.run.Seeder != nil && s.answers == nil && s.run.readable(m.Point) {
		s.question(ctx, m)
	}
	return false
}

func (s *seeds) evaluations() int64 { return s.run.result.Evaluations + s.run.own }

// question asks about the move's point.
func (s *seeds) question(ctx context.Context, m *sdk.Move) {
	s.due = 2*s.evaluations() + firstSeed
	s.asked = *m
	from := slices.Clone(m.Point)
	var asking context.Context
	if limit := s.run.SeedLimit; limit > 0 {
		asking, s.stop = s.run.Stream.Clock.Within(ctx, limit)
	} else {
		asking, s.stop = context.WithCancel(ctx)
	}
	answers := make(chan seeded, 1)
	seeder, seed := s.run.Seeder, mix(s.run.Seed, m.ID)
	go func() {
		x, ok, err := seeder.Seed(asking, from, seed)
		if asking.Err() != nil { // out of time: the solver is not lost
			err = nil
		}
		answers <- seeded{x, ok, err}
	}()
	s.answers = answers
}

// take accepts an answer if its evaluation confirms it.
func (s *seeds) take(a seeded) {
	s.answers = nil
	s.stop()
	r := s.run
	switch {
	case a.err != nil:
		r.result.SolverErr = r.fault(r.Solver, a.err)
		r.Seeder = nil
	case !a.ok:
		r.result.NoSeed++
	default:
		m := s.asked
		m.Kind = sdk.MoveSeedFrom
		if r.refuses(a.x) {
			r.result.Refused++
		} else if t, ok := r.evaluate(&m, a.x); ok && t.Violates {
			s.ready = t.Point
		} else {
			r.result.Spurious++
		}
	}
}

// trial answers a move that asks for a seed.
func (s *seeds) trial(m *sdk.Move) sdk.Trial {
	r := s.run
	t := sdk.Trial{ID: m.ID, Status: sdk.TrialNoSeed}
	switch {
	case !r.readable(m.Point):
		r.result.Outside++
		t.Status = sdk.TrialOutside
	case s.ready != nil:
		out, copies := r.assess(s.ready)
		t = r.evaluated(m.ID, s.ready, &out, copies)
		s.ready = nil
	case r.Seeder == nil:
		t.Status = sdk.TrialNoSolver
	}
	return t
}

// close cancels the question under way and waits for the solver to return.
func (s *seeds) close() {
	if s.answers != nil {
		s.stop()
		<-s.answers
	}
}
