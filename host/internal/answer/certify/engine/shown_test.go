package engine

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// A bound above 1 on a gap of scores is hidden; other bounds are shown unchanged.
func TestShownBound(t *testing.T) {
	for _, c := range []struct {
		notion      fairness.Notion
		goal        problem.Goal
		bound, want float64
	}{
		{fairness.Share, problem.Maximise, 1.7, 1},
		{fairness.Score, problem.Maximise, 0.7, 0.7},
		{fairness.Logit, problem.Maximise, 1.7, 1.7},
		{fairness.Score, problem.MaxK, 20, 20},
	} {
		if got := shown(&problem.Query{Goal: c.goal, Notion: c.notion}, sdk.Progress{Bound: c.bound, HasBound: true}).Bound; got != c.want {
			t.Errorf("%s, %s: %v of %v, want %v", c.notion, c.goal, got, c.bound, c.want)
		}
	}
}
