package search

import "github.com/hyfair/hyfair/host/internal/record"

// Summed passes a run's events on, and sums up individuals whose events are not kept. Their
// tally precedes the next progress or finished event, so that every measure comes out the
// same.
type Summed struct {
	// Keep decides whether an individual found keeps its event.
	Keep func(*record.Found) bool
	Next func(record.Event)

	pending record.Tally
}

// Add takes the next event.
func (s *Summed) Add(e record.Event) {
	switch e.Kind {
	case record.KindFound:
		if !s.Keep(e.Found) {
			s.pending.Add(e.Found.K, e.Found.Shannon, e.Found.MinEntropy)
			return
		}
	case record.KindProgress, record.KindFinished:
		if len(s.pending.K) > 0 {
			sum := s.pending
			s.pending = record.Tally{}
			s.Next(record.Event{Run: e.Run, Seconds: e.Seconds, Kind: record.KindTally, Tally: &sum})
		}
	}
	s.Next(e)
}
