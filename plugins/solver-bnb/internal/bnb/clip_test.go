package bnb

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// latticeOf returns a query about a random network over a few hundred individuals, each with a number of
// copies. Features have an affine input, a table, or both.
func latticeOf(r *rand.Rand, notion fairness.Notion, copies int) *problem.Query {
	table := func(n int) (out []float64) {
		for range n {
			out = append(out, math.Round(r.NormFloat64()*3))
		}
		return out
	}
	var protected []float64
	for v := range copies {
		protected = append(protected, float64(v))
	}
	s := &space.Space{Inputs: 5, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 15, Inputs: []space.Input{{Index: 0, Scale: 0.3, Offset: 0.7}}},
		{Name: "b", Kind: space.Categorical, Hi: 5, Categories: []string{"u", "v", "w", "x", "y", "z"}, Inputs: []space.Input{{Index: 1, Table: table(6)}}},
		{Name: "c", Kind: space.Integer, Hi: 6, Inputs: []space.Input{{Index: 2, Scale: -0.7}, {Index: 3, Table: table(7)}}},
		{Name: "p", Kind: space.Integer, Hi: float64(copies + 1), Protected: protected, Inputs: []space.Input{{Index: 4, Scale: 1}}},
	}}
	if r.IntN(2) == 0 {
		s.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 3, Hi: 9}}, {Feature: 3, Interval: space.Interval{Lo: 1, Hi: 1}}}}
	}
	n := layered([]int{5, 3, 2, 1}, func() float64 { return math.Round(r.NormFloat64()*40) / 64 }, func() float64 { return math.Round(r.NormFloat64()*64) / 64 })
	return &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: notion, Epsilon: big.NewRat(1, 20), Goal: problem.Maximise}
}

// individuals visits the individuals of a box of cells.
func individuals(g *grid.Grid, box grid.Box, visit func(x []float64)) {
	x := make([]float64, len(g.Dims))
	var at func(d int)
	at = func(d int) {
		if d == len(x) {
			visit(x)
			return
		}
		for c := box[2*d]; c <= box[2*d+1]; c++ {
			x[d], _ = g.Dims[d].Values(c)
			at(d + 1)
		}
	}
	at(0)
}

// What clip removes has no value above the cutoff, in exact arithmetic, for any box and
// cutoff. Its logits lie in the stated intervals, and the parts and the rest make up the
// box.
func TestClippedOffIsNotAboveTheCutoff(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	cutOff, proofs := 0, 0
	for i := range tier.Count(80, 800) {
		q := latticeOf(r, fairness.Notions[i%len(fairness.Notions)], 3)
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.Pieces, tr.Proofs = func([]Piece) {}, true
		w := tr.workers[0]
		w.task.output = w.newOutput()
		box := tr.Grid.Whole()
		for d := range tr.Grid.Dims {
			a, b := r.Uint64N(box[2*d+1]+1), r.Uint64N(box[2*d+1]+1)
			box[2*d], box[2*d+1] = min(a, b), max(a, b)
		}
		values := map[[3]float64]float64{}
		var known []float64
		logitsIn(tr, box, func(x []float64, logits []*big.Rat) {
			value := math.Inf(-1)
			if len(logits) > 1 {
				_, value = q.Notion.Gap(logits)
				known = append(known, value)
			}
			values[[3]float64(x)] = value
		})
		if len(known) == 0 {
			continue
		}
		w.task.cutoff = slices.Max(known) // the best individual's value
		if r.IntN(3) == 0 {
			w.task.cutoff = known[r.IntN(len(known))]
		}
		w.boundBox(box)
		var possible, sure []bool
		if tr.Rules != nil {
			tr.Rules.Stand(box, &w.at.standing)
			possible, sure = w.at.standing.Possible, w.at.standing.Sure
		}
		whole, _ := w.ws.Spreads(0, possible, sure)
		size := w.Grid.Size(box)
		need, ok := tr.Notion.Need(&whole, w.task.cutoff)
		left := !ok || w.clipper.Clip(box, 0, &need, possible)
		for _, p := range w.task.pieces {
			size -= w.Grid.Size(p.Box)
			cutOff++
			individuals(tr.Grid, p.Box, func(x []float64) {
				if v, ok := values[[3]float64(x)]; !ok || v > w.task.cutoff {
					t.Fatalf("question %d, %s: %v has the value %v and is cut off at %v", i, q.Notion, x, v, w.task.cutoff)
				}
				delete(values, [3]float64(x))
				for _, c := range p.Copies {
					l := tr.Logit(tr.Grid.Point(x), c.Combination)
					if l.Cmp(new(big.Rat).SetFloat64(c.Logit.Lo)) < 0 || l.Cmp(new(big.Rat).SetFloat64(c.Logit.Hi)) > 0 {
						t.Fatalf("question %d: a logit of %v is not in %v", i, x, c.Logit)
					}
					proofs++
				}
			})
		}
		if left {
			size -= w.Grid.Size(box)
		}
		if size != 0 {
			t.Fatalf("question %d: parts and rest are not the box: %v individuals are missing", i, size)
		}
	}
	if cutOff < tier.Count(5, 20) || proofs < 300 {
		t.Errorf("%d parts were cut off, %d logits looked at", cutOff, proofs)
	}
}

