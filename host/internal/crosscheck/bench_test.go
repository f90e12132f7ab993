package crosscheck

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// BenchmarkEvaluate counts individuals a second on one core: all K scores, the
// gap and k, exact. Every second individual is a row of the study's data, the
// others are drawn evenly from the space. The fastest pass over all of them
// counts, since other work on the machine can only slow it down. Needs the public
// data, but for the loan network.
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
			data, err := st.Data()
			if err != nil {
				b.Fatal(err)
			}
			e, err := evaluate.New(st.Model, st.Space, st.Space.Whole(), st.Epsilon)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 0xbe))
			xs := make([][]float64, 5000)
			for i := range xs {
				if i%2 == 1 {
					xs[i] = data.Points[rng.IntN(len(data.Points))]
					continue
				}
				xs[i] = make([]float64, len(st.Space.Features))
				for _, f := range st.Space.Free() {
					feature := &st.Space.Features[f]
					xs[i][f] = feature.Lo + float64(rng.IntN(int(feature.Hi-feature.Lo)+1))
				}
			}
			outs := make([]evaluate.Outcome, len(xs))
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			fastest := 0.0
			for b.Loop() {
				pass := time.Now()
				e.EvaluateAll(xs, outs)
				fastest = max(fastest, float64(len(xs))/time.Since(pass).Seconds())
			}
			b.ReportMetric(fastest, "individuals/s")
		})
	}
}
