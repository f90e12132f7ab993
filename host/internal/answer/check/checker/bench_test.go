package checker

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// BenchmarkLogit computes one enclosure, of one protected combination over one box of the
// loan network: with the reference prover's slopes, and with the checker's own.
func BenchmarkLogit(b *testing.B) {
	loan, err := study.Load("../../../../../studies/loan", study.Options{})
	if err != nil {
		b.Fatal(err)
	}
	st := &certificate.Statement{
		Network: loan.Model.(*relu.Network), Space: loan.Space, Notion: fairness.Score, Epsilon: loan.Epsilon,
		Claim: certificate.Claim{Kind: certificate.Fair},
	}
	s, err := newSubject(st)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	box := randomBox(r, st)
	for i := range box { // about the size of a closed leaf
		box[i].Hi = min(box[i].Hi, box[i].Lo+3)
	}
	_, slopes := bounds(st, box, s.reach.combinations[7])
	e := &encloser{subject: s}
	for name, given := range map[string][]sdk.Slope{"given": slopes, "own": nil} {
		b.Run(name, func(b *testing.B) {
			e.at(box)
			b.ReportAllocs()
			for b.Loop() {
				e.logit(s.reach.combinations[7], given)
			}
			b.ReportMetric(float64(len(slopes)), "relaxed")
		})
	}
}
