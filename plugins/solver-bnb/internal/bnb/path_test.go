package bnb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// If paths are kept, an open node's box lies in the part of the region that its path leaves, and no open node is on the
// path of another. The search is the same as without paths.
func TestNodesKnowTheirPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 57))
	deep := 0
	for i := range tier.Count(40, 200) {
		q := latticeOf(r, fairness.Notions[i%len(fairness.Notions)], 2+r.IntN(20))
		if i%2 == 0 {
			q.Goal = problem.Quantify
		}
		var nodes [2]int64
		for keep := range nodes {
			with := eager()
			with.KeepPaths = keep == 1
			s, err := New(q, 1, 1, with)
			if err != nil {
				t.Fatal(err)
			}
			s.Run(t.Context(), Limits{Nodes: 5})
			nodes[keep] = s.Nodes
			if keep == 0 {
				continue
			}
			paths := map[string]bool{}
			s.queue.each(func(n grid.Node) {
				box, path := s.Grid.Whole(), ""
				var steps []*grid.Branching
				for b := n.Path; b != nil; b = b.Parent {
					steps = append(steps, b)
				}
				slices.Reverse(steps)
				for _, b := range steps {
					if b.Upper {
						box[2*b.Dim] = b.Last + 1
						path += "u"
					} else {
						box[2*b.Dim+1] = b.Last
						path += "l"
					}
				}
				deep = max(deep, len(steps))
				for d := range s.Grid.Dims {
					if n.Box[2*d] < box[2*d] || n.Box[2*d+1] > box[2*d+1] {
						t.Errorf("question %d: the node %v is not in %v, where its path leads", i, n.Box, box)
					}
				}
				if paths[path] {
					t.Errorf("question %d: two nodes at the end of %q", i, path)
				}
				paths[path] = true
			})
		}
		if nodes[0] != nodes[1] {
			t.Errorf("question %d: %d nodes without paths, %d with", i, nodes[0], nodes[1])
		}
	}
	if deep < 2 {
		t.Errorf("no path is longer than %d", deep)
	}
}
