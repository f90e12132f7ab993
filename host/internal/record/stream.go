package record

import "github.com/hyfair/hyfair/host/internal/system/clock"

// Stream is the events of one run on their way to a journal: it numbers and
// times them. Not safe for concurrent use.
type Stream struct {
	// Run is the run's name, Clock what its events are timed by.
	Run   string
	Clock *clock.Clock
	// Sinks are called in turn with each event.
	Sinks []func(Event)
	seq   int64
}

// Emit completes the event with run, number and time, hands it on, and returns
// it.
func (s *Stream) Emit(e Event) Event {
	e.Run, e.Seq, e.Seconds = s.Run, s.seq, s.Clock.Elapsed().Seconds()
	s.seq++
	for _, sink := range s.Sinks {
		sink(e)
	}
	return e
}
