package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/tier"
	"github.com/hyfair/hyfair/sdk/sdktest/wild"
)

// Verdicts and largest values of forests are those of enumeration, where comparisons
// are with sets of many values, and constraints say who is asked about; with any number of threads.
func TestDives(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 43))
	for i := range tier.Count(60, 400) {
		q := tiny(r)
		q.Notion, q.K = fairness.Notions[i%len(fairness.Notions)], 0
		if f := &q.Space.Features[0]; f.Inputs[0].Table == nil {
			f.Hi = 40
		}
		e := wild.Trees(r, q.Space)
		for e.SumError() > 1e-12 { // bounds would not be as near as is asked for
			e = wild.Trees(r, q.Space)
		}
		for range 2 { // trees of a set each, above all others
			n := trees.Node{Input: int32(r.IntN(2)), Left: 1, Right: 2}
			for range 15 {
				n.More = append(n.More, float64(r.IntN(40))+0.25)
			}
			slices.Sort(n.More)
			n.More = slices.Compact(n.More)
			n.Value, n.More = n.More[0], n.More[1:]
			other := e.Trees[r.IntN(len(e.Trees))]
			tree := trees.Tree{n, trees.Leaf(float64(r.IntN(3)))}
			for _, m := range other {
				if !m.IsLeaf() {
					m.Left, m.Right = m.Left+2, m.Right+2
				}
				tree = append(tree, m)
			}
			e.Trees = append(e.Trees, tree)
		}
		q.Model = e
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
		want := enumerate(t, q)
		for _, q.Goal = range []problem.Goal{problem.Decide, problem.Maximise} {
			one, two := solve(t, q, 1), solve(t, q, 2)
			check(t, i, q, want, one)
			if one.Nodes != two.Nodes || one.Objective != two.Objective {
				t.Errorf("question %d, %s: %d nodes and %v on one thread, %d and %v on two", i, q.Goal, one.Nodes, one.Objective, two.Nodes, two.Objective)
			}
		}
	}
}
