package bnb

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Up to the excluded mass, tables count at most as many of a box's individuals beyond a number as exact arithmetic, for any
// number of copies, bounded box, counted part, groups and blocks of dimensions, and number.
func TestTablesCountNobodyTooMuch(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 54))
	counted, truths, blocks := 0.0, 0.0, 0
	for i := range tier.Count(150, 1000) {
		q := latticeOf(r, []fairness.Notion{fairness.Decision, fairness.Score}[r.IntN(2)], 2+r.IntN(5))
		q.Goal, q.Space.Forbidden = problem.Quantify, nil
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := tr.workers[0]
		w.Params.Count.Points = []int{384, 40, 7, 3}[r.IntN(4)]
		box, part := boxAndPart(r, tr, i%2 == 0)
		w.ws.Place(box, 0)
		w.counter.PlaceTail(box, 0, []float64{0, 0, 1, 2}[r.IntN(4)])
		w.ws.N = 1
		w.bounded()
		lost := w.counter.Excluded(0, tr.Grid.Size(box)) // mass that bounds exclude
		of := [2][][]*big.Rat{}                          // by side, each individual's copies, all times its sign
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
			among := make([]bool, w.ws.Lanes)
			for z := range among {
				among[z] = r.IntN(3) > 0
			}
			if among[r.IntN(w.ws.Lanes)] = true; r.IntN(2) == 0 {
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
			if w.counter.Tabulate(part, 0, beyond) {
				n = w.counter.Beyond(side, among, beyond, w.counter.Uncertain(among))
				if w.counter.Blocks() {
					blocks++
				}
			}
			if n-lost > truth {
				t.Fatalf("question %d, side %d: %v of %d are counted beyond %v, but %v are", i, side, n, len(lowest), beyond, truth)
			}
			counted, truths = counted+n, truths+truth
		}
	}
	if counted < 0.4*truths || blocks < tier.Count(30, 50) {
		t.Errorf("%v of %v were counted, by blocks %d times", counted, truths, blocks)
	}
}

// anyQuestion returns a query about shares. Features feed no input, one or several, evenly, by tables or as real numbers;
// some are protected. Networks have up to five layers, some without ReLUs.
func anyQuestion(r *rand.Rand, real bool) *problem.Query {
	s := &space.Space{}
	feed := func(f *space.Feature, inputs int) {
		for range inputs {
			in := space.Input{Index: s.Inputs, Scale: 1}
			switch r.IntN(3) {
			case 0:
				in.Scale, in.Offset = r.NormFloat64(), r.NormFloat64()
			case 1:
				for v := f.Lo; v <= f.Hi && f.Kind != space.Real; v++ {
					in.Table, in.Scale = append(in.Table, r.NormFloat64()*2), 0
				}
			}
			f.Inputs = append(f.Inputs, in)
			s.Inputs++
		}
	}
	for i := range 1 + r.IntN(5) {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Lo: float64(r.IntN(9) - 4)}
		f.Hi = f.Lo + float64(r.IntN([]int{2, 5, 12, 40}[r.IntN(4)]))
		if i == 0 && r.IntN(4) == 0 {
			f.Hi = f.Lo + float64(r.IntN(600))
		}
		if real && (i == 0 || r.IntN(3) == 0) {
			f.Kind, f.Hi = space.Real, f.Lo+1+10*r.Float64()
		}
		feed(&f, []int{0, 1, 1, 1, 2, 3}[r.IntN(6)])
		s.Features = append(s.Features, f)
	}
	for i := range 1 + r.IntN(2) {
		f := space.Feature{Name: string(rune('p' + i)), Kind: space.Integer, Hi: float64(1 + r.IntN([]int{2, 4, 8}[r.IntN(3)]))}
		for v := 0.0; v <= f.Hi; v++ {
			f.Protected = append(f.Protected, v)
		}
		feed(&f, []int{0, 1, 1, 2}[r.IntN(4)])
		s.Features = append(s.Features, f)
	}
	if s.Inputs == 0 {
		feed(&s.Features[0], 1)
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	for in, left := s.Inputs, r.IntN(5); left >= 0; left-- {
		l := relu.Layer{In: in, Out: 1 + r.IntN(9), ReLU: r.IntN(7) > 0}
		if left == 0 {
			l.Out, l.ReLU = 1, false
		}
		for range l.In * l.Out {
			l.Weights = append(l.Weights, r.NormFloat64()/math.Sqrt(float64(l.In)))
		}
		for range l.Out {
			l.Bias = append(l.Bias, r.NormFloat64())
		}
		n.Layers, in = append(n.Layers, l), l.Out
	}
	return &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: fairness.Decision, Epsilon: big.NewRat(1, 20), Goal: problem.Quantify}
}

