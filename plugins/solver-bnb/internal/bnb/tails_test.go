package bnb

import (
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

// sharesOf returns a query about shares, with features that feed two inputs, evenly or
// not.
func sharesOf(r *rand.Rand, i int) *problem.Query {
	q := latticeOf(r, fairness.Notions[i%len(fairness.Notions)], 2+r.IntN(2))
	q.Goal = problem.Quantify
	if r.IntN(2) == 0 {
		q.Space.Features[2].Inputs[1] = space.Input{Index: 3, Scale: 1.5, Offset: -2}
	}
	if r.IntN(2) == 0 {
		q.Space.Forbidden = nil
	}
	return q
}

// The enclosures of neurons and the forms of logits hold for all individuals of a box except
// the excluded mass, for any number of trimmed ends.
func TestBoundsHoldForAllButTheLost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 51))
	moved, few, lost := 0, 0, 0
	for i := range tier.Count(100, 800) {
		q := sharesOf(r, i)
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := tr.workers[0]
		box, _ := boxAndPart(r, tr, false)
		w.ws.Place(box, 0)
		tr.Params.Count.Tail = 1 + 1.9*r.Float64()
		w.counter.PlaceTail(box, 0, w.counter.TailFor(box, 0))
		w.ws.N = 1
		w.bounded()
		w.ws.Batch.Sides()
		size := tr.Grid.Size(box)
		most := w.counter.Excluded(0, size)
		out := 0.0
		individuals(tr.Grid, box, func(x []float64) {
			if violates(w, x) {
				out++
			}
		})
		if out > most {
			t.Fatalf("question %d: bounds are wrong for %v of %v people, where %v were to be lost with τ = %v", i, out, size, most, tr.Params.Count.Tail)
		}
		if w.counter.Tail(0) > 0 && w.ws.Batch.Moved(0) > 0 {
			if moved++; most < size {
				few++
			}
		}
		if out > 0 {
			lost++
		}
	}
	if moved < tier.Count(15, 60) || few < tier.Count(2, 12) || lost < tier.Count(10, 20) {
		t.Errorf("ends were moved in %d boxes, in %d of them for a part of the people, and bounds did not hold for some in %d", moved, few, lost)
	}
}

// violates reports whether a bound of box 0 fails for an individual.
func violates(w *worker, x []float64) bool {
	const rounding = 1e-9
	layers := w.Network.Layers()
	for z := range w.ws.Lanes {
		in := w.Query.Space.ExactInputs(w.Grid.Complete(w.Grid.Point(x), z))
		values := make([]float64, len(in))
		for i, v := range in {
			values[i], _ = v.Float64()
		}
		inputs := values
		for k, l := range layers {
			next := make([]float64, l.Out)
			for j := range next {
				row := l.Weights[j*(1+l.In):]
				next[j] = row[0]
				for i, v := range values {
					next[j] += row[1+i] * v
				}
				if k == len(layers)-1 {
					continue
				}
				mid, rad, e := w.ws.Batch.Neuron(k, j)
				if math.Abs(next[j]-mid[z]) > rad[z]+e+rounding {
					return true
				}
				if l.ReLU {
					next[j] = max(next[j], 0)
				}
			}
			values = next
		}
		for side := range 2 {
			of := w.ws.Batch.Side(side)
			form := of.Base[z]
			for i, v := range inputs {
				form += of.Slope(i)[z] * v
			}
			if form > values[0]*float64(1-2*side)+rounding {
				return true
			}
		}
	}
	return false
}

// Shares stay true, and all individuals are settled in the end, for any tail.
func TestSharesAreTrueButForTheLost(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 51))
	counted := 0
	for i := range tier.Count(30, 240) {
		q := sharesOf(r, i)
		tail := 0.8 + 2*r.Float64()
		var fair, unfair float64
		for _, limit := range []int64{1, 3, 9, 0} {
			tr, err := newSearch(q, 1, 2)
			if err != nil {
				t.Fatal(err)
			}
			tr.Params.Count.Tail = tail
			if fair+unfair == 0 {
				fair, unfair = sharesIn(tr, tr.Grid.Whole())
			}
			end := tr.Run(t.Context(), Limits{Nodes: limit})
			if f, u := tr.Fair.Float(), tr.Unfair.Float(); f > fair || u > unfair || end == Complete && tr.Stuck == 0 && (f < fair || u < unfair) {
				t.Fatalf("question %d, %s, τ = %v, %d boxes: %v and %v fair and unfair, of %v and %v", i, q.Notion, tail, limit, f, u, fair, unfair)
			} else if end == OutOfNodes && f+u > 0 {
				counted++
			}
		}
	}
	if counted < 25 {
		t.Errorf("people were counted in %d searches that were ended", counted)
	}
}

// sharesIn returns how many individuals of a box are fair and unfair.
func sharesIn(tr *Search, box grid.Box) (fair, unfair float64) {
	logitsIn(tr, slices.Clone(box), func(_ []float64, logits []*big.Rat) {
		switch {
		case len(logits) == 0:
		case tr.Query.Notion.Violates(logits, tr.Query.Epsilon):
			unfair++
		default:
			fair++
		}
	})
	return fair, unfair
}

// Proofs hold for all individuals.
func TestProofsAreForAllPeople(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 51))
	few := 0
	for i := range 40 {
		tr, err := newSearch(sharesOf(r, i), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if tr.workers[0].counter.Neurons > 0 {
			few++
		}
		tr.Pieces, tr.Proofs = func([]Piece) {}, true
		if tr.Run(t.Context(), Limits{Nodes: 10}); tr.workers[0].counter.Neurons != 0 {
			t.Errorf("question %d: ends of %v neurons may be moved", i, tr.workers[0].counter.Neurons)
		}
	}
	if few < 10 {
		t.Errorf("%d questions do not show much", few)
	}
}

// Unused lanes do not change the bounds of others: the result of a task depends neither on its worker's earlier tasks nor
// on the number of threads.
func TestTasksShareNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 51))
	for i := range tier.Count(30, 240) {
		tr, err := newSearch(sharesOf(r, i), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.Params.Count.Tail = 1 + 2*r.Float64()
		tr.Run(t.Context(), Limits{Nodes: 1 + r.Int64N(40)})
		with := planOf(tr, Limits{})
		with.twice = with.twice && i%2 == 1
		used := newWorker(tr)
		for _, p := range tr.queue.take(tr.queue.size) {
			for at := 0; at < p.len(); at += 1 + r.IntN(8) {
				k := task{plan: with, p: p, from: at, to: min(at+1+r.IntN(12), p.len())}
				fresh := newWorker(tr)
				want, got := fresh.run(k), used.run(k)
				if want.Tally != got.Tally || want.bounded != got.bounded || want.mass != got.mass || len(want.open) != len(got.open) || fresh.ws.Batch.Intervals != used.ws.Batch.Intervals {
					t.Fatalf("question %d, leaves %d to %d: %+v of %d boxes and %d leaves by a new worker, %+v of %d and %d by one that was used, which go on with intervals: %t, %t",
						i, k.from, k.to, want.Tally, want.bounded, len(want.open), got.Tally, got.bounded, len(got.open), fresh.ws.Batch.Intervals, used.ws.Batch.Intervals)
				}
			}
		}
	}
}
