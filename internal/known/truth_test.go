package known

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Without relaxations, Pairs and NearPairs find what Enumerate finds.
func TestPairs(t *testing.T) {
	tier.NeedUsual(t)
	for seed := range uint64(20) {
		q := Small(rand.New(rand.NewPCG(seed, 1)))
		truth := Enumerate(q)
		most, some := Pairs(q)
		if some != truth.Some || some && most.Cmp(truth.Margin) != 0 {
			t.Errorf("seed %d, %s: %v, %v; individuals have %v, %v", seed, q.Notion, most, some, truth.Margin, truth.Some)
		}
		q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 2}}
		most, some = Pairs(q)
		want, near := math.Inf(-1), NearPairs(q)
		if some {
			want, _ = most.Float64()
		}
		if near != want && !(math.Abs(near-want) < 1e-9) {
			t.Errorf("seed %d, %s, relaxed: %v, nearly %v", seed, q.Notion, want, near)
		}
	}
}