// corners visits the cells of a box, each with its individuals whose real features are at their
// cells' ends.
func corners(g *grid.Grid, box grid.Box, visit func(people [][]float64)) {
	var at func(d int, people [][]float64)
	at = func(d int, people [][]float64) {
		if d == len(g.Dims) {
			visit(people)
			return
		}
		for c := box[2*d]; c <= box[2*d+1]; c++ {
			lo, hi := g.Dims[d].Values(c)
			var next [][]float64
			for _, x := range people {
				if next = append(next, append(slices.Clone(x), lo)); hi != lo {
					next = append(next, append(slices.Clone(x), hi))
				}
			}
			at(d+1, next)
		}
	}
	at(0, [][]float64{{}})
}

// logitAbout returns the logit of a point, in float64.
func logitAbout(q *problem.Query, point []float64) float64 {
	values := make([]float64, q.Space.Inputs)
	for i, f := range q.Space.Features {
		for _, in := range f.Inputs {
			if values[in.Index] = in.Scale*point[i] + in.Offset; in.Table != nil {
				values[in.Index] = in.Table[int(point[i]-f.Lo)]
			}
		}
	}
	n := q.Model.(*relu.Network)
	for k := range n.Layers {
		l := &n.Layers[k]
		next := slices.Clone(l.Bias)
		for j := range next {
			for i, c := range l.Row(j) {
				next[j] += c * values[i]
			}
			if l.ReLU {
				next[j] = max(next[j], 0)
			}
		}
		values = next
	}
	return values[0]
}

