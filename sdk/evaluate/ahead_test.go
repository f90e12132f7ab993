package evaluate_test

import (
	"sync/atomic"
	"testing"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// batched counts the points that it prepares.
type batched struct {
	*relu.Network
	all, most atomic.Int64
}

func (b *batched) Ahead(inputs [][]float64) {
	n := int64(len(inputs))
	b.all.Add(n)
	for most := b.most.Load(); n > most && !b.most.CompareAndSwap(most, n); most = b.most.Load() {
	}
}

// Every counterfactual is prepared, and never more than 4096 at a time, however many an individual has.
func TestBatchesAreBounded(t *testing.T) {
	for _, copies := range []int{3, 10_000} {
		n, s := line(make([]float64, copies)...)
		m := &batched{Network: n}
		e, err := evaluate.New(m, s, space.Region{}, twentieth)
		if err != nil {
			t.Fatal(err)
		}
		xs := make([][]float64, 50)
		for i := range xs {
			xs[i] = []float64{float64(i) / 10, 0}
		}
		if e.Prepare(xs); m.all.Load() != int64(50*copies) || m.most.Load() > 4096 {
			t.Errorf("%d copies: %d points, %d at a time", copies, m.all.Load(), m.most.Load())
		}
	}
}
