package crosscheck

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// TestOverlooked compares every solver with enumeration on networks and forests that ignore the
// protected features, almost ignore them, or do so in a part of the space: there copies have
// exactly equal logits, and proofs by differences replace others. HYFAIR_REFEREE and
// HYFAIR_REFEREE_SEED are as for TestReferee.
func TestOverlooked(t *testing.T) {
	tier.NeedUsual(t)
	var panel []*panelist
	for _, name := range []string{"bnb", "highs", "lpsolve", "z3"} {
		s, d := plugintest.Solver(t, name)
		panel = append(panel, &panelist{name: name, solver: s, description: d})
	}
	counts := map[string]int{}
	number, first := environment(t, "HYFAIR_REFEREE", tier.Count(24, 400)), environment(t, "HYFAIR_REFEREE_SEED", 0)
	for seed := first; seed < first+number; seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 89))
		notion := fairness.Decision
		if seed%4 > 0 { // of decisions, most
			notion = []fairness.Notion{fairness.Decision, fairness.DecisionStrict, fairness.Score, fairness.Logit}[r.IntN(4)]
		}
		q := known.Query(r, notion)
		if seed%3 == 0 {
			q.Model = known.Trees(r, q.Space)
		}
		known.Overlook(r, q)
		truth := known.Enumerate(q)
		if e, ok := q.Model.(*trees.Ensemble); ok {
			q.Model = e.Coded(q.Space)
		}
		c := &refereed{T: t, q: q, truth: truth, r: r, seed: seed, counts: counts, name: fmt.Sprintf("seed %d, %s", seed, notion)}
		s := panel[seed/4%len(panel)]
		if seed%2 == 0 {
			s = panel[0]
		}
		c.verdict(s)
		c.relaxed(s)
		c.shares(panel[0])
		if notion == fairness.Score {
			c.bins(s)
			c.mostBins(s)
			c.extremes(panel[0])
		}
	}
	gaveBoth(t, panel[:1], counts) // the others are asked less
}
