package asked

import (
	"maps"
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Runs of questions about other decisions are not taken for the same.
func TestSettingsNameTheThreshold(t *testing.T) {
	of := func(n fairness.Notion, threshold *big.Rat) map[string]string {
		return Settings(&study.Study{Rule: fairness.Rule{Threshold: threshold}}, &problem.Query{Space: &space.Space{}, Notion: n})
	}
	for n, differ := range map[fairness.Notion]bool{fairness.Decision: true, fairness.Score: false} {
		if got := !maps.Equal(of(n, nil), of(n, big.NewRat(3, 10))); got != differ {
			t.Errorf("%s: settings at two thresholds differ: %v", n, got)
		}
		if !maps.Equal(of(n, nil), of(n, big.NewRat(1, 2))) {
			t.Errorf("%s: settings at one half differ from those of old runs", n)
		}
	}
}
