package evaluate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// adultLike is a space of the Adult study's shape: 13 integer inputs, three of
// them protected with 9·5·2 = 90 combinations.
func adultLike() *space.Space {
	s := &space.Space{Inputs: 13}
	for i, hi := range []float64{100, 6, 15, 16, 6, 13, 5, 4, 1, 19, 19, 100, 40} {
		s.Features = append(s.Features, space.Feature{
			Name: fmt.Sprintf("f%d", i), Kind: space.Integer, Hi: hi,
			Inputs: []space.Input{{Index: i, Scale: 1}},
		})
	}
	s.Features[0].Protected = []float64{15, 25, 35, 45, 55, 65, 75, 85, 95}
	s.Features[7].Protected = []float64{0, 1, 2, 3, 4}
	s.Features[8].Protected = []float64{0, 1}
	return s
}

// pairLike is the same with two combinations.
func pairLike() *space.Space {
	s := adultLike()
	s.Features[0].Protected, s.Features[7].Protected = nil, nil
	return s
}

// BenchmarkEvaluate reports individuals a second on random networks of the
// shapes of public ones. Their neurons change sign among the copies of a person
// far more often than trained ones': host/internal/crosscheck measures those.
func BenchmarkEvaluate(b *testing.B) {
	for _, c := range []struct {
		name   string
		s      *space.Space
		widths []int
	}{
		{"AC-1", adultLike(), []int{13, 16, 8}},
		{"AC-4", adultLike(), []int{13, 100, 100}},
		{"AC-7", adultLike(), []int{13, 64, 32, 16, 8, 4}},
		{"AC-8", adultLike(), []int{13, 5, 5}},
		{"BM-1", pairLike(), []int{13, 64, 16}},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		n := randomNetwork(r, relu.HeadSigmoid, 0.25, c.widths...)
		e := newEvaluator(b, n, c.s, twentieth)
		xs := make([][]float64, 2000)
		for i := range xs {
			xs[i] = randomIndividual(r, c.s)
		}
		outs := make([]evaluate.Outcome, len(xs))
		b.Run(c.name+"/one", func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				outs[0] = e.Evaluate(xs[i%len(xs)])
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "individuals/s")
		})
		b.Run(c.name+"/all", func(b *testing.B) {
			for b.Loop() {
				e.EvaluateAll(xs, outs)
			}
			b.ReportMetric(float64(b.N*len(xs))/b.Elapsed().Seconds(), "individuals/s")
		})
		for name, d := range map[string]evaluate.Detail{"scores": {Scores: true}, "bins": {Bins: true}} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					e.EvaluateCopies(xs, outs, d)
				}
				b.ReportMetric(float64(b.N*len(xs))/b.Elapsed().Seconds(), "individuals/s")
			})
		}
	}
}
