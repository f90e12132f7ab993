package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// The settled share begins at 0, stays a share, and is 1 where nothing is left, whatever is
// asked.
func TestSettledShare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 18))
	for _, goal := range []problem.Goal{problem.Decide, problem.Maximise, problem.MaxK, problem.Quantify} {
		for range 20 {
			q := latticeOf(r, fairness.Score, 3)
			q.Goal = goal
			tr, err := New(q, 1, 2)
			if err != nil {
				t.Fatal(err)
			}
			if share := tr.Share(); share != 0 {
				t.Errorf("%s: %v before the first box", goal, share)
			}
			end := tr.Run(t.Context(), Limits{Done: func() bool {
				if share := tr.Share(); !(share >= 0 && share <= 1) {
					t.Errorf("%s: a share of %v", goal, share)
				}
				return false
			}})
			if share := tr.Share(); end == Complete && tr.Stuck == 0 && share < 1-1e-9 {
				t.Errorf("%s: %v in the end", goal, share)
			}
		}
	}
}
