package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/space"
)

// TestExplained: scikit-learn's mutual_info_score over scipy's entropy of the attribute, less (2−1)(3−1)/2n of 12 rows.
func TestExplained(t *testing.T) {
	groups, own := []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, []int{0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1}
	const mutual, entropy = 0.11685812, 0.67919327
	if got, want := explained(groups, own), (mutual-2.0/24)/entropy; math.Abs(got-want) > 1e-7 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := explained(own, make([]int, 12)); got != 0 {
		t.Errorf("an attribute that is all alike is explained by %v", got)
	}
	if got := explained(own, own); got < 0.9 || got > 1 {
		t.Errorf("an attribute explains %v of itself", got)
	}
	// A feature drawn independently of the attribute says almost nothing about it, in any number of groups.
	r := rand.New(rand.NewPCG(1, 2))
	groups, own = make([]int, 2000), make([]int, 2000)
	for i := range groups {
		groups[i], own[i] = r.IntN(40), r.IntN(2)
	}
	if got := explained(groups, own); got > 0.01 {
		t.Errorf("chance explains %v", got)
	}
}

func TestGroupsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rows := make([][]float64, 1000)
	for i := range rows {
		rows[i] = []float64{r.NormFloat64(), float64(r.IntN(30)), float64(min(0, r.IntN(3)-1))}
	}
	for f, want := range []struct {
		of     *space.Feature
		groups int
	}{{&space.Feature{Kind: space.Real}, 10}, {&space.Feature{Kind: space.Categorical}, 30}, {&space.Feature{Kind: space.Integer}, 2}} {
		counts := map[int]int{}
		for _, g := range groupsOf(rows, f, want.of) {
			counts[g]++
		}
		if len(counts) != want.groups {
			t.Errorf("feature %d has %d groups, want %d", f, len(counts), want.groups)
		}
		for g, n := range counts {
			if f == 0 && (n < 90 || n > 110) {
				t.Errorf("group %d has %d of 1,000 rows", g, n)
			}
		}
	}
}
