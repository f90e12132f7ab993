package bnb

import (
	"context"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
)

// pairOf returns a query for the largest score gap of two copies. Some networks have
// logits at which scores are flat, and some copies are near each other.
func pairOf(r *rand.Rand) *problem.Query {
	q := latticeOf(r, fairness.Score, 2)
	n := q.Model.(*relu.Network)
	scale := []float64{1, 0.125, 8}[r.IntN(3)]
	for i := range n.Layers[1].Weights {
		n.Layers[1].Weights[i] *= scale
	}
	n.Layers[len(n.Layers)-1].Bias[0] += 4 * float64(r.IntN(5)-2)
	return q
}

// gapsOf returns the exact gaps of a box's individuals, rounded down.
func gapsOf(tr *Search, box grid.Box) map[[3]float64]float64 {
	gaps := map[[3]float64]float64{}
	logitsIn(tr, box, func(x []float64, logits []*big.Rat) {
		if len(logits) > 1 {
			gaps[[3]float64(x)], _ = fairness.Score.Gap(logits)
		}
	})
	return gaps
}

// logitsIn visits a box's individuals, with the exact logits of their copies.
func logitsIn(tr *Search, box grid.Box, visit func(x []float64, logits []*big.Rat)) {
	individuals(tr.Grid, box, func(x []float64) {
		var logits []*big.Rat
		for _, c := range tr.Query.Space.Counterfactuals(tr.Query.RegionOrWhole(), tr.Grid.Point(x)) {
			logits = append(logits, tr.Exact().Logit(tr.Query.Space.ExactInputs(c)))
		}
		visit(x, logits)
	})
}

// boxAndPart draws a box, and a part of it or all of it.
func boxAndPart(r *rand.Rand, tr *Search, all bool) (box, part grid.Box) {
	box, part = tr.Grid.Whole(), tr.Grid.Whole()
	for d := range tr.Grid.Dims {
		ends := []uint64{r.Uint64N(box[2*d+1] + 1), r.Uint64N(box[2*d+1] + 1), r.Uint64N(box[2*d+1] + 1), r.Uint64N(box[2*d+1] + 1)}
		slices.Sort(ends)
		if all {
			ends[0], ends[3] = ends[1], ends[2]
		}
		box[2*d], part[2*d], part[2*d+1], box[2*d+1] = ends[0], ends[1], ends[2], ends[3]
	}
	return box, part
}

// No individual with a gap above the cutoff, in exact arithmetic, is removed by tangents or exceeds
// the bound, for any box, part of it, and cutoff.
func TestGapsAreWithinTheirTangents(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 47))
	var lower, smaller, gone int
	for i := range tier.Count(200, 2000) {
		tr, err := newSearch(pairOf(r), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.Grid.Countable = false // else small boxes would be enumerated
		w := tr.workers[0]
		box, part := boxAndPart(r, tr, i%2 == 0)
		gaps := gapsOf(tr, part)
		w.task.cutoff = math.Exp(-3 * r.Float64())
		if known := slices.Sorted(maps.Values(gaps)); len(known) > 0 { // the best individual has this value or exceeds it
			w.task.cutoff = known[len(known)-1] * (1 - 1e-12)
			if r.IntN(3) == 0 {
				w.task.cutoff = known[r.IntN(len(known))] * r.Float64()
			}
		}
		w.task.output = w.newOutput()
		w.boundBox(box)
		w.joint.Aim(w.task.cutoff)
		w.task.plan.joint = true
		left := slices.Clone(part)
		n := &w.at
		n.Box, n.slot, n.bound = left, 0, 1
		rest := rebounds{w}.boundJointly(n)
		bound := n.bound
		for x, v := range gaps {
			in := rest
			for d := range tr.Grid.Dims {
				from, _ := tr.Grid.Dims[d].Values(left[2*d])
				to, _ := tr.Grid.Dims[d].Values(left[2*d+1])
				in = in && from <= x[d] && x[d] <= to
			}
			if v > w.task.cutoff && (!in || v > bound) {
				t.Fatalf("question %d: %v has the gap %v above %v, bounded by %v; left are %v of %v: %v", i, x, v, w.task.cutoff, bound, left, part, rest)
			}
		}
		switch {
		case !rest:
			gone++
		case bound < 1:
			lower++
		}
		if rest && !slices.Equal(left, part) {
			smaller++
		}
	}
	if lower < 20 || smaller < 5 || gone < 20 {
		t.Errorf("%d bounds were lower, %d boxes smaller, %d gone", lower, smaller, gone)
	}
}

// near is the largest distance of a bound from the largest gap at which the host calls it
// closed.
func near(gap float64) float64 {
	if gap <= 0 {
		return 1e-10
	}
	return min(max(min(1e-6, 1e-3*gap), 1e-12), 1e-7*max(gap, 1e-3))
}

// The search finds the largest score gap of two copies, both if all boxes are bounded jointly
// and if only those for which it pays. It does not depend on threads.
func TestLargestGapOfTwoCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 47))
	fewer, small := 0, 0
	for i := range tier.Count(20, 400) {
		q := pairOf(r)
		if i%3 == 0 { // gaps of 10⁻³ to 10⁻¹¹
			last := &q.Model.(*relu.Network).Layers[2]
			scale := math.Ldexp(1, -10-r.IntN(27))
			for j := range last.Weights {
				last.Weights[j] *= scale
			}
		}
		most := math.Inf(-1)
		var boxes [2][2]int64
		for always := range boxes {
			for threads := range boxes[always] {
				tr, err := newSearch(q, 1, 1+2*threads)
				if err != nil {
					t.Fatal(err)
				}
				if math.IsInf(most, -1) {
					for _, v := range gapsOf(tr, tr.Grid.Whole()) {
						most = max(most, v)
					}
				}
				if always == 1 {
					tr.joint.Before = math.Inf(1)
				}
				end := tr.Run(context.Background(), Limits{})
				boxes[always][threads] = tr.Nodes
				// The bound may be off by the rounding of the largest values inside the
				// network.
				apart := max(near(most), 20*q.Notion.Slope()*tr.Error)
				if b := tr.Bound(); end != Complete || !math.IsInf(most, -1) && !(b >= most && b <= most+apart) {
					t.Errorf("question %d, always %d: ended with %d, bound %v, want %v", i, always, end, b, most)
				}
			}
			if boxes[always][0] != boxes[always][1] {
				t.Errorf("question %d, always %d: %v boxes, by threads", i, always, boxes[always])
			}
		}
		if boxes[1][0] < boxes[0][0] {
			fewer++
		}
		if most > 0 && most < 1e-8 {
			small++
		}
	}
	if fewer < tier.Count(1, 20) {
		t.Errorf("tangents made boxes fewer in %d questions", fewer)
	}
	if small < tier.Count(1, 20) {
		t.Errorf("%d gaps were small", small)
	}
}
