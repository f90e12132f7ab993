package ensemble

import (
	"slices"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// MostCombinations is the largest number of combinations whose pairs are examined one
	// by one: with more, boxes bounded for all of them together are proved sooner.
	MostCombinations = 64
	// triedPairs is the largest number of pairs of combinations for which a split of a
	// box is looked for.
	triedPairs = 8
	// fewPlaces is the least number of combinations of places at which dives do not prove a box as one leaf of a proof. A
	// checker that splits it down to single combinations has at most twice as many parts to check.
	fewPlaces = 1 << 19
	// NodeDepth is the number of nodes that a dive may visit for a node of the search.
	NodeDepth = 4096
)

// Bounder bounds boxes of trees one at a time, on one thread.
type Bounder struct {
	*relax.Problem
	*Boxes
	Dive *Dive
	// Moments counts individuals; nil as long as they are not counted.
	Moments *Moments
	// Thorough makes boxes be split as dives split parts.
	Thorough bool
	lo, hi   []float64
}

// NewBounder returns a Bounder. Its bounds and dives end when stop is set.
func NewBounder(p *relax.Problem, plan *Plan, stop *atomic.Bool) *Bounder {
	b := &Bounder{Problem: p, Boxes: plan.NewBoxes(), Dive: plan.NewDive(stop)}
	b.Stop = stop
	b.lo, b.hi = make([]float64, len(b.Lo)), make([]float64, len(b.Lo))
	return b
}

// Place bounds a box.
func (b *Bounder) Place(box grid.Box, _ int) { b.Boxes.Bound(box) }

// Bound does nothing: Place has bounded the box.
func (b *Bounder) Bound() {}

// Enclosures returns the enclosures of the lanes' logits, shared trees included.
func (b *Bounder) Enclosures(int) (lo, hi []float64) {
	e := 4 * b.Error
	for z := range b.lo {
		b.lo[z], b.hi[z] = b.From+b.Lo[z]-e, b.To+b.Hi[z]+e
	}
	return b.lo, b.hi
}

// Spreads encloses the logits; the part of the shared trees is the same for all lanes.
func (b *Bounder) Spreads(_ int, possible, sure []bool) (whole, spread notion.Spread) {
	b.Enclosures(0)
	whole = notion.Gather(b.lo, b.hi, possible, sure)
	spread = notion.Gather(b.Lo, b.Hi, possible, sure)
	spread.From, spread.To = b.From, b.To
	spread.Apart = min(spread.Apart, b.Apart(possible))
	whole.Apart = min(whole.Apart, spread.Apart)
	return whole, spread
}

// Relative visits the enclosures without the shared trees: they shift all logits alike.
func (b *Bounder) Relative(_ int, visit func()) {
	copy(b.lo, b.Lo)
	copy(b.hi, b.Hi)
	visit()
}

// BranchingFeature returns the dimension with the most cells, −1 if all have one. Cut finds better ones, and takes
// longer.
func (b *Bounder) BranchingFeature(box grid.Box, _ int) int { return Widest(box) }

// Widest returns the dimension of a box with the most cells, −1 if all have one.
func Widest(box grid.Box) int {
	cut := -1
	for d := 0; 2*d < len(box); d++ {
		if n := box[2*d+1] - box[2*d]; n > 0 && (cut < 0 || n > box[2*cut+1]-box[2*cut]) {
			cut = d
		}
	}
	return cut
}

// Branch returns where to split a box for values above the cutoff: a dimension, and the last cell of its lower half. d is
// the dimension chosen so far, by the rules if it is not the widest.
func (b *Bounder) Branch(box grid.Box, d int, cutoff float64) (dim int, last uint64) {
	if b.Rules != nil && d != Widest(box) {
		return d, box[2*d] + (box[2*d+1]-box[2*d])/2
	}
	if b.Moments != nil {
		b.Boxes.Bound(box)
		if f, c := b.Moments.Cut(b.Boxes, box); f >= 0 {
			if dim, last = b.Cell(box, int(f), int(c)); dim >= 0 {
				return dim, last
			}
		}
	}
	if b.Thorough {
		if dim, last = b.branchForPair(box, cutoff); dim >= 0 {
			return dim, last
		}
	}
	if dim, last = b.Cut(box); dim >= 0 {
		return dim, last
	}
	for i := range b.Grid.Relaxed { // the second copies' values
		if s := b.Grid.Relaxed[i].Shift; box[2*s] < box[2*s+1] {
			d = s
		}
	}
	return d, box[2*d] + (box[2*d+1]-box[2*d])/2
}

