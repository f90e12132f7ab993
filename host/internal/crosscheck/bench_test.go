package crosscheck

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// BenchmarkEvaluate counts individuals a second on one core: all K scores, the
// gap and k, exact. Needs the public data, but for the loan network.
func BenchmarkEvaluate(b *testing.B) {
	for _, c := range []struct{ study, model string }{
		{"adult.yaml", "AC-1"}, {"adult.yaml", "AC-4"}, {"adult.yaml", "AC-7"}, {"adult.yaml", "AC-8"},
		{"bank.yaml", "BM-1"}, {"loan", ""},
	} {
		b.Run(c.study+"/"+c.model, func(b *testing.B) {
			o := study.Options{Model: c.model}
			if c.model != "" {
				o.DataRoot = dataRoot(b)
			}
			st, err := study.Load("../../../studies/"+c.study, o)
			if err != nil {
				b.Fatal(err)
			}
			e, err := evaluate.New(st.Network, st.Space, st.Space.Whole(), st.Epsilon)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			xs := make([][]float64, 2048)
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
