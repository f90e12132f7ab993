package bnb

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/primal"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// annealing returns a search's annealing.
func annealing(s *Search) *primal.Annealing { return s.heuristics.escalated.(*primal.Annealing) }

// A chain from a random individual mostly ends at the largest gap among individuals that the query asks about, and
// never above it.
func TestChainsReachTheLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 55))
	questions, reached := tier.Count(20, 200), 0
	for i := range tier.Count(20, 200) {
		q := latticeOf(r, fairness.Score, 2+r.IntN(4))
		asked := func(x [3]float64) bool { return true }
		if r.IntN(2) == 0 {
			q.Require = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 2, Hi: 11}}}}
			q.Forbid = []space.Predicate{{{Feature: 1, Interval: space.Interval{Lo: 1, Hi: 2}}, {Feature: 2, Interval: space.Interval{Lo: 0, Hi: 4}}}}
			asked = func(x [3]float64) bool {
				return x[0] >= 2 && x[0] <= 11 && (x[1] < 1 || x[1] > 2 || x[2] > 4)
			}
		}
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := annealing(tr).Ready(); err != nil {
			t.Fatal(err)
		}
		largest, gaps := 0.0, gapsOf(tr, tr.Grid.Whole())
		for x, gap := range gaps {
			if asked(x) {
				largest = max(largest, gap)
			}
		}
		if r.IntN(3) == 0 { // the second largest gap is the answer then
			for x, gap := range gaps {
				if asked(x) && gap == largest {
					q.Exclude = append(q.Exclude, tr.Grid.Point(x[:]))
				}
			}
			top := largest
			largest = 0
			for x, gap := range gaps {
				if asked(x) && gap < top {
					largest = max(largest, gap)
				}
			}
		}
		if largest == 0 {
			questions--
			continue
		}
		w, c := tr.workers[0], annealing(tr).Start(tr.Params.Anneal.Hot, 5000, r)
		out := w.run(task{chain: c})
		if c.Gap > largest+1e-9 || c.Gap > 0 && (out.best == nil || math.Abs(out.best.Value-c.Gap) > 1e-9) {
			t.Fatalf("question %d: the largest gap is %v, the chain's %v of %+v", i, largest, c.Gap, out.best)
		}
		if c.Gap >= largest-1e-9 {
			reached++
		}
	}
	if reached < questions*95/100 {
		t.Errorf("%d chains of %d ended at the largest gap", reached, questions)
	}
}

// Annealing does not change the largest gap that is found and its bound, with one thread or two, and it ends when the gap
// is found again.
func TestAnnealingKeepsTheLargest(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(9, 55))
	annealed := 0
	for i := range tier.Count(20, 60) {
		q := latticeOf(r, fairness.Score, 2+r.IntN(4))
		var boxes, work [2]int64
		for threads := range boxes {
			tr, err := newSearch(q, 1, 1+threads)
			if err != nil {
				t.Fatal(err)
			}
			tr.Params.RestartAfter = 0
			if end := tr.Run(t.Context(), Limits{}); end != Complete {
				t.Fatalf("question %d ended with %v", i, end)
			}
			largest := 0.0
			for _, gap := range gapsOf(tr, tr.Grid.Whole()) {
				largest = max(largest, gap)
			}
			if tr.Best == nil || tr.Best.Value < largest-1e-9 || tr.Best.Value > largest+1e-9 || tr.Bound() < largest-1e-12 {
				t.Fatalf("question %d: %+v is the best, %v the bound, %v the largest gap", i, tr.Best, tr.Bound(), largest)
			}
			if boxes[threads], work[threads] = tr.Nodes, annealing(tr).Work; annealing(tr).Done() && annealing(tr).Work > 0 {
				annealed++
			}
		}
		if boxes[0] != boxes[1] || work[0] != work[1] {
			t.Errorf("question %d: %d boxes with one thread, %d with two; work of chains %d and %d", i, boxes[0], boxes[1], work[0], work[1])
		}
	}
	if annealed < tier.Count(3, 10) {
		t.Errorf("the largest gap was found again in %d searches", annealed)
	}
}
