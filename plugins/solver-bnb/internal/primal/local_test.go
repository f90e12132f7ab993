package primal

import (
	"math/big"
	"sync/atomic"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// The budget is the same for bounded nodes and for an equal amount of work of dives, in
// climbs and in steps of two features.
func TestBudgetCountsNodesAndWalks(t *testing.T) {
	sp := &space.Space{Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 15}, {Name: "b", Kind: space.Integer, Hi: 9},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}},
	}}
	q := &problem.Query{Space: sp, Region: sp.Whole(), Epsilon: big.NewRat(1, 20), Goal: problem.Maximise}
	g, err := grid.New(q)
	if err != nil {
		t.Fatal(err)
	}
	p := &relax.Problem{Query: q, Grid: g, Params: params.Default()}
	store := &goal.Store{Margins: &goal.Margins{Problem: p, Traits: goal.Traits{Goal: q.Goal, Values: true}}}
	s := &LocalSearch{Env: &Env{Points: &Points{Store: store}, Stop: new(atomic.Bool)}}
	enough := int64(4*s.twoAway()/p.Params.Local.PerNode) + 1
	for _, nodes := range []int64{0, 1, enough / 2, enough} {
		w := &Work{Nodes: nodes, Leaves: (enough - nodes) * leavesOfNode, Open: true, Branch: -1}
		s.looked = enough/2 - 1
		if !s.Due(w) || !s.mayStepTwice(w) {
			t.Errorf("with %d nodes and walks of %d: climbs %v, two steps %v", nodes, enough-nodes, s.Due(w), s.mayStepTwice(w))
		}
		w.Leaves, w.Nodes, s.looked = 0, enough-2, enough/2
		if s.Due(w) || s.mayStepTwice(w) {
			t.Errorf("with fewer nodes than it takes: climbs %v, two steps %v", s.Due(w), s.mayStepTwice(w))
		}
	}
}
