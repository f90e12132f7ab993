package tree

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/tier"
)

// Tables count no more people of a box on a side than there are, but for those for whom bounds do not hold, in exact arithmetic, whatever the number of
// copies, the box that was bounded, the part of it that is counted, the groups and blocks of its dimensions, and the number that logits have to be beyond.
func TestTablesCountNobodyTooMuch(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 54))
	counted, truths, blocks := 0.0, 0.0, 0
	for i := range tier.Count(500, 2500) {
		q := latticeOf(r, []fairness.Notion{fairness.Decision, fairness.Score}[r.IntN(2)], 2+r.IntN(5))
		q.Goal, q.Space.Forbidden = problem.Quantify, nil
		tr, err := New(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := tr.workers[0]
		w.tables.most = []int{mostPoints, 40, 7, 3}[r.IntN(4)]
		box, part := boxAndPart(r, tr, i%2 == 0)
		w.place(box, 0)
		w.spread(box, 0, []float64{0, 0, 1, 2}[r.IntN(4)])
		w.n = 1
		w.bound()
		lost := w.lost(0, tr.grid.Size(box)) // for whom bounds do not hold
		of := [2][][]*big.Rat{}              // by side, each individual's copies, all times its sign
		logitsIn(tr, part, func(_ []float64, logits []*big.Rat) {
			for side, sign := range []int64{1, -1} {
				var own []*big.Rat
				for _, l := range logits {
					own = append(own, new(big.Rat).Mul(l, big.NewRat(sign, 1)))
				}
				of[side] = append(of[side], own)
			}
		})
		for side, people := range of {
			among := make([]bool, w.k)
			for z := range among {
				among[z] = r.IntN(3) > 0
			}
			if among[r.IntN(w.k)] = true; r.IntN(2) == 0 {
				among = nil
			}
			var lowest []*big.Rat
			for _, own := range people {
				var least *big.Rat
				for z, l := range own {
					if (among == nil || among[z]) && (least == nil || l.Cmp(least) < 0) {
						least = l
					}
				}
				lowest = append(lowest, least)
			}
			beyond, _ := lowest[r.IntN(len(lowest))].Float64()
			beyond *= 1 + []float64{0, 1e-12, -1e-9, 0.1}[r.IntN(4)]
			truth := 0.0
			for _, v := range lowest {
				if v.Cmp(new(big.Rat).SetFloat64(beyond)) > 0 {
					truth++
				}
			}
			n := 0.0
			if w.tabulate(part, 0, beyond) {
				n = w.beyond(side, among, beyond, w.uncertain(among))
				if w.tables.times > 1 {
					blocks++
				}
			}
			if n-lost > truth {
				t.Fatalf("question %d, side %d: %v of %d are counted beyond %v, but %v are", i, side, n, len(lowest), beyond, truth)
			}
			counted, truths = counted+n, truths+truth
		}
	}
	if counted < 0.4*truths || blocks < 50 {
		t.Errorf("%v of %v were counted, by blocks %d times", counted, truths, blocks)
	}
}

// What is counted of a box depends neither on the boxes in the lanes with it nor on those that were there before.
func TestTablesOfBoxesTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 54))
	counted := 0
	for range tier.Count(60, 300) {
		q := latticeOf(r, fairness.Decision, 2+r.IntN(5))
		q.Goal, q.Space.Forbidden = problem.Quantify, nil
		tr, err := New(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		bound := func(w *worker, boxes []grid.Box) {
			for b, box := range boxes {
				w.place(box, b)
				w.spread(box, b, 0)
			}
			w.n = len(boxes)
			w.bound()
		}
		of := func(w *worker, box grid.Box, b int) (n [3]float64) {
			if !w.tabulate(box, b, 0) {
				return n
			}
			open := w.uncertain(nil)
			for side := range 2 {
				n[side] = w.beyond(side, nil, 0, open)
			}
			n[2] = w.opposite(box, nil)
			return n
		}
		w := tr.workers[0]
		for range 3 {
			var boxes []grid.Box
			for range 1 + r.IntN(w.each) {
				box, _ := boxAndPart(r, tr, false)
				boxes = append(boxes, slices.Clone(box))
			}
			bound(w, boxes)
			for b, box := range boxes {
				together := of(w, box, b)
				v := newWorker(tr)
				bound(v, boxes[b:b+1])
				if alone := of(v, box, 0); alone != together {
					t.Fatalf("box %d of %d: %v are counted, and %v where it is alone", b, len(boxes), together, alone)
				}
				if math.Abs(together[0])+math.Abs(together[1]) > 0 {
					counted++
				}
			}
		}
	}
	if counted < 100 {
		t.Errorf("somebody was counted in %d boxes", counted)
	}
}
