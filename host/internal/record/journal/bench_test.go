package journal

import (
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record"
)

// BenchmarkEmit is what an event costs, its way to the file included.
func BenchmarkEmit(b *testing.B) {
	j, err := Open(filepath.Join(b.TempDir(), "j.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	r, err := j.Begin(started(1))
	if err != nil {
		b.Fatal(err)
	}
	e := record.Event{Kind: record.KindFound, Found: &record.Found{X: make([]float64, 13), K: 9, Gap: 0.372}}
	for i := range e.Found.X {
		e.Found.X[i] = float64(17 * i)
	}
	for b.Loop() {
		if err := r.Emit(e); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Finish(record.Finished{}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkComplete is what a task costs that is over at once.
func BenchmarkComplete(b *testing.B) {
	j, err := Open(filepath.Join(b.TempDir(), "j.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	r, err := j.Begin(started(1))
	if err != nil {
		b.Fatal(err)
	}
	verdict := record.Event{Kind: record.KindVerdict, Verdict: &record.Verdict{Region: "age=30..39", Verdict: "fair", Grade: "exact", By: "bounds"}}
	key := make([]byte, 4)
	for i := 0; b.Loop(); i++ {
		key[0], key[1], key[2], key[3] = byte(i), byte(i>>8), byte(i>>16), byte(i>>24)
		if err := r.Complete(string(key), "fair", 0.1, verdict); err != nil {
			b.Fatal(err)
		}
	}
}
