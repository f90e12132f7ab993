package main

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Verdicts and largest values of forests are those of enumeration, with comparisons with sets of
// many values, constraints on the individuals that the query asks about, and any number of threads.
func TestDives(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(2, 43))
	for i := range tier.Count(20, 200) {
		q := tiny(r)
		q.Notion, q.K = fairness.Notions[i%len(fairness.Notions)], 0
		if f := &q.Space.Features[0]; f.Inputs[0].Table == nil {
			f.Hi = 40
		}
		e := known.Trees(r, q.Space)
		for e.SumError() > 1e-12 { // the bounds would not be tight enough
			e = known.Trees(r, q.Space)
		}
		for range 2 { // trees with one set each, larger than all others
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
		want := known.Enumerate(q)
		for _, q.Goal = range []problem.Goal{problem.Decide, problem.Maximise} {
			one, two := solve(t, q, 1), solve(t, q, 2)
			check(t, i, q, want, one)
			if one.Nodes != two.Nodes || one.Objective != two.Objective {
				t.Errorf("question %d, %s: %d nodes and %v on one thread, %d and %v on two", i, q.Goal, one.Nodes, one.Objective, two.Nodes, two.Objective)
			}
		}
	}
}

// Borders so close to each other that no cell of a real feature lies between them leave no box open if pieces with proofs
// are requested.
func TestBordersWithinACell(t *testing.T) {
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "x", Kind: space.Real, Hi: 1, Inputs: in(0)},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(1)},
	}}
	// A leaf of 1 for p = 1 on one side of a border, else 0.
	tree := func(border float64, below bool) trees.Tree {
		left, right := 0.0, 1.0
		if below {
			left, right = right, left
		}
		return trees.Tree{
			{Input: 0, Value: border, Left: 1, Right: 2}, {Input: 1, Value: 0.5, Left: 3, Right: 4}, {Input: 1, Value: 0.5, Left: 5, Right: 6},
			trees.Leaf(0), trees.Leaf(left), trees.Leaf(0), trees.Leaf(right),
		}
	}
	e := &trees.Ensemble{Columns: 2, Output: fairness.LinkLinear, Trees: []trees.Tree{tree(0.3, true), tree(0.3+1e-9, false)}}
	q := &problem.Query{Model: e, Space: s, Notion: fairness.Logit, Epsilon: big.NewRat(3, 2), Goal: problem.Maximise}
	for _, threads := range []int{1, 2} {
		var claims []sdk.PieceClaim
		out := solveWith(t, q, sdk.SolveOptions{Threads: threads, Proofs: true, Pieces: func(list []sdk.Piece) {
			for _, p := range list {
				claims = append(claims, p.Claim)
			}
		}})
		if !out.HasBound || math.Abs(out.Bound-1) > 1e-9 || slices.Contains(claims, sdk.PieceUndecided) {
			t.Errorf("%d threads: the largest gap is at most %v, want 1; pieces: %v", threads, out.Bound, claims)
		}
	}
	q.Goal = problem.Decide
	var claims []sdk.PieceClaim
	out := solveWith(t, q, sdk.SolveOptions{Threads: 1, Proofs: true, Pieces: func(list []sdk.Piece) {
		for _, p := range list {
			claims = append(claims, p.Claim)
		}
	}})
	if out.Status != sdk.Infeasible || len(claims) == 0 || slices.Contains(claims, sdk.PieceUndecided) {
		t.Errorf("%s, pieces %v", out.Status, claims)
	}
}
