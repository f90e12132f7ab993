package bnb

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// The settled share begins at 0, stays between 0 and 1, and is 1 when no node is open, for
// any query.
func TestSettledShare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 18))
	for _, goal := range []problem.Goal{problem.Decide, problem.Maximise, problem.MaxK, problem.Quantify} {
		for range 20 {
			q := latticeOf(r, fairness.Score, 3)
			q.Goal = goal
			tr, err := newSearch(q, 1, 2)
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

// While dives have open parts, the settled share is 0: their parts overlap.
func TestSettledShareOfDives(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 18))
	open := 0
	for i := range 40 {
		q := latticeOf(r, fairness.Notions[i%len(fairness.Notions)], 3)
		q.Model, q.Goal = known.Trees(r, q.Space), problem.Maximise
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.Run(t.Context(), Limits{Nodes: 2})
		if len(tr.dives.parts) == 0 {
			continue
		}
		open++
		if share := tr.Share(); share != 0 {
			t.Errorf("question %d: %v with %d parts left", i, share, len(tr.dives.parts))
		}
	}
	if open < 5 {
		t.Errorf("%d of 40 had parts left", open)
	}
}