// The entire search finds the largest value, with boxes that shrink, copies that are
// dropped, or two copies bounded together. It decides whether a gap exceeds ε, and its
// pieces make up the region.
func TestSearchOfFewerCopiesIsComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	for i := range tier.Count(16, 200) {
		n := len(fairness.Notions)
		copies := 2
		if i/n%4 == 0 {
			copies = 20
		}
		q := latticeOf(r, fairness.Notions[i%n], copies)
		most := math.Inf(-1)
		for _, goal := range []problem.Goal{problem.Maximise, problem.Decide} {
			q.Goal = goal
			tr, err := newSearch(q, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			if goal == problem.Maximise {
				logitsIn(tr, tr.Grid.Whole(), func(_ []float64, logits []*big.Rat) {
					if len(logits) > 1 {
						_, v := q.Notion.Gap(logits)
						most = max(most, v)
					}
				})
			}
			size := 0.0
			tr.Pieces = func(list []Piece) {
				for i := range list {
					size += tr.Grid.Size(list[i].Box)
				}
			}
			end := tr.Run(context.Background(), Limits{})
			if goal == problem.Decide {
				if v := tr.Notion.Tolerated(); (tr.Best != nil) != (most > v) || tr.Best == nil && end != Complete {
					t.Errorf("question %d, %s: found %v, the largest is %v", i, q.Notion, tr.Best, most)
				}
				// Fair by a small margin: no witness is found, and every individual is settled.
				if !q.Notion.UsesEpsilon() || most < 1e-6 || q.Notion == fairness.Score && most > 1-1e-6 {
					continue
				}
				q.Epsilon = new(big.Rat).SetFloat64(most * (1 + 1e-9))
				if tr, err = newSearch(q, 1, 1); err != nil {
					t.Fatal(err)
				}
				if end = tr.Run(context.Background(), Limits{}); end != Complete || tr.Best != nil || tr.Stuck > 0 {
					t.Errorf("question %d, %s: ended with %d, %v, where all is fair", i, q.Notion, end, tr.Best)
				}
				continue
			}
			if end != Complete || size != tr.Total.Float() {
				t.Errorf("question %d ended with %d: the pieces have %v individuals of %v", i, end, size, tr.Total.Float())
			}
			if b := tr.Bound(); !math.IsInf(most, -1) && !(b >= most && b <= most+1e-8*max(1, most)) {
				t.Errorf("question %d, %s: bound %v, want %v", i, q.Notion, b, most)
			}
		}
	}
}

// The largest k is that of enumeration, with few copies and many, with shrinking boxes and
// dropped copies, and with proofs; pieces make up the region.
func TestLargestKIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	below := 0
	count := tier.Count(6, 80)
	for i := range count {
		copies := []int{2, 5, 20, 40}[i%4]
		q := latticeOf(r, fairness.Score, copies)
		q.Goal, q.Epsilon = problem.MaxK, big.NewRat(1, int64([]int{4, 20, 50}[r.IntN(3)]))
		tr, err := newSearch(q, 1, 1+i%2)
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		logitsIn(tr, tr.Grid.Whole(), func(_ []float64, logits []*big.Rat) {
			if len(logits) > 0 {
				most = max(most, fairness.LinkSigmoid.KBins(logits, q.Epsilon))
			}
		})
		if most < min(copies, tr.Bins.Count()) {
			below++
		}
		size := 0.0
		tr.Proofs = i%5 == 0
		tr.Pieces = func(list []Piece) {
			for i := range list {
				size += tr.Grid.Size(list[i].Box)
			}
		}
		if end := tr.Run(context.Background(), Limits{}); end != Complete || size != tr.Total.Float() {
			t.Errorf("question %d ended with %d: the pieces have %v individuals of %v", i, end, size, tr.Total.Float())
		}
		if tr.Best == nil || tr.Best.Value != float64(most) || tr.Bound() != float64(most) {
			t.Errorf("question %d, %d copies: found %v, bound %v, want %d", i, copies, tr.Best, tr.Bound(), most)
		}
	}
	if below < count/5 {
		t.Errorf("%d largest k are below the number of bins and of copies", below)
	}
}
