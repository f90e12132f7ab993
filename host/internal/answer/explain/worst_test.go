package explain

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/evaluate"
)

// Pick returns different individuals with the largest k; the second is at the largest
// distance from the first.
func TestPick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		points, ks, _ := somePoints(t, s, 1)
		w := &Worst{}
		most := 0.0
		worst := map[string]bool{}
		for i, x := range points {
			w.Add(x, evaluate.Outcome{K: int(ks[i]), Shannon: ks[i] + x[0]})
			most = max(most, ks[i])
		}
		for i, x := range points {
			if ks[i] == most {
				worst[fmt.Sprint(x)] = true
			}
		}
		picked := w.Pick(s, 3)
		if w.K != int(most) || len(picked) != min(3, len(worst)) {
			t.Fatalf("k %d, %d people; want %v and %d", w.K, len(picked), most, min(3, len(worst)))
		}
		for _, x := range picked {
			if !worst[fmt.Sprint(x)] {
				t.Fatalf("%v is none of the worst", x)
			}
			delete(worst, fmt.Sprint(x)) // each once
		}
		if len(picked) < 2 {
			return
		}
		for i, x := range points {
			if ks[i] == most && gower(s, x, picked[0]) > gower(s, picked[1], picked[0])+1e-12 {
				t.Fatalf("%v is farther from %v than %v is", x, picked[0], picked[1])
			}
		}
	})
}
