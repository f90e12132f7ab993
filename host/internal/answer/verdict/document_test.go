package verdict

import (
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// What is not known is said in words: that any two scores are at most 1 apart is no bound.
func TestBoundInWords(t *testing.T) {
	gap, one, below := 0.25, 1.0, 0.75
	for _, c := range []struct {
		notion     fairness.Notion
		gap, bound *float64
		want       string
	}{
		{fairness.Score, nil, &one, "largest score gap: none is known, and no bound (not closed: time limit)"},
		{fairness.Score, &gap, &one, "largest score gap: best known 0.25, and no bound (not closed: time limit)"},
		{fairness.Score, nil, &below, "largest score gap: none is known, bound 0.75 (not closed: time limit)"},
		{fairness.Logit, nil, &one, "largest logit gap: none is known, bound 1 (not closed: time limit)"},
	} {
		r := &Result{Verdict: certify.Undecided.String(), Reason: "time limit", Bound: c.bound, Gap: c.gap}
		r.Notion = c.notion.String()
		if got := r.bound(c.notion.Quantity()); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
