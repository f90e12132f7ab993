package tree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/sdktest/tier"
)

func init() { withoutMore = 0 }

// Boxes around an individual hold it, each within the one before, until nobody else is left, and any part of a dimension's
// cells may be what is left.
func TestVicinitiesHoldTheirIndividual(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 55))
	for range 2000 {
		var whole, at grid.Box
		for range 1 + r.IntN(4) {
			cells := 1 + r.Uint64N(9)
			if r.IntN(8) == 0 {
				cells = 1 << 40
			}
			cell := r.Uint64N(cells)
			whole, at = append(whole, 0, cells-1), append(at, cell, cell)
		}
		v := vicinity{at, rand.New(rand.NewPCG(r.Uint64(), 0))}
		for box := slices.Clone(whole); !slices.Equal(box, at); {
			before := slices.Clone(box)
			v.halve(box)
			smaller := false
			for d := 0; d < len(box); d += 2 {
				if box[d] < before[d] || box[d+1] > before[d+1] || at[d] < box[d] || at[d] > box[d+1] {
					t.Fatalf("around %v, %v became %v", at, before, box)
				}
				smaller = smaller || box[d+1]-box[d] < before[d+1]-before[d]
			}
			if !smaller {
				t.Fatalf("around %v, %v stayed", at, before)
			}
		}
	}
	firsts := map[uint64]bool{}
	v := vicinity{grid.Box{4, 4}, r}
	for range 200 {
		box := grid.Box{0, 8}
		v.halve(box)
		firsts[box[0]] = true
	}
	if len(firsts) != 5 {
		t.Errorf("of nine cells, the five around the one in the middle began at %v only", firsts)
	}
}

// The largest gap is found and bounded as it is without, with one thread as with two.
func TestVicinitiesKeepTheLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 55))
	looked := 0
	for i := range tier.Count(60, 600) {
		q := latticeOf(r, fairness.Score, 2+r.IntN(4))
		var boxes [2]int64
		for threads := range boxes {
			tr, err := New(q, 1, 1+threads)
			if err != nil {
				t.Fatal(err)
			}
			tr.CasesAfter = 0
			if end := tr.Run(t.Context(), Limits{}); end != Complete {
				t.Fatalf("question %d ended with %v", i, end)
			}
			largest := 0.0
			for _, gap := range gapsOf(tr, tr.grid.Whole()) {
				largest = max(largest, gap)
			}
			if tr.Best == nil || tr.Best.Value < largest-1e-9 || tr.Best.Value > largest+1e-9 || tr.Bound() < largest-1e-12 {
				t.Fatalf("question %d: %+v is the best, %v the bound, %v the largest gap", i, tr.Best, tr.Bound(), largest)
			}
			if boxes[threads] = tr.Boxes; tr.around > 0 {
				looked++
			}
		}
		if boxes[0] != boxes[1] {
			t.Errorf("question %d: %d boxes with one thread, %d with two", i, boxes[0], boxes[1])
		}
	}
	if looked < 10 {
		t.Errorf("linear programs were solved around somebody in %d searches", looked)
	}
}