// No more cells are counted as fair or unfair than have only such individuals, for any query, boxes in the lanes, counted
// parts, and excluded mass.
func TestCountsOfAnyQuestion(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 54))
	settled, all, lost, real, blocks := 0.0, 0.0, 0, 0, 0
	for i := range tier.Count(150, 1200) {
		q := anyQuestion(r, i%3 == 0)
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		w, g := tr.workers[0], tr.Grid
		w.Params.Count.Points = []int{384, 384, 40, 7, 3, 1}[r.IntN(6)]
		var boxes, parts []grid.Box
		for range 1 + r.IntN(min(w.ws.Slots, 4)) {
			box, part := boxAndPart(r, tr, r.IntN(2) == 0)
			for d := 0; g.Size(part) > 300; d = (d + 1) % len(g.Dims) {
				part[2*d+1] = part[2*d] + (part[2*d+1]-part[2*d])/2
				if r.IntN(4) > 0 {
					box[2*d], box[2*d+1] = part[2*d], part[2*d+1]
				}
			}
			boxes, parts = append(boxes, slices.Clone(box)), append(parts, slices.Clone(part))
		}
		w.ws.N = len(boxes)
		for b, box := range boxes {
			tail := []float64{0, 0.3, 0.8, 1.5}[r.IntN(4)]
			if w.ws.Place(box, b); !g.Countable {
				tail = 0
			}
			w.counter.PlaceTail(box, b, tail)
		}
		w.bounded()
		for _, b := range r.Perm(len(boxes)) {
			most := [2]float64{}
			corners(g, parts[b], func(people [][]float64) {
				least, greatest := math.Inf(1), math.Inf(-1)
				unfair := true
				for _, x := range people {
					lo, hi := math.Inf(1), math.Inf(-1)
					for z := range w.ws.Lanes {
						l := logitAbout(q, g.Complete(g.Point(x), z))
						lo, hi = min(lo, l-1e-9), max(hi, l+1e-9)
					}
					unfair = unfair && lo <= 0 && hi >= 0
					least, greatest = min(least, lo), max(greatest, hi)
				}
				if least >= -2e-9 || greatest <= 2e-9 {
					most[0]++
				}
				if unfair {
					most[1]++
				}
			})
			off := w.counter.Excluded(b, g.Size(boxes[b]))
			fair, unfair := w.counter.Count(parts[b], b, off, 0, notion.Thresholds{}, nil, nil, true)
			if fair > most[0] || unfair > most[1] {
				t.Fatalf("question %d, box %d: %v and %v cells are counted as fair and unfair, but no more than %v of %v are", i, b, fair, unfair, most, g.Size(parts[b]))
			}
			if f, u := w.counter.Count(parts[b], b, off+7, 0, notion.Thresholds{}, nil, nil, true); f > max(0, fair-7) || u > max(0, unfair-7) {
				t.Fatalf("question %d, box %d: with seven more lost %v and %v, of %v and %v", i, b, f, u, fair, unfair)
			}
			settled, all = settled+fair+unfair, all+g.Size(parts[b])
			if off > 0 {
				lost++
			}
			if !g.Countable {
				real++
			}
			if w.counter.Blocks() {
				blocks++
			}
		}
	}
	if settled < all/4 || lost < tier.Count(40, 150) || real < tier.Count(60, 200) || blocks < 100 {
		t.Errorf("%v of %v cells were settled, some lost in %d boxes, features real in %d, cells in blocks in %d", settled, all, lost, real, blocks)
	}
}

// If no feature feeds an input, there are no tables.
func TestNoFeatureMatters(t *testing.T) {
	s := &space.Space{Inputs: 1, Features: []space.Feature{
		{Name: "idle", Kind: space.Integer, Hi: 99},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 0, Scale: 1}}},
	}}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 1, Out: 1, ReLU: true, Weights: []float64{0}, Bias: []float64{0}},
		{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{0}},
	}}
	q := &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: fairness.Decision, Epsilon: big.NewRat(1, 20), Goal: problem.Quantify}
	tr, err := newSearch(q, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if end := tr.Run(t.Context(), Limits{}); end != Complete || tr.Fair.Float() != 100 {
		t.Errorf("%v, %v of 100 are fair", end, tr.Fair.Float())
	}
}

// The count of a box depends neither on the boxes in other lanes nor on earlier boxes.
func TestTablesOfBoxesTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 54))
	counted := 0
	for range tier.Count(60, 300) {
		q := latticeOf(r, fairness.Decision, 2+r.IntN(5))
		q.Goal, q.Space.Forbidden = problem.Quantify, nil
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		bound := func(w *worker, boxes []grid.Box) {
			for b, box := range boxes {
				w.ws.Place(box, b)
				w.counter.PlaceTail(box, b, 0)
			}
			w.ws.N = len(boxes)
			w.bounded()
		}
		of := func(w *worker, box grid.Box, b int) (n [3]float64) {
			if !w.counter.Tabulate(box, b, 0) {
				return n
			}
			open := w.counter.Uncertain(nil)
			for side := range 2 {
				n[side] = w.counter.Beyond(side, nil, 0, open)
			}
			n[2] = w.counter.Opposite(box, nil)
			return n
		}
		w := tr.workers[0]
		for range 3 {
			var boxes []grid.Box
			for range 1 + r.IntN(w.ws.Slots) {
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
