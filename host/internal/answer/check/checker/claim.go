package checker

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/certificate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// enclosure holds what is known of the logits of one combination over a box.
type enclosure struct {
	lo, hi *big.Rat
	form   *logit // of a network
	// combination is the copy's, of trees.
	combination int
	// Of two copies of a network: what the leaf says of how this one's logit is bounded with the other's, and
	// what that makes.
	joint    *joint
	slopes   []sdk.JointSlope
	up, down float64
	// copy is the copy's index in the leaf, refuted what its proofs by cases tell of this one with a larger score than another.
	copy    int
	refuted map[below]bool
	// bins of lo and hi, where the claim is about them.
	bins [2]int
	// σ(lo) − ½ from below and σ(hi) − ½ from above, once they are needed.
	below, above *big.Rat
}

// claim decides whether enclosures of the logits over a box prove what a
// certificate claims of every individual there.
type claim struct {
	notion  fairness.Notion
	link    fairness.Link
	epsilon *big.Rat
	// most is what the gap or margin may be; for a claim about bins, the gap
	// that is too small to reach more.
	most *big.Rat
	// near: logits no further apart have scores no further apart than most. For
	// the notion score only; nil for no such number.
	near *big.Rat
	k    int // bins; 0: the claim is about the gap or margin
	// edges enclose the logits at which bins 1, 2, and so on begin; nil where there are too many.
	edges []space.Interval
}

// maxEdges bounds the edges that are kept.
const maxEdges = 1 << 12

func newClaim(s *certificate.Statement) claim {
	c := claim{notion: s.Notion, link: s.Model().Link(), epsilon: s.Epsilon, most: new(big.Rat)}
	switch s.Claim.Kind {
	case certificate.Fair:
		if s.Notion.UsesEpsilon() {
			c.most = s.Epsilon
		}
	case certificate.Gap:
		c.most = s.Claim.Bound
	case certificate.MaxK:
		// Scores no further apart than n widths of a bin fall into n+1 at most.
		c.k = s.Claim.K
		c.most = new(big.Rat).Mul(s.Epsilon, new(big.Rat).SetInt64(int64(c.k-1)))
		if n := fairness.Bins(s.Epsilon); n <= maxEdges {
			for j := 1; j < n; j++ {
				lo, hi := c.link.Edge(j, s.Epsilon)
				c.edges = append(c.edges, space.Interval{Lo: lo, Hi: hi})
			}
		}
	}
	if c.notion == fairness.Score {
		c.near = nearLogits(c.most)
	}
	return c
}

// nearLogits is a number d, close to the largest, with σ(x) − σ(x−d) ≤ most for
// all x. The left side is largest at x = d/2, where it is 2·σ(d/2) − 1.
func nearLogits(most *big.Rat) *big.Rat {
	half := big.NewRat(1, 2)
	p := new(big.Rat).Mul(most, half)
	if lo, _ := fairness.LogitEnclosure(p.Add(p, half)); !math.IsInf(lo, 0) {
		d := new(big.Rat).SetFloat64(lo)
		return d.Add(d, d)
	}
	return nil
}

// follows reports whether the claim holds at every individual whose copies
// have logits in these enclosures, one a combination. difference bounds by how much the
// first of two logits exceeds the second, or with a tangent, its multiple of the first exceeds that of the second.
func (c *claim) follows(difference func(a, b *enclosure, of *tangent) *big.Rat, of []enclosure) bool {
	if c.k > 0 && maxBins(c.link, of, c.epsilon) <= c.k {
		return true
	}
	// Whether a pair is harmless depends on the upper end of one and the lower
	// end of the other only, and gets easier as these approach each other: the
	// pairs that the ends leave open come first in this order.
	first, second := make([]*enclosure, len(of)), make([]*enclosure, len(of))
	for i := range of {
		first[i], second[i] = &of[i], &of[i]
	}
	slices.SortStableFunc(first, func(a, b *enclosure) int { return b.hi.Cmp(a.hi) })
	slices.SortStableFunc(second, func(a, b *enclosure) int { return a.lo.Cmp(b.lo) })
	for _, a := range first {
		open := false
		for _, b := range second {
			if c.harmless(a, b) {
				break
			}
			open = true
			if a == b || c.refuted(a, b) || c.close(difference(a, b, nil), a, b) {
				continue
			}
			t := c.tangent(a)
			if t == nil || difference(a, b, t).Cmp(t.beyond) > 0 {
				return false
			}
		}
		if !open {
			break
		}
	}
	return true
}

// tangent is the one that the leaf gives for a pair with a's score the larger; nil for none.
func (c *claim) tangent(a *enclosure) *tangent {
	if a.up == 0 || c.notion != fairness.Score {
		return nil
	}
	return newTangent(c.most, a.up, a.down)
}

// harmless is apart of a.hi and b.lo. A cheap look at the scores, from
// enclosures made once for each copy, spares most pairs of many copies an exact
// comparison.
func (c *claim) harmless(a, b *enclosure) bool {
	if c.k > 0 && a.bins[1]-b.bins[0] < c.k {
		return true
	}
	if c.notion != fairness.Score {
		return c.apart(a.hi, b.lo)
	}
	if a.above == nil {
		_, a.above = fairness.GapBounds(a.hi, new(big.Rat), scoreBits)
	}
	if b.below == nil {
		b.below, _ = fairness.GapBounds(b.lo, new(big.Rat), scoreBits)
	}
	// The gap is at most d, and at least d less the widths of both enclosures.
	d := new(big.Rat).Sub(a.above, b.below)
	if d.Cmp(c.most) <= 0 {
		return true
	}
	if d.Sub(d, scoreWidths).Cmp(c.most) > 0 {
		return false
	}
	return c.apart(a.hi, b.lo)
}

