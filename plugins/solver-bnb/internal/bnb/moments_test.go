package bnb

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Individuals of trees that are counted by moments are never more than enumeration finds, with constraints and conditions,
// whenever a search ends.
func TestSharesByMoments(t *testing.T) {
	counted, questions := 0, tier.Count(60, 600)
	for i := range questions {
		r := rand.New(rand.NewPCG(uint64(i), 48))
		in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
		s := &space.Space{Inputs: 4, Features: []space.Feature{
			{Name: "a", Kind: space.Integer, Hi: 6, Inputs: in(0)},
			{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(1)},
			{Name: "b", Kind: space.Integer, Hi: 8, Inputs: in(2)},
			{Name: "c", Kind: space.Integer, Hi: 4, Inputs: in(3)},
		}}
		condition := func(feature int, lo, hi float64) space.Condition {
			return space.Condition{Feature: feature, Interval: space.Interval{Lo: lo, Hi: hi}}
		}
		if r.IntN(2) == 0 { // some individuals have one allowed copy
			s.Forbidden = append(s.Forbidden, space.Predicate{condition(0, 1, 1+float64(r.IntN(4))), condition(1, 1, 1)})
		}
		if r.IntN(3) == 0 { // some individuals have no allowed copy
			s.Forbidden = append(s.Forbidden, space.Predicate{condition(2, 2, 3)})
		}
		q := &problem.Query{Space: s, Notion: []fairness.Notion{fairness.Decision, fairness.DecisionStrict}[i%2], Goal: problem.Quantify}
		if r.IntN(3) == 0 {
			q.Require = append(q.Require, space.Predicate{condition(3, 1, 4)})
		}
		e := known.Trees(r, s)
		for range 1 + r.IntN(3) {
			e.Trees = append(e.Trees, known.Trees(r, s).Trees...)
		}
		q.Model = e
		with := eager()
		with.Enumerate = float64(r.IntN(20))
		found, err := New(q, 1, 1, with)
		if err != nil {
			t.Fatal(err)
		}
		found.Run(t.Context(), Limits{Nodes: int64(2 + r.IntN(12))})
		want := known.Enumerate(q)
		fair, unfair := found.Known().Fair.Float(), found.Known().Unfair.Float()
		if bad := float64(want.Unfair); unfair > bad || fair > float64(len(want.People))-bad {
			t.Errorf("question %d: %v fair and %v unfair individuals, of %d with %v unfair", i, fair, unfair, len(want.People), bad)
		}
		found.queue.each(func(n grid.Node) {
			if n.Fair+n.Unfair > 0 {
				counted++
			}
		})
	}
	if counted < questions/3 {
		t.Errorf("%d questions, %d open nodes counted", questions, counted)
	}
}
