package crosscheck

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// BenchmarkEvaluate counts individuals a second on one core: all K scores, the
// gap and k, exact. Needs the public data.
func BenchmarkEvaluate(b *testing.B) {
	for _, model := range []string{"AC-1", "AC-4", "AC-7", "AC-8"} {
		b.Run(model, func(b *testing.B) {
			st, err := study.Load("../../../studies/adult.yaml", study.Options{DataRoot: dataRoot(b), Model: model})
			if err != nil {
				b.Fatal(err)
			}
			e, err := evaluate.New(st.Network, st.Space, st.Space.Whole(), st.Epsilon)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			xs := make([][]float64, 256)
			for i := range xs {
				xs[i] = make([]float64, len(st.Space.Features))
				for _, f := range st.Space.Free() {
					feature := &st.Space.Features[f]
					xs[i][f] = feature.Lo + float64(rng.IntN(int(feature.Hi-feature.Lo)+1))
				}
			}
			b.ResetTimer()
			for i := range b.N {
				e.Evaluate(xs[i%len(xs)])
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "individuals/s")
		})
	}
}
