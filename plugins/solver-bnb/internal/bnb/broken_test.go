package bnb

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// If bounding boxes of trees is interrupted, the region first of all, boxes stay open: no
// bound is below the largest value, and no individual is settled wrongly.
func TestBoundsBrokenOffSayNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 21))
	goals := []problem.Goal{problem.Decide, problem.Maximise, problem.Minimise, problem.MaxK, problem.Quantify}
	open, found := 0, 0
	for i := range tier.Count(24, 200) {
		q := latticeOf(r, []fairness.Notion{fairness.Score, fairness.Logit}[i/2%2], 3)
		q.Space.Features[0].Hi = 5
		if q.Goal = goals[i%len(goals)]; q.Goal == problem.MaxK {
			q.Notion = fairness.Score
		}
		e := known.Trees(r, q.Space)
		for range 3 {
			e.Trees = append(e.Trees, known.Trees(r, q.Space).Trees...)
		}
		q.Model = e
		tr, err := newSearch(q, 1, 1+i%2)
		if err != nil {
			t.Fatal(err)
		}
		fair, unfair := 0.0, 0.0
		least, most := math.Inf(1), math.Inf(-1)
		logitsIn(tr, tr.Grid.Whole(), func(_ []float64, logits []*big.Rat) {
			value, _ := q.Notion.Gap(logits)
			if q.Goal == problem.MaxK {
				value = float64(q.Model.Link().KBins(logits, q.Epsilon))
			}
			if least, most = min(least, value), max(most, value); q.Notion.Violates(logits, q.Epsilon) {
				unfair++
			} else {
				fair++
			}
		})
		off := func() {
			for i := range tr.workers {
				tr.worker(i).ensemble.Broken = true
			}
		}
		from, rounds := i/len(goals)%4, 0
		if from == 0 {
			off()
		}
		end := tr.Run(t.Context(), Limits{Done: func() bool {
			if rounds++; rounds == from {
				off()
			}
			return rounds > from+2
		}})
		if from == 0 && tr.Best == nil && (end == Complete || tr.Size() == 0 || tr.Share() != 0) {
			t.Errorf("question %d, %s: the end %d with %d boxes left and a share of %v, where the region was not bounded", i, q.Goal, end, tr.Size(), tr.Share())
		}
		if from == 0 {
			var rest []Piece
			if tr.Rest(func(p Piece) { rest = append(rest, p) }); len(tr.dives.parts) == 0 && (len(rest) != 1 || !slices.Equal(rest[0].Box, tr.Grid.Whole())) {
				t.Errorf("question %d, %s: what is left of the region, which was not bounded, is %v", i, q.Goal, rest)
			}
		}
		if end == Enough && rounds > from {
			open++
		}
		if tr.Best != nil {
			found++
		}
		switch bound := tr.Bound(); q.Goal {
		case problem.Decide:
			if end == Complete && unfair > 0 {
				t.Errorf("question %d: nobody is left, and %v violate", i, unfair)
			}
		case problem.Quantify:
			if tr.Fair.Float() > fair || tr.Unfair.Float() > unfair {
				t.Errorf("question %d: %v fair and %v not, and there are %v and %v", i, tr.Fair.Float(), tr.Unfair.Float(), fair, unfair)
			}
		case problem.Minimise:
			if bound > least+1e-9 {
				t.Errorf("question %d: at least %v, and the least is %v", i, bound, least)
			}
		default:
			if !(bound >= most-1e-9) {
				t.Errorf("question %d, %s: at most %v, and the largest is %v", i, q.Goal, bound, most)
			}
		}
	}
	if least := tier.Count(5, 15); open < least || found < least {
		t.Errorf("only %d questions were broken off, and %d had somebody found", open, found)
	}
}

// Parts that were about to become boxes when the time ended stay parts, except those that the
// incumbent found meanwhile prunes.
func TestPartsStayWhereTheirBoxesAreBrokenOff(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 21))
	stay := 0
	for i := range 20 {
		q := latticeOf(r, fairness.Score, 3)
		e := known.Trees(r, q.Space)
		for range 3 {
			e.Trees = append(e.Trees, known.Trees(r, q.Space).Trees...)
		}
		q.Model = e
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.setValues()
		tr.dives.start()
		var list []ensemble.Part
		for _, p := range tr.dives.parts {
			list = append(list, p.Part)
		}
		tr.dives.parts = nil
		tr.workers[0].ensemble.Broken = true
		tr.dives.enqueue(list)
		want := 0
		for _, p := range list {
			if tr.workers[0].ensemble.Most(p.Bounds) > tr.cutoff() {
				want++
			}
		}
		if stay += want; len(tr.dives.parts) != want || tr.queue.size != 0 {
			t.Errorf("forest %d: of %d parts %d are left, not %d, and %d boxes", i, len(list), len(tr.dives.parts), want, tr.queue.size)
		}
	}
	if stay < 20 {
		t.Errorf("only %d parts stayed", stay)
	}
}
