package certify

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// A trivial bound, such as 1 for scores, is reported as no bound known.
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
		r := &Result{Verdict: engine.Undecided.String(), Reason: "time limit", Bound: c.bound, Gap: c.gap}
		r.Notion = c.notion.String()
		if got := r.bound(c.notion.Quantity()); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A gap above ε reads as above ε, however close. Shares in the first bin are one outcome even
// with such a gap.
func TestViolationInWords(t *testing.T) {
	for _, c := range []struct {
		notion  fairness.Notion
		gap     float64
		k       int
		verdict engine.Verdict
		want    string
		relax   []string
	}{
		{fairness.Score, 0.9, 1, engine.Unfair, "UNFAIR: score gap 0.9, replayed in exact arithmetic", []string{"income=1"}},
		{fairness.Share, float64(float32(0.05)), 1, engine.Unfair, "UNFAIR: score gap 0.050000001, replayed in exact arithmetic; this person's counterfactuals get one outcome (k = 1): " +
			"their scores are in the first bin, which is wider than ε by 2⁻²⁴", nil},
		{fairness.Score, 0.05000000000000001, 2, engine.Unfair, "UNFAIR: score gap 0.05000000000000001, replayed in exact arithmetic; this person's counterfactuals get 2 different outcomes (k = 2)", nil},
		{fairness.Score, 0.940249123, 20, engine.Unfair, "UNFAIR: score gap 0.940249, replayed in exact arithmetic; this person's counterfactuals get 20 different outcomes (k = 20)", nil},
		{fairness.Decision, 0.00012345678, 0, engine.Unfair, "UNFAIR: margin 0.000123457, replayed in exact arithmetic", nil},
		{fairness.Score, 0.049999999999, 0, engine.Fair, "FAIR, grade exact", nil},
	} {
		r := &Result{Verdict: c.verdict.String(), Gap: &c.gap, K: c.k, Grade: "exact"}
		r.Epsilon, r.Notion, r.Relax = "0.05", c.notion.String(), c.relax
		if got := strings.Join(r.Conclusion(), "|"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
