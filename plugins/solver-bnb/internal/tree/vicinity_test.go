package tree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

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
