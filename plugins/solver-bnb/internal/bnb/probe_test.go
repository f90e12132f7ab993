package bnb

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Wherever a search ends, no gap exceeds its bound, and probes lower the bound below that of the open
// nodes.
func TestProbesBoundTheLargest(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(10, 55))
	nearer := 0
	for i := range tier.Count(45, 225) {
		tr, err := newSearch(latticeOf(r, fairness.Score, 2+r.IntN(4)), 1, 1+r.IntN(2))
		if err != nil {
			t.Fatal(err)
		}
		tr.Params.RestartAfter = 0
		tr.Run(t.Context(), Limits{Nodes: 1 + int64(r.IntN(60))})
		for x, gap := range gapsOf(tr, tr.Grid.Whole()) {
			if gap > tr.Bound()+1e-12 {
				t.Fatalf("question %d: %v has the gap %v, above the bound %v", i, x, gap, tr.Bound())
			}
		}
		if tr.queue.size > 0 && tr.earlier.bound < tr.open(tr.values, tr.Binned) {
			nearer++
		}
	}
	if nearer < tier.Count(3, 10) {
		t.Errorf("probes told more than leaves in %d searches", nearer)
	}
}
