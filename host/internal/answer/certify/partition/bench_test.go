package partition_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// BenchmarkParts decides 256 parts of a random network of the public networks'
// kind (eight inputs, layers of 16 and 8), without a solver.
func BenchmarkParts(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	s := &space.Space{}
	for i := range 8 {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Hi: 15, Inputs: []space.Input{{Index: i, Scale: 0.125}}}
		if i == 7 {
			f.Hi, f.Protected = 1, []float64{0, 1}
		}
		s.Features = append(s.Features, f)
		s.Inputs++
	}
	layer := func(in, out int, rectified bool) relu.Layer {
		l := relu.Layer{In: in, Out: out, ReLU: rectified, Bias: make([]float64, out)}
		for range in * out {
			l.Weights = append(l.Weights, r.NormFloat64()/2)
		}
		return l
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{layer(8, 16, true), layer(16, 8, true), layer(8, 1, false)}}
	chunks, err := partition.ParseChunks(s, "a=4,b=4,c=4,d=4")
	if err != nil {
		b.Fatal(err)
	}
	for _, notion := range fairness.Notions {
		b.Run(notion.String(), func(b *testing.B) {
			q := &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: notion, Goal: problem.Decide}
			switch notion {
			case fairness.Score:
				q.Epsilon = big.NewRat(1, 2)
			case fairness.Logit:
				q.Epsilon = big.NewRat(8, 1)
			}
			decided := 0
			for b.Loop() {
				rep, err := partition.Run(b.Context(), q, partition.Options{Chunks: chunks, All: true, Seed: 1})
				if err != nil {
					b.Fatal(err)
				}
				decided = rep.Fair + rep.Unfair
			}
			b.ReportMetric(float64(decided), "decided")
		})
	}
}
