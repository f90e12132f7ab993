package record

import "github.com/hyfair/hyfair/host/internal/system/clock"

// Stream numbers and times the events of one run and passes them to sinks, such as a
// journal. Not safe for concurrent use.
type Stream struct {
	// Run is the run's name, Clock the clock of its events.
	Run   string
	Clock *clock.Clock
	// Sinks are called in turn with each event.
	Sinks []func(Event)
	seq   int64
}

// Emit completes the event with run, number and time, passes it on, and returns it.
func (s *Stream) Emit(e Event) Event {
	e.Run, e.Seq, e.Seconds = s.Run, s.seq, s.Clock.Elapsed().Seconds()
	s.seq++
	for _, sink := range s.Sinks {
		sink(e)
	}
	return e
}
