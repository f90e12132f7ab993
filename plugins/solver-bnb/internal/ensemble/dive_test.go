package ensemble

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// With any limit, a dive settles a part or leaves smaller ones. Settled parts have no gap
// above the largest; a stopped dive leaves its part.
func TestDivesGoOn(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 65))
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 9, Inputs: in(0)},
		{Name: "b", Kind: space.Integer, Hi: 9, Inputs: in(1)},
		{Name: "p", Kind: space.Integer, Hi: 2, Protected: []float64{0, 1, 2}, Inputs: in(2)},
	}}
	gaps := 0
	for i := range tier.Count(100, 1000) {
		e := known.Trees(r, s)
		for range r.IntN(3) {
			e.Trees = append(e.Trees, known.Trees(r, s).Trees...)
		}
		g, err := grid.New(&problem.Query{Model: e, Space: s, Notion: fairness.Logit, Epsilon: big.NewRat(1, 20)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(e, g)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for a := range 10 {
			for b := range 10 {
				lo, hi := math.Inf(1), math.Inf(-1)
				for z := range 3 {
					v := e.Logit([]float64{float64(a), float64(b), float64(z)})
					lo, hi = min(lo, v), max(hi, v)
				}
				want = max(want, hi-lo)
			}
		}
		var stop atomic.Bool
		dive, boxes := p.NewDive(&stop), p.NewBoxes()
		boxes.Bound(g.Whole())
		var list []Part
		for z1 := range 3 {
			for z2 := range 3 {
				if z1 != z2 {
					list = append(list, boxes.Part(z1, z2))
				}
			}
		}
		best, settled, unsettled := 0.0, 0, 0
		for rounds := 0; len(list) > 0; rounds++ {
			if rounds > 100_000 {
				t.Fatalf("forest %d: parts never end", i)
			}
			part := list[len(list)-1]
			list = list[:len(list)-1]
			dive.leavesOfNode = 1 + r.IntN(4)
			if stop.Store(r.IntN(8) == 0); stop.Load() {
				dive.leavesOfNode = math.MaxInt
			}
			judge := func(Pair) (Pair, bool) { return Pair{best, math.Inf(-1), math.Inf(-1)}, true }
			left, done := dive.Settles(&part, 1+r.IntN(3), judge, func(least []int32) {
				x := make([]float64, 2)
				p.At(x, least)
				logit := func(z int32) float64 { return e.Logit([]float64{x[0], x[1], float64(z)}) }
				best = max(best, logit(part.Z1)-logit(part.Z2))
			})
			if done {
				settled++
				continue
			}
			unsettled++
			list = append(list, left...)
		}
		if math.Abs(best-want) > 64*p.Error() {
			t.Errorf("forest %d: largest gap %v, by enumeration %v", i, best, want)
		}
		if want > 0 && unsettled > 0 {
			gaps++
		}
	}
	if gaps < 30 {
		t.Errorf("only %d forests had a gap that took several dives", gaps)
	}
}
