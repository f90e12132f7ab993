package crosscheck

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// A region without individuals near a row gets a vacuous verdict, so that no gate takes it for fairness.
func TestNobodyNear(t *testing.T) {
	q := known.Query(rand.New(rand.NewPCG(1, 41)), fairness.Score)
	q.Space = &space.Space{Features: slices.Clone(q.Space.Features)}
	free := q.Space.Free()[0]
	row := q.Space.Draw(q.Space.Whole().Box, rand.New(rand.NewPCG(2, 41)))
	q.Region = q.Space.Whole()
	for _, at := range []float64{q.Space.Features[free].Lo, q.Space.Features[free].Hi} {
		q.Region.Box[free] = space.Interval{Lo: at, Hi: at}
		var err error
		if q.Within, err = space.NewVicinity(q.Space, [][]float64{row}, new(big.Rat)); err != nil {
			t.Fatal(err)
		}
		if got := engine.Nobody(q); got != (row[free] != at) {
			t.Errorf("row %v, region %v: nobody is near: %v", row, q.Region.Box, got)
		}
	}
}

// TestNear compares what bnb says about individuals near rows with enumeration, for networks and trees.
func TestNear(t *testing.T) {
	number, first := environment(t, "HYFAIR_REFEREE", tier.Count(10, 100)), environment(t, "HYFAIR_REFEREE_SEED", 0)
	s, d := plugintest.Solver(t, "bnb")
	bnb, counts := &panelist{name: "bnb", solver: s, description: d}, map[string]int{}
	for k := range number + 1 {
		seed := first + k
		if k == number {
			seed = 10063 // shares of people were once wrong
		}
		r := rand.New(rand.NewPCG(uint64(seed), 41))
		q := known.Query(r, fairness.Notions[seed%4])
		if seed%2 == 1 {
			q.Model = known.Trees(r, q.Space)
		}
		var rows [][]float64
		for range 1 + r.IntN(4) {
			rows = append(rows, q.Space.Draw(q.Space.Whole().Box, r))
		}
		var err error
		if q.Within, err = space.NewVicinity(q.Space, rows, big.NewRat(int64(r.IntN(9)), 16)); err != nil {
			t.Fatal(err)
		}
		c := &refereed{T: t, q: q, truth: known.Enumerate(q), r: r, seed: seed, counts: counts}
		c.name = fmt.Sprintf("seed %d, %s, within %s of %d rows", seed, q.Notion, q.Within.Distance, len(rows))
		c.verdict(bnb)
		if q.Notion == fairness.Score {
			c.bins(bnb)
			c.mostBins(bnb)
			c.extremes(bnb)
		}
		if c.shares(bnb); t.Failed() {
			break
		}
	}
	gaveBoth(t, []*panelist{bnb}, counts)
}
