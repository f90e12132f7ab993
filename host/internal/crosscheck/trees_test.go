package crosscheck

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// TestTrees asks the same questions about forests as TestReferee asks about networks:
// of solvers that take trees, and of those that get them as rows or as a script. Every
// other forest's output is a share, and of every third one's people some values are missing.
func TestTrees(t *testing.T) {
	tier.NeedUsual(t)
	var panel []*panelist
	for _, name := range []string{"bnb", "z3", "highs"} {
		s, d := plugintest.Solver(t, name)
		panel = append(panel, &panelist{name: name, solver: s, description: d})
	}
	counts, sets := map[string]int{}, 0
	for seed := range tier.Count(15, 500) {
		r := rand.New(rand.NewPCG(uint64(seed), 41))
		for i, s := range panel {
			q := known.Query(r, fairness.Notions[(seed+i)%len(fairness.Notions)])
			if seed%3 == 2 {
				known.Missing(r, q.Space)
			}
			forest := known.Trees(r, q.Space)
			if comparesWithSets(forest) {
				sets++
			}
			if q.Model = known.Lacking(forest, q.Space); seed%2 == 1 {
				known.Shares(r, forest)
				q.Notion = forest.Link().Notion(q.Notion)
				if t := known.Enumerate(q); q.Notion == fairness.Share && t.Some && t.Margin.Sign() > 0 && t.Margin.Cmp(big.NewRat(1, 1)) < 0 && r.IntN(3) == 0 {
					q.Epsilon = t.Margin // a tie
				}
			}
			truth := known.Enumerate(q)
			q.Model = forest.Coded(q.Space)
			c := &refereed{T: t, q: q, truth: truth, r: r, seed: seed, counts: counts}
			c.name = fmt.Sprintf("seed %d, %s", seed, q.Notion)
			c.verdict(s)
			c.audit()
			c.relaxed(s)
			if s.name == "bnb" {
				c.shares(s)
			}
			if q.Notion.Binned() {
				c.mostBins(s)
				if s.name == "bnb" {
					c.extremes(s)
				}
			}
		}
	}
	gaveBoth(t, panel, counts)
	if want := tier.Count(4, 300); sets < want {
		t.Errorf("%d forests compare with sets and know where a missing value goes, want %d", sets, want)
	}
}

// comparesWithSets reports a comparison with a set of values that sends a missing one left.
func comparesWithSets(e *trees.Ensemble) bool {
	return slices.ContainsFunc(e.Trees, func(t trees.Tree) bool {
		return slices.ContainsFunc(t, func(n trees.Node) bool { return len(n.More) > 0 && n.Missing })
	})
}
