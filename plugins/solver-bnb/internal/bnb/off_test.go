package bnb

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// With any ideas switched off, the search ends, and its largest gap, largest k and shares are those of enumeration.
func TestSwitchedOffTheSearchIsRight(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(15, 57))
	for i := range tier.Count(45, 180) {
		copies := []int{2, 2, 3, 20}[i%4]
		q := latticeOf(r, []fairness.Notion{fairness.Score, fairness.Logit, fairness.Decision}[r.IntN(3)], copies)
		switch q.Goal = []problem.Goal{problem.Maximise, problem.Quantify, problem.MaxK}[i%3]; {
		case q.Goal == problem.MaxK:
			q.Notion = fairness.Score
		case q.Goal == problem.Maximise && q.Notion == fairness.Decision:
			q.Notion = fairness.Score
		}
		if r.IntN(4) == 0 {
			q.Model = known.Trees(r, q.Space)
		}
		with := eager()
		off, half := r.Uint32(), r.Uint32() // a quarter of the ideas
		with.Off = params.Off(off & half)
		if i < len(params.Names()) {
			with.Off = 1 << i
		}
		with.RestartAfter = int64(r.IntN(3))
		s, err := New(q, 1, 1+i%2, with)
		if err != nil {
			t.Fatal(err)
		}
		most, fair, unfair := math.Inf(-1), 0.0, 0.0
		logitsIn(s, s.Grid.Whole(), func(_ []float64, logits []*big.Rat) {
			switch {
			case len(logits) == 0:
				return
			case q.Goal == problem.MaxK:
				most = max(most, float64(q.Model.Link().KBins(logits, q.Epsilon)))
			case len(logits) > 1:
				_, v := q.Notion.Gap(logits)
				most = max(most, v)
			}
			if q.Notion.Violates(logits, q.Epsilon) {
				unfair++
			} else {
				fair++
			}
		})
		switch end := s.Run(t.Context(), Limits{}); {
		case end != Complete:
			t.Errorf("question %d, off %b: ended with %v", i, with.Off, end)
		case q.Goal == problem.Quantify && (s.Fair.Float() != fair || s.Unfair.Float() != unfair):
			t.Errorf("question %d, off %b: %v fair and %v not, want %v and %v", i, with.Off, s.Fair.Float(), s.Unfair.Float(), fair, unfair)
		case q.Goal != problem.Quantify && !math.IsInf(most, -1) && !(s.Bound() >= most-1e-9 && s.Bound() <= most+1e-6*max(1, most)+20*q.Notion.Slope()*s.Error):
			t.Errorf("question %d, off %b: %s at most %v, want %v", i, with.Off, q.Goal, s.Bound(), most)
		}
	}
}
