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
	// MostCombinations bounds those whose pairs are looked at one by one: beyond it boxes
	// that are bounded for all of them together are proved sooner.
	MostCombinations = 64
	// triedPairs bounds the pairs of combinations for which a cut of a box is looked for.
	triedPairs = 8
	// fewPlaces is how many combinations of places a box has too many of for dives to prove a leaf of it. A checker that cuts it down
	// to single ones has twice as many parts to look at, which is what it does at most.
	fewPlaces = 1 << 19
	// NodeDepth is how many nodes a dive may look at for a node of the search.
	NodeDepth = 4096
)

// Bounder bounds boxes of trees one at a time, on one thread.
type Bounder struct {
	*relax.Problem
	*Boxes
	Dive *Dive
	// Thorough: boxes are cut as dives cut parts.
	Thorough bool
	lo, hi   []float64
}

// NewBounder ends bounds and dives where stop is set.
func NewBounder(p *relax.Problem, plan *Plan, stop *atomic.Bool) *Bounder {
	b := &Bounder{Problem: p, Boxes: plan.NewBoxes(), Dive: plan.NewDive(stop)}
	b.Stop = stop
	b.lo, b.hi = make([]float64, len(b.Lo)), make([]float64, len(b.Lo))
	return b
}

// Place bounds a box.
func (b *Bounder) Place(box grid.Box, _ int) { b.Boxes.Bound(box) }

// Bound does nothing: what is placed is bounded.
func (b *Bounder) Bound() {}

// Enclosures encloses the lanes' logits.
func (b *Bounder) Enclosures(int) (lo, hi []float64) {
	e := 4 * b.Error
	for z := range b.lo {
		b.lo[z], b.hi[z] = b.From+b.Lo[z]-e, b.To+b.Hi[z]+e
	}
	return b.lo, b.hi
}

// Spreads encloses the logits: trees in common are the same for all lanes.
func (b *Bounder) Spreads(_ int, possible, sure []bool) (whole, spread notion.Spread) {
	b.Enclosures(0)
	whole = notion.Gather(b.lo, b.hi, possible, sure)
	spread = notion.Gather(b.Lo, b.Hi, possible, sure)
	spread.From, spread.To = b.From, b.To
	spread.Apart = min(spread.Apart, b.Apart(possible))
	whole.Apart = min(whole.Apart, spread.Apart)
	return whole, spread
}

// Relative visits the enclosures without the trees in common.
func (b *Bounder) Relative(_ int, visit func()) {
	copy(b.lo, b.Lo)
	copy(b.hi, b.Hi)
	visit()
}

// BranchingFeature is the dimension with the most cells, −1 where all have one. Cut finds better ones, and takes longer.
func (b *Bounder) BranchingFeature(box grid.Box, _ int) int { return Widest(box) }

// Widest is the dimension of a box with the most cells, −1 where all have one.
func Widest(box grid.Box) int {
	cut := -1
	for d := 0; 2*d < len(box); d++ {
		if n := box[2*d+1] - box[2*d]; n > 0 && (cut < 0 || n > box[2*cut+1]-box[2*cut]) {
			cut = d
		}
	}
	return cut
}

// Branch is where to cut a box, of which the rules may have said that it is to be cut in dimension d: the last cell of the lower
// half in a dimension. Values above the cutoff are looked for.
func (b *Bounder) Branch(box grid.Box, d int, cutoff float64) (dim int, last uint64) {
	if b.Rules != nil && d != Widest(box) {
		return d, box[2*d] + (box[2*d+1]-box[2*d])/2
	}
	if b.Thorough {
		if dim, last = b.branchForPair(box, cutoff); dim >= 0 {
			return dim, last
		}
	}
	if dim, last = b.Cut(box); dim >= 0 {
		return dim, last
	}
	for i := range b.Grid.Relaxed { // where the second copies go
		if s := b.Grid.Relaxed[i].Shift; box[2*s] < box[2*s+1] {
			d = s
		}
	}
	return d, box[2*d] + (box[2*d+1]-box[2*d])/2
}

// branchForPair is where to cut a box for the pair of combinations that promises the largest value, so that
// the bounds of both halves become small, or where that is known within cells of real features already, for
// the next; dim is −1 where nothing speaks for a cut.
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

// ByPairs says what the bounds of single pairs of combinations mean for the box that was bounded last: fair where no
// pair that may be allowed violates, unfair where one does that surely is.
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
			// The pair the other way round has the least of the first logit, and the greatest of the second.
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

// Demands are what a pair of logits within bounds must exceed for a value above the cutoff.
func (b *Bounder) Demands(bounds Pair, cutoff float64) (demands Pair, ok bool) {
	if b.Most(bounds) <= cutoff {
		return demands, false
	}
	n, ok := b.Notion.Need(&notion.Spread{Least: -bounds[2], Most: bounds[1], Apart: bounds[0]}, cutoff)
	if !ok { // nothing is known, but that a gap is one of two logits
		n = notion.Need{Above: Anything, Below: -Anything, Apart: Anything}
		if cutoff >= 0 && !b.Notion.Signs() {
			n.Apart = 0
		}
	}
	return Pair{n.Apart, n.Above, -n.Below}, true
}

// Provable reports whether dives may prove the box that was bounded last: they cut within a cell of a real feature, which boxes do
// not, and where a proof is wanted, a box with fewer than fewPlaces is one leaf of it. cut is −1 where the box cannot be cut.
func (b *Bounder) Provable(cut int, proofs bool) bool {
	return b.Thorough && !b.Off(params.Dives) && (cut < 0 || proofs) && !(proofs && b.Places(fewPlaces) >= fewPlaces)
}

// Parts returns the parts of the box bounded last, a pair of combinations each.
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