// Enclosures of scores are at most 2^−scoreBits wide.
const scoreBits = 60

var scoreWidths = new(big.Rat).SetFrac64(2, 1<<scoreBits)

// apart reports that copies with logits up to hi and from lo on are no
// evidence against the claim, the one with hi being the better treated.
func (c *claim) apart(hi, lo *big.Rat) bool {
	switch c.notion {
	case fairness.Score:
		return !fairness.GapExceeds(hi, lo, c.most)
	case fairness.Logit, fairness.Share:
		return new(big.Rat).Sub(hi, lo).Cmp(c.most) <= 0
	case fairness.Decision: // the margin is the larger logit, where the smaller is at most 0
		return hi.Cmp(c.most) <= 0 || lo.Sign() > 0
	case fairness.DecisionStrict: // the margin is min(larger, −smaller)
		return hi.Cmp(c.most) <= 0 || new(big.Rat).Neg(lo).Cmp(c.most) <= 0
	}
	panic("check: " + c.notion.String())
}

// close reports the same from d, how far a's logit can exceed b's.
func (c *claim) close(d *big.Rat, a, b *enclosure) bool {
	if c.k > 0 && c.binsClose(d, a, b) {
		return true
	}
	switch c.notion {
	case fairness.Score:
		return c.scoresClose(d, a.hi, b.lo)
	case fairness.Logit, fairness.Share, fairness.Decision: // l1 ≤ d + l2, and l2 ≤ 0 where there is a margin
		return d.Cmp(c.most) <= 0
	case fairness.DecisionStrict: // 2·min(l1, −l2) ≤ l1 − l2
		return d.Cmp(new(big.Rat).Add(c.most, c.most)) <= 0
	}
	panic("check: " + c.notion.String())
}

// binsClose reports that a's bin is less than k above b's: for no bin j are a's logit from the
// lower edge of bin j+k on, and b's below the upper edge of bin j, which are further apart than d.
func (c *claim) binsClose(d *big.Rat, a, b *enclosure) bool {
	if d.Sign() <= 0 {
		return true
	}
	for j := b.bins[0]; j+c.k <= a.bins[1]; j++ {
		if a.refuted[below{b.copy, j}] {
			continue
		}
		if j+c.k > len(c.edges) {
			return false
		}
		low, high := new(big.Rat).SetFloat64(c.edges[j].Hi), new(big.Rat).SetFloat64(c.edges[j+c.k-1].Lo)
		if d.Cmp(high.Sub(high, low)) > 0 {
			return false
		}
	}
	return true
}

// scoresClose reports σ(x) − σ(y) ≤ most for all x ≤ hi and y ≥ lo with
// x − y ≤ d. The difference is largest where x − y is, and for x − y = d at the
// steepest place that the ends allow: x as close to d/2 as can be.
func (c *claim) scoresClose(d, hi, lo *big.Rat) bool {
	if d.Sign() <= 0 || c.near != nil && d.Cmp(c.near) <= 0 {
		return true
	}
	if new(big.Rat).Sub(hi, lo).Cmp(d) <= 0 {
		return c.apart(hi, lo)
	}
	x := new(big.Rat).Mul(d, big.NewRat(1, 2))
	if least := new(big.Rat).Add(lo, d); x.Cmp(least) < 0 {
		x = least
	}
	if x.Cmp(hi) > 0 {
		x = hi
	}
	return c.apart(x, new(big.Rat).Sub(x, d))
}

// maxBins is the largest number of bins of width ε that scores can fall into
// whose logits lie anywhere in the enclosures: a maximum matching of copies
// and bins, of which a copy can reach those from its lower to its upper end. For
// such intervals the greedy choice is best: from the lowest bin on, each bin
// takes the copy that reaches it and has the lowest upper end. The bins of the ends are kept.
func maxBins(link fairness.Link, of []enclosure, eps *big.Rat) int {
	type reach struct{ from, to int }
	open := make([]reach, len(of))
	for i := range of {
		of[i].bins = [2]int{link.Bin(of[i].lo, eps), link.Bin(of[i].hi, eps)}
		open[i] = reach{of[i].bins[0], of[i].bins[1]}
	}
	slices.SortFunc(open, func(a, b reach) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	hit, bin := 0, -1
	var waiting []int // upper ends of the copies that reach the bin
	for len(open) > 0 || len(waiting) > 0 {
		if len(waiting) == 0 {
			bin = max(bin, open[0].from)
		}
		for len(open) > 0 && open[0].from <= bin {
			at, _ := slices.BinarySearch(waiting, open[0].to)
			waiting = slices.Insert(waiting, at, open[0].to)
			open = open[1:]
		}
		for len(waiting) > 0 && waiting[0] < bin {
			waiting = waiting[1:]
		}
		if len(waiting) > 0 {
			waiting = waiting[1:]
			hit++
			bin++
		}
	}
	return hit
}
