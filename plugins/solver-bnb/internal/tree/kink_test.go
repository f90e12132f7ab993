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

// With a neuron kept no more people of a box are counted on a side than there are, but for those for whom bounds do not hold, in exact arithmetic, whatever the number of
// copies, the box that was bounded, the part of it that is counted, and the number that logits have to be beyond; and often more than
// without.
func TestKeptNeuronsCountNobodyTooMuch(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 52))
	tried, more, deep := 0, 0, 0
	for i := range tier.Count(500, 2500) {
		q := latticeOf(r, []fairness.Notion{fairness.Decision, fairness.Score}[r.IntN(2)], 2+r.IntN(5))
		q.Goal, q.Space.Forbidden = problem.Quantify, nil
		tr, err := New(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := tr.workers[0]
		box, part := boxAndPart(r, tr, i%2 == 0)
		w.place(box, 0)
		w.spread(box, 0, []float64{0, 0, 1, 2}[r.IntN(4)])
		w.n = 1
		w.bound()
		lost := w.lost(0, tr.grid.Size(box)) // for whom bounds do not hold
		for side, sign := range []int{1, -1} {
			var lowest []*big.Rat // of each individual's copies, all times the sign
			logitsIn(tr, part, func(_ []float64, logits []*big.Rat) {
				for z := range logits {
					logits[z].Mul(logits[z], big.NewRat(int64(sign), 1))
				}
				lowest = append(lowest, slices.MinFunc(logits, (*big.Rat).Cmp))
			})
			beyond, _ := lowest[r.IntN(len(lowest))].Float64()
			beyond *= 1 + []float64{0, 1e-12, -1e-9, 0.1}[r.IntN(4)]
			truth := 0.0
			for _, v := range lowest {
				if v.Cmp(new(big.Rat).SetFloat64(beyond)) > 0 {
					truth++
				}
			}
			a, s := w.sides[side], &w.sums[side]
			w.contributions(s, part, a.of(w, 0), w.values[side])
			w.intervals(a, 0)
			least := slices.Min(w.lo)
			middle := s.middle() + least - beyond
			plain := w.above(s, beyond-least, 0)
			kept := w.kinked(part, 0, side, a.blends[0], a.of(w, 0), plain/float64(len(lowest)), middle, beyond, nil)
			if kept-lost > truth {
				t.Fatalf("question %d, side %d: %v of %d are counted beyond %v, but %v are", i, side, kept, len(lowest), beyond, truth)
			}
			if kept > 0 {
				tried++
			}
			if kept > plain {
				more++
				if of, _ := w.costliest(0, side); of.Layer > 0 {
					deep++
				}
			}
			// A copy alone.
			z := r.IntN(w.k)
			only := blend{a: z, b: z}
			w.blended(&a.form, 0, only, w.single)
			w.kink.only[z] = true
			kept = w.kinked(part, 0, side, only, w.single, 0, 0, beyond, w.kink.only)
			w.kink.only[z] = false
			truth = 0
			logitsIn(tr, part, func(_ []float64, logits []*big.Rat) {
				if v, _ := logits[z].Float64(); float64(sign)*v > beyond-math.Abs(beyond)*1e-15 {
					truth++
				}
			})
			if kept-lost > truth {
				t.Fatalf("question %d, side %d, copy %d: %v are counted beyond %v, but %v are", i, side, z, kept, beyond, truth)
			}
		}
	}
	if tried < 30 || more < 15 || deep < 5 {
		t.Errorf("somebody was counted with a kept neuron %d times, more than without %d times, %d of these by one behind the first layer", tried, more, deep)
	}
}

// Each box has the neuron that it would keep alone, whatever boxes are in the lanes with it and were before.
func TestKeptNeuronsOfBoxesTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 52))
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
		kept := func(w *worker, box grid.Box, b int) (n [2]float64) {
			for side, a := range w.sides {
				s := &w.sums[side]
				w.contributions(s, box, a.of(w, b), w.values[side])
				w.intervals(a, b*w.k)
				beyond := s.middle() + slices.Min(w.lo)
				n[side] = w.kinked(box, b, side, a.blends[b], a.of(w, b), 0, 0, beyond, nil)
			}
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
				together := kept(w, box, b)
				v := newWorker(tr)
				bound(v, boxes[b:b+1])
				if alone := kept(v, box, 0); alone != together {
					t.Fatalf("box %d of %d: %v are counted, and %v where it is alone", b, len(boxes), together, alone)
				}
				if together != [2]float64{} {
					counted++
				}
			}
		}
	}
	if counted < 100 {
		t.Errorf("somebody was counted with a kept neuron in %d boxes", counted)
	}
}
