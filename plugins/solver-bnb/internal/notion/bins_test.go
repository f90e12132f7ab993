package notion

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// matched and apart return what augmenting paths and an exhaustive search find.
func TestRunsAreMatchedAndTakenApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		bins := []int{1, 3, 20, 64, 65, 200}[r.IntN(6)]
		room := Room{}
		for range 1 + r.IntN(9) {
			first := r.IntN(bins)
			room.runs = append(room.runs, run{int32(first), int32(min(bins-1, first+r.IntN(1+r.IntN(5))))})
		}
		if got, want := room.matched(bins), augmented(room.runs, bins); got != want {
			t.Fatalf("%d of %v matched with %d bins, want %d", got, room.runs, bins, want)
		}
		want := 0
		for chosen := range 1 << len(room.runs) {
			if n, ok := disjoint(room.runs, chosen); ok {
				want = max(want, n)
			}
		}
		if got := room.apart(bins); got != want {
			t.Fatalf("%d of %v are apart, want %d", got, room.runs, want)
		}
	})
}

// augmented returns the size of a largest matching by augmenting paths (Kuhn).
func augmented(runs []run, bins int) (n int) {
	owner := make([]int, bins)
	for j := range owner {
		owner[j] = -1
	}
	var seen []bool
	var place func(i int) bool
	place = func(i int) bool {
		for j := runs[i].first; j <= runs[i].last; j++ {
			if seen[j] {
				continue
			}
			seen[j] = true
			if owner[j] < 0 || place(owner[j]) {
				owner[j] = i
				return true
			}
		}
		return false
	}
	for i := range runs {
		seen = make([]bool, bins)
		if place(i) {
			n++
		}
	}
	return n
}

// disjoint reports whether the chosen runs are pairwise disjoint, and returns their
// number.
func disjoint(runs []run, chosen int) (n int, ok bool) {
	used := map[int32]bool{}
	for i, run := range runs {
		if chosen>>i&1 == 0 {
			continue
		}
		n++
		for j := run.first; j <= run.last; j++ {
			if used[j] {
				return 0, false
			}
			used[j] = true
		}
	}
	return n, true
}

// Short is 0 if every bin has a logit, and grows with the distance to empty ones.
func TestShortIsTheDistanceFromAllBins(t *testing.T) {
	b, err := NewBins(fairness.LinkSigmoid, big.NewRat(1, 4), nil) // edges −ln 3, 0, ln 3
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		logits []float64
		want   float64
	}{
		{[]float64{2, -0.5, -2, 0.5}, 0},
		{[]float64{2, -0.5, -2}, 0.5},
		{[]float64{2, -0.5, -2, 1.2}, math.Min(0.5, 1.2-math.Log(3))},
		{[]float64{-9, 9, 9, 9}, 3 + 3},
	} {
		if got := b.Short(&Room{}, c.logits, nil); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.logits, got, c.want)
		}
	}
	if got := b.Short(&Room{}, []float64{2, -0.5, -2, 0.5}, []bool{true, true, true, false}); got != 0.5 {
		t.Errorf("without the last: %v, want 0.5", got)
	}
}
