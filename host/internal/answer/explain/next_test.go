package explain

import (
	"strings"
	"testing"
)

// If no predicate passed, the result names a next command: a δ that some predicate passes,
// no δ if none of that size exists, or decisions if there are at most two outcomes.
func TestNextSteps(t *testing.T) {
	rejected := func(diff float64, n int) Predicate {
		return Predicate{Diff: diff, Inside: Mean{N: n}, Outside: Mean{N: n}, Rejected: "why"}
	}
	for name, c := range map[string]struct {
		r    Result
		want []string
	}{
		"smaller":   {Result{Sample: &Sample{KLeast: 1, KMost: 9}, Delta: 2, Rejected: []Predicate{rejected(1.239, 2000), rejected(5, 3)}}, []string{"--delta 1.23,"}},
		"too large": {Result{Sample: &Sample{KLeast: 1, KMost: 2}, Delta: 3, Rejected: []Predicate{rejected(0.3, 2000)}}, []string{"omit --delta, for a δ of 0.25", "--notion decision"}},
		"decisions": {Result{Sample: &Sample{KLeast: 1, KMost: 2}, Delta: 0.5, Notion: "decision", Rejected: []Predicate{rejected(0.3, 2000)}}, []string{"--delta 0.3,"}},
		"alike":     {Result{Sample: &Sample{KLeast: 2, KMost: 2}, Delta: 0}, []string{"--notion decision"}},
		"nobody":    {Result{}, nil},
	} {
		got := c.r.next()
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i, text := range c.want {
			if !strings.Contains(got[i], text) {
				t.Errorf("%s: %q does not say %q", name, got[i], text)
			}
		}
	}
}