// branchForPair returns where to split a box for the most promising pair of combinations, so that the
// bounds of both halves become small. If that is within a cell of a real feature, it takes the next pair.
// dim is −1 if no split helps.
func (b *Bounder) branchForPair(box grid.Box, cutoff float64) (dim int, last uint64) {
	b.Boxes.Bound(box)
	type pair struct {
		z1, z2 int
		most   float64
	}
	var best []pair // the most promising first
	for i := range b.Grid.Combinations {
		for j := range b.Grid.Combinations {
			if v := b.Most(b.Pair(i, j)); i != j && v > cutoff {
				at := len(best)
				for at > 0 && best[at-1].most < v {
					at--
				}
				if best = slices.Insert(best, at, pair{i, j, v}); len(best) > triedPairs {
					best = best[:triedPairs]
				}
			}
		}
	}
	demands := func(bounds Pair) (Pair, bool) { return b.Demands(bounds, cutoff) }
	for _, of := range best {
		p := b.Part(of.z1, of.z2)
		f, c := b.Dive.Cut(&p, demands, func(feature, last int32) bool { // not within a cell of a real feature
			dim, _ := b.Cell(box, int(feature), int(last))
			return dim >= 0
		})
		if f >= 0 {
			return b.Cell(box, int(f), int(c))
		}
	}
	return -1, 0
}

// ByPairs returns what the bounds of single pairs of combinations prove for the last bounded box: fair if no pair
// that may be allowed violates, unfair if a pair that surely is allowed does.
func (b *Bounder) ByPairs(possible, sure []bool) (fair, unfair bool) {
	if b.Off(params.Pairs) || len(b.Grid.Combinations) > MostCombinations {
		return false, false
	}
	fair = true
	for z1 := range b.Grid.Combinations {
		for z2 := range b.Grid.Combinations {
			if z1 == z2 || possible != nil && !(possible[z1] && possible[z2]) {
				continue
			}
			one, two := b.Pair(z1, z2), b.Pair(z2, z1)
			fair = fair && b.Most(one) <= b.Notion.Tolerated()
			// The reversed pair bounds the first logit from below, and the second from above.
			high, low := space.Interval{Lo: -two[2], Hi: one[1]}, space.Interval{Lo: -one[2], Hi: two[1]}
			if (sure == nil || sure[z1] && sure[z2]) && b.Notion.SurelyApart(high, low, -two[0]) {
				return false, true
			}
		}
	}
	return fair, false
}

// Most bounds the value of a pair of logits.
func (b *Bounder) Most(bounds Pair) float64 {
	s := notion.Spread{Least: -bounds[2], Most: bounds[1], Apart: bounds[0]}
	return b.Notion.Upper(&s, &s)
}

// Demands returns what the logits of a pair within bounds must exceed for a value above the
// cutoff.
func (b *Bounder) Demands(bounds Pair, cutoff float64) (demands Pair, ok bool) {
	if b.Most(bounds) <= cutoff {
		return demands, false
	}
	n, ok := b.Notion.Need(&notion.Spread{Least: -bounds[2], Most: bounds[1], Apart: bounds[0]}, cutoff)
	if !ok { // only that a gap is between two logits is known
		n = notion.Need{Above: Anything, Below: -Anything, Apart: Anything}
		if cutoff >= 0 && !b.Notion.Signs() {
			n.Apart = 0
		}
	}
	return Pair{n.Apart, n.Above, -n.Below}, true
}

// Provable reports whether dives may prove the last bounded box. Dives split within a cell of a real feature, which boxes
// do not. In a proof, a box with fewer than fewPlaces combinations of places is one leaf. cut is −1 if the box cannot be
// split.
func (b *Bounder) Provable(cut int, proofs bool) bool {
	return b.Thorough && !b.Off(params.Dives) && (cut < 0 || proofs) && !(proofs && b.Places(fewPlaces) >= fewPlaces)
}

// Parts returns the parts of the last bounded box, one per pair of combinations.
func (b *Bounder) Parts(possible []bool) (list []Part) {
	for z1 := range b.Grid.Combinations {
		for z2 := range b.Grid.Combinations {
			if z1 != z2 && (possible == nil || possible[z1] && possible[z2]) {
				list = append(list, b.Part(z1, z2))
			}
		}
	}
	return list
}
