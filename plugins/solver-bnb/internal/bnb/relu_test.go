package bnb

import (
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// No individual of a box that ReLU branching proves has a gap above the cutoff, more bins, or different decisions, in exact
// arithmetic, for any number of copies, bounded box, and part of it.
func TestNobodyIsAboveWhatCasesSettle(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 50))
	settled, left := map[problem.Goal]int{}, map[problem.Goal]int{}
	for i := range tier.Count(120, 1200) {
		q := latticeOf(r, fairness.Score, 2+r.IntN(6))
		switch i % 3 {
		case 0:
			q.Goal, q.Epsilon = problem.MaxK, big.NewRat(1, int64(3+r.IntN(3)))
		case 1:
			q = latticeOf(r, fairness.Decision, 2)
			q.Goal = []problem.Goal{problem.Quantify, problem.Decide}[i%2]
		}
		signs := q.Notion == fairness.Decision
		tr, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.lp.Columns, tr.ReLU = 256, true
		w := tr.workers[0]
		box, part := boxAndPart(r, tr, i%2 == 0)
		values := gapsOf(tr, part)
		if q.Goal == problem.MaxK {
			logitsIn(tr, part, func(x []float64, logits []*big.Rat) {
				values[[3]float64(x)] = float64(fairness.LinkSigmoid.KBins(logits, q.Epsilon))
			})
		}
		if signs { // 1 for different decisions
			logitsIn(tr, part, func(x []float64, logits []*big.Rat) {
				v := 0.0
				if slices.MaxFunc(logits, (*big.Rat).Cmp).Sign() > 0 && slices.MinFunc(logits, (*big.Rat).Cmp).Sign() <= 0 {
					v = 1
				}
				values[[3]float64(x)] = v
			})
		}
		known := slices.Sorted(maps.Values(values))
		if len(known) == 0 {
			continue
		}
		if w.task.cutoff = known[len(known)-1]; signs {
			w.task.cutoff = 0
		} else if q.Goal == problem.MaxK {
			w.task.cutoff = max(1, w.task.cutoff-float64(r.IntN(2)))
		} else {
			w.task.cutoff *= []float64{1 - 1e-12, 1 + 1e-9, 1.2, r.Float64()}[r.IntN(4)]
		}
		w.task.output = w.newOutput()
		w.boundBox(box)
		w.task.relu = true
		w.relu.Cutoff, w.relu.Requirements = w.task.cutoff, tr.goal.Requirements(w.task.cutoff)
		if q.Goal == problem.MaxK { // whatever the share of the bins
			w.relu.Requirements = tr.Bins.MoreBins(int(w.task.cutoff))
		}
		n := &w.at
		n.Box, n.slot, n.bound, n.certain, n.possible = part, 0, math.Inf(1), true, nil
		if !(relus{w}).apply(n) {
			left[q.Goal]++
			continue
		}
		settled[q.Goal]++
		// Individuals that were evaluated meanwhile raise the cutoff.
		cutoff := w.task.cutoff
		if w.task.best != nil && tr.Values {
			cutoff = math.Max(cutoff, tr.Above(w.task.best))
		}
		for x, v := range values {
			if v > cutoff {
				t.Fatalf("question %d, %s: %v has %v, above %v, in the box that was settled", i, q.Goal, x, v, cutoff)
			}
		}
	}
	for _, g := range []problem.Goal{problem.Maximise, problem.MaxK, problem.Quantify, problem.Decide} {
		if settled[g] < tier.Count(10, 20) || left[g] < tier.Count(1, 5) {
			t.Errorf("%s: %d boxes were settled, %d not", g, settled[g], left[g])
		}
	}
}

// Deciding with ReLU branching, from the start or after a restart, gives the verdict of enumeration, with fewer boxes, and
// the same with two threads.
func TestDecidingWithCases(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 50))
	fair, with, without := 0, int64(0), int64(0)
	for i := range tier.Count(20, 240) {
		notion := []fairness.Notion{fairness.Decision, fairness.Score}[i%2]
		q := latticeOf(r, notion, 2+i%4/2)
		q.Goal, q.Epsilon = problem.Decide, big.NewRat(1, int64(2+r.IntN(4)))
		unfair := false
		run := func(after int64, threads int) *Search {
			tr, err := newSearch(q, 1, threads)
			if err != nil {
				t.Fatal(err)
			}
			tr.Params.RestartAfter = after
			end := tr.Run(t.Context(), Limits{})
			if (tr.Best != nil) != unfair || !unfair && (end != Complete || tr.Stuck > 0) {
				t.Fatalf("question %d, cases after %d: %+v, end %v; unfair by enumeration: %v", i, after, tr.Best, end, unfair)
			}
			return tr
		}
		plain, err := newSearch(q, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		logitsIn(plain, plain.Grid.Whole(), func(_ []float64, logits []*big.Rat) {
			unfair = unfair || q.Notion.Violates(logits, q.Epsilon)
		})
		boxes := run(math.MaxInt64, 1).Nodes
		restarted := run(int64(r.IntN(8)), 1)
		if two := run(restarted.Params.RestartAfter, 2); two.Nodes != restarted.Nodes {
			t.Errorf("question %d: %d boxes with one thread, %d with two", i, restarted.Nodes, two.Nodes)
		}
		if n := run(0, 1).Nodes; !unfair {
			fair++
			with, without = with+n, without+boxes
		}
	}
	if fair < tier.Count(10, 20) || with >= without {
		t.Errorf("%d fair questions took %d boxes with cases, %d without", fair, with, without)
	}
}

// Pieces with proofs make up the region, each reported once, wherever the search ends: before its restart with ReLU
// branching, at it, or after it.
func TestPiecesAreToldOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 50))
	ends, shown := map[End]int{}, 0
	for i := range tier.Count(60, 300) {
		q := latticeOf(r, fairness.Score, 2+r.IntN(4))
		if i%3 == 0 {
			q.Goal, q.Epsilon = problem.MaxK, big.NewRat(1, int64(3+r.IntN(3)))
		}
		tr, err := newSearch(q, 1, 1+i%2)
		if err != nil {
			t.Fatal(err)
		}
		size := 0.0
		tell := func(p Piece) {
			size += tr.Grid.Size(p.Box)
			if p.Cases != nil {
				shown++
			}
		}
		tr.Proofs, tr.Params.RestartAfter = true, int64(r.IntN(12))
		tr.Pieces = func(list []Piece) {
			for _, p := range list {
				tell(p)
			}
		}
		ends[tr.Run(t.Context(), Limits{Nodes: int64(r.IntN(3) * (1 + r.IntN(40)))})]++
		tr.Rest(tell)
		if size != tr.Total.Float() {
			t.Errorf("question %d: the pieces have %v individuals of %v", i, size, tr.Total.Float())
		}
	}
	if ends[Complete] < 10 || ends[OutOfNodes] < 10 || shown < 10 {
		t.Errorf("%v ends and %d pieces with cases do not show much", ends, shown)
	}
}
