package question

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// The constraints made of a condition hold just where the condition does.
func TestRequire(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "job", Kind: space.Categorical, Hi: 4, Categories: []string{"a", "b", "c", "d", "e"}},
		{Name: "group", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}},
		{Name: "town", Kind: space.Categorical, Hi: 2, Categories: []string{"x", "y", "z"}},
	}}
	rapid.Check(t, func(t *rapid.T) {
		set := func(name string, n int) []int {
			picked := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID[int]).Draw(t, name)
			var sorted []int
			for v := range n {
				for _, p := range picked {
					if p == v {
						sorted = append(sorted, v)
					}
				}
			}
			return sorted
		}
		where := space.Predicate{{Feature: 0, Set: set("jobs", 5)}, {Feature: 2, Set: set("towns", 3)}}
		region, rest, err := s.Cut(s.Whole(), where)
		if err != nil {
			t.Fatal(err)
		}
		cut := forbid(s, rest)
		if err := cut.Validate(); err != nil {
			t.Fatal(err)
		}
		for job := range 5 {
			for town := range 3 {
				x := []float64{float64(job), 0, float64(town)}
				inside := cut.RegionContains(region, x) && len(cut.Counterfactuals(region, x)) == 2
				if inside != where.Holds(x) {
					t.Fatalf("%v under %s: inside %v", x, where.Format(s), inside)
				}
			}
		}
	})
	if len(s.Forbidden) != 0 {
		t.Error("the study's own space was changed")
	}
}
