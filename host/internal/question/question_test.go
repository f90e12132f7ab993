package question

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/problem"
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

// TestProtectedEach: attributes that have too many combinations together are asked about one at a time, or some of
// them; all at once is refused.
func TestProtectedEach(t *testing.T) {
	folder := t.TempDir()
	features, protected, weights := "", "", ""
	for i := range 14 {
		features += fmt.Sprintf("  f%d: {integer: 0..9}\n", i)
		protected += fmt.Sprintf("  f%d: all\n", i)
		weights += ", 0.5"
	}
	for name, text := range map[string]string{
		"study.yaml": "model: net.json\nfeatures:\n" + features + "protected:\n" + protected,
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
			"layers": [{"name": "out", "inputs": 14, "units": 1, "activation": "linear", "weights": [[` + weights[2:] + `]], "bias": [0]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		protected []string
		questions int // 0: refused
	}{{[]string{"each"}, 14}, {[]string{"f0", "f13"}, 1}, {nil, 0}, {[]string{"all"}, 0}, {[]string{"f0", "f1", "f2", "f3", "f4", "f5", "f6"}, 0}} {
		_, all, err := Queries(Spec{Study: folder, Scope: Scope{Protected: c.protected}}, problem.Decide, func(string, ...any) {})
		if len(all) != c.questions || (err == nil) != (c.questions > 0) || err != nil && !strings.Contains(err.Error(), "combinations of protected values") {
			t.Errorf("%v: %d questions, %v", c.protected, len(all), err)
		}
	}
}
