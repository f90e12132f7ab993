package native

import (
	"math"
	"testing"
)

func TestHandles(t *testing.T) {
	var h Handles[*string]
	a, b := "a", "b"
	first, second := h.Add(&a), h.Add(&b)
	if first == 0 || second == 0 || first == second || h.Get(first) != &a || h.Get(second) != &b {
		t.Errorf("%d holds %v, %d holds %v", first, h.Get(first), second, h.Get(second))
	}
	h.Remove(first)
	if third := h.Add(&a); h.Get(first) != nil || h.Get(0) != nil || third == first || h.Get(second) != &b {
		t.Errorf("after its removal %d holds %v; a number is used again: %v", first, h.Get(first), third == first)
	}
}

func TestFoldSeed(t *testing.T) {
	for _, s := range []int64{0, 1, 42, math.MaxInt32} {
		if got := FoldSeed(s); int64(got) != s {
			t.Errorf("seed %d becomes %d", s, got)
		}
	}
	seen := map[int32]int64{}
	for _, s := range []int64{-1, -2, math.MinInt64, math.MaxInt64, math.MaxInt32 + 1, math.MaxInt32 + 2} {
		got := FoldSeed(s)
		if got < 0 {
			t.Errorf("seed %d becomes %d", s, got)
		}
		if was, twice := seen[got]; twice {
			t.Errorf("seeds %d and %d both become %d", s, was, got)
		}
		seen[got] = s
	}
}
