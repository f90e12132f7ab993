package ensemble

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Counts of boxes never exceed those of enumeration, and come close to them.
func TestMomentsAreLowerBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 47))
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	s := &space.Space{Inputs: 5, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 6, Inputs: in(0)},
		{Name: "b", Kind: space.Integer, Hi: 4, Inputs: in(1)},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(2)},
		{Name: "c", Kind: space.Integer, Hi: 2, Inputs: in(3)},
		{Name: "d", Kind: space.Integer, Lo: -3, Hi: 5, Inputs: in(4)},
	}}
	var decided, all [2]float64
	for i := range tier.Count(60, 400) {
		e := known.Trees(r, s)
		for range r.IntN(5) {
			e.Trees = append(e.Trees, known.Trees(r, s).Trees...)
		}
		if i%2 == 0 { // main effects and few interactions
			for k, t := range e.Trees {
				if k > 1 {
					for j := range t {
						if !t[j].IsLeaf() {
							t[j].Input = t[0].Input
						}
					}
				}
			}
		}
		if i%12 == 0 { // squares underflow
			e.Base *= 0x1p-600
			for _, t := range e.Trees {
				for j := range t {
					if t[j].IsLeaf() {
						t[j].Value *= 0x1p-600
					}
				}
			}
		}
		g, err := grid.New(&problem.Query{Model: e, Space: s, Notion: fairness.Decision})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(e, g)
		if err != nil {
			t.Fatal(err)
		}
		b, c := p.NewBoxes(), p.NewMoments(&atomic.Bool{})
		box := g.Whole()
		for range 3 {
			b.Bound(box)
			fair, unfair := c.Count(b, box)
			want := decisions(e, g, box)
			if size := g.Size(box); !(fair*size <= want[0] && unfair*size <= want[1] && fair >= 0 && unfair >= 0) {
				t.Fatalf("question %d, box %v: got %v and %v, want at most %v", i, box, fair*size, unfair*size, want)
			}
			decided[0], decided[1] = decided[0]+fair*g.Size(box), decided[1]+unfair*g.Size(box)
			all[0], all[1] = all[0]+want[0], all[1]+want[1]
			for d := range g.Dims {
				if r.IntN(2) == 0 {
					box[2*d] += uint64(r.IntN(int(box[2*d+1]-box[2*d]) + 1))
				} else {
					box[2*d+1] -= uint64(r.IntN(int(box[2*d+1]-box[2*d]) + 1))
				}
			}
		}
	}
	for side, least := range []float64{0.5, 0.2} {
		if decided[side] < least*all[side] {
			t.Errorf("side %d: %v of %v counted, want %v of them", side, decided[side], all[side], least)
		}
	}
}

// decisions counts the individuals of a box with one decision, and with two, in exact arithmetic.
func decisions(e *trees.Ensemble, g *grid.Grid, box grid.Box) (n [2]float64) {
	x := make([]float64, len(g.Dims))
	var visit func(d int)
	exact := e.Exact()
	visit = func(d int) {
		if d < len(x) {
			for cell := box[2*d]; cell <= box[2*d+1]; cell++ {
				x[d], _ = g.Dims[d].Values(cell)
				visit(d + 1)
			}
			return
		}
		var yes [2]bool
		for z := range yes {
			yes[z] = exact.Logit(g.Space.ExactInputs(g.Complete(g.Point(x), z))).Sign() > 0
		}
		if yes[0] == yes[1] {
			n[0]++
		} else {
			n[1]++
		}
	}
	visit(0)
	return n
}
