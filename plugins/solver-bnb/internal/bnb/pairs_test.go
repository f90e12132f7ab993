package bnb

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// wide returns a random query about pairs in a space with features of every kind, too
// large to enumerate.
func wide(r *rand.Rand) *problem.Query {
	s := &space.Space{
		Inputs: 7,
		Features: []space.Feature{
			{Name: "n", Kind: space.Integer, Lo: -3, Hi: 60, Inputs: []space.Input{{Index: 0, Scale: -0.3, Offset: 1}, {Index: 6, Scale: 1}}},
			{Name: "wide", Kind: space.Integer, Lo: 0, Hi: 200_000, Inputs: []space.Input{{Index: 1, Scale: 0.001}}},
			{Name: "c", Kind: space.Categorical, Hi: 3, Categories: []string{"a", "b", "c", "d"},
				Inputs: []space.Input{{Index: 2, Table: []float64{0, 1, 0, 0}}, {Index: 3, Table: []float64{4, -2, 9, 1}}}},
			{Name: "r", Kind: space.Real, Lo: -1.5, Hi: 2, Inputs: []space.Input{{Index: 4, Scale: 7}}},
			{Name: "p", Kind: space.Integer, Hi: 2, Protected: []float64{0, 1, 2}, Inputs: []space.Input{{Index: 5, Scale: 1}}},
		},
		Forbidden: []space.Predicate{
			{{Feature: 0, Interval: space.Interval{Lo: 2, Hi: 25}}, {Feature: 4, Interval: space.Interval{Lo: 1, Hi: 1}}},
			{{Feature: 2, Set: []int{0, 3}}, {Feature: 3, Interval: space.Interval{Lo: 0.25, Hi: 9}}},
		},
	}
	q := &problem.Query{
		Space: s, Region: s.Whole(), Epsilon: big.NewRat(1, 20), Goal: problem.Maximise,
		Notion: fairness.Notions[r.IntN(len(fairness.Notions))],
	}
	tolerances := [][]float64{{1, 7, 200}, {1000, 1e6}, {1, 2.5}, {0.1, 0.013, 9}}
	for i, list := range tolerances {
		if r.IntN(2) == 0 {
			q.Relax = append(q.Relax, problem.RelaxedFeature{Feature: i, Tolerance: list[r.IntN(len(list))]})
		}
		if r.IntN(3) == 0 {
			f := &s.Features[i]
			q.Region.Box[i] = space.Interval{Lo: f.Lo + 1, Hi: f.Lo + 1 + math.Round(r.Float64()*(f.Hi-f.Lo-1))}
		}
	}
	if len(q.Relax) == 0 || r.IntN(3) == 0 {
		q.Require = []space.Predicate{{{Feature: 4, Interval: space.Interval{Lo: 0, Hi: 1}}, {Feature: 1, Interval: space.Interval{Lo: 10, Hi: 1e5}}}}
	}
	widths := []int{s.Inputs, 6, 4, 1}[:3+r.IntN(2)]
	widths[len(widths)-1] = 1
	q.Model = layered(widths, func() float64 { return r.NormFloat64() / 8 }, r.NormFloat64)
	return q
}

// randomCells returns a box and a pair in it: values of the dimensions.
func randomCells(r *rand.Rand, g *grid.Grid) (grid.Box, []float64) {
	b, x := g.Whole(), make([]float64, len(g.Dims))
	for d := range g.Dims {
		i, j := r.IntN(g.Dims[d].Cells), r.IntN(g.Dims[d].Cells)
		switch r.IntN(3) {
		case 0:
			j = i
		case 1:
			j = min(i+r.IntN(4), g.Dims[d].Cells-1)
		}
		b[2*d], b[2*d+1] = uint64(min(i, j)), uint64(max(i, j))
		lo, _ := g.Dims[d].Values(b[2*d])
		_, hi := g.Dims[d].Values(b[2*d+1])
		x[d] = g.Dims[d].Nearest(lo + r.Float64()*(hi-lo))
		if r.IntN(3) == 0 {
			x[d] = []float64{lo, hi}[r.IntN(2)]
		}
	}
	return b, x
}

// No pair of a box has a larger value than the bound, and in small boxes some pair comes
// near it.
func TestBoundsHoldForPairs(t *testing.T) {
	tight, pairs := 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		q := wide(r)
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
		tr, err := newSearch(q, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		w, g := tr.workers[0], tr.Grid
		for range 8 {
			box, x := randomCells(r, g)
			w.boundBox(box)
			tr.Rules.Match(box, &w.pairing.Matching)
			bound := w.pairing.Widest(tr.Problem, w.ws, 0)
			one, two := g.Point(x), g.Partner(x)
			here := true // the pair is in the box, and was not moved into the domain
			for i := range g.Relaxed {
				f := g.Relaxed[i].Feature
				here = here && math.Abs(two[f]-one[f]-x[g.Relaxed[i].Shift]) < 1e-12
			}
			if !here {
				continue
			}
			var m grid.Matching
			tr.Rules.Pairs(one, two, &m)
			best := math.Inf(-1)
			for i, first := range m.One {
				for j, second := range m.Two {
					if k := len(g.Combinations); !first || !second || i%k == j%k {
						continue
					}
					if !w.pairing.One[i] || !w.pairing.Two[j] {
						t.Fatalf("%v and %v are a pair, and lanes %d and %d of its box are none", one, two, i, j)
					}
					a := q.Model.Logit(q.Space.NetworkInputs(nil, g.Complete(one, i%len(g.Combinations))))
					b := q.Model.Logit(q.Space.NetworkInputs(nil, g.Complete(two, j%len(g.Combinations))))
					best = max(best, tr.Notion.Between(a, b))
					if !w.pairing.Of.OneWay {
						best = max(best, tr.Notion.Between(b, a))
					}
				}
			}
			if !math.IsInf(best, -1) {
				pairs++
			}
			if best > bound+1e-11 {
				t.Fatalf("%s: %v and %v have the value %v, their box %v at most %v", q.Notion, one, two, best, box, bound)
			}
			if best > bound-1e-2 {
				tight++
			}
		}
	}
	if pairs < 200 || tight < pairs/10 {
		t.Errorf("of %d pairs %d were near their bound", pairs, tight)
	}
}
