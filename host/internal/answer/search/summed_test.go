package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Individuals without their own events are summed up: the measures equal those of all events.
func TestSummed(t *testing.T) {
	var all, kept []record.Event
	most, found := 0, 0
	s := Summed{Keep: func(f *record.Found) bool {
		better := f.K > most
		most = max(most, f.K)
		return better
	}, Next: func(e record.Event) { kept = append(kept, e) }}
	for i := range 100 {
		e := record.Event{Kind: record.KindFound, Seconds: float64(i), Found: &record.Found{X: []float64{float64(i)}, K: 2 + (i*7)%11, Gap: 0.5, Shannon: 0.25, MinEntropy: 0.5}}
		if i%10 == 9 {
			e = record.Event{Kind: record.KindProgress, Seconds: float64(i), Progress: &record.Progress{Iter: int64(i)}}
		}
		all = append(all, e)
		s.Add(e)
	}
	end := record.Event{Kind: record.KindFinished, Seconds: 100, Finished: &record.Finished{Iter: 100}}
	all = append(all, end)
	s.Add(end)
	tallied := int64(0)
	for _, e := range kept {
		if e.Kind == record.KindFound {
			found++
		}
		if e.Kind == record.KindTally {
			for _, n := range e.Tally.K {
				tallied += n
			}
		}
	}
	if found < 2 || found > 10 || int64(found)+tallied != 90 {
		t.Errorf("%d found, %d summed up", found, tallied)
	}
	if d := cmp.Diff(Measure(all), Measure(kept)); d != "" {
		t.Error(d)
	}
}
