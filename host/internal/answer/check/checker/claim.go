package checker

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// enclosure bounds the logit of one combination over a box.
type enclosure struct {
	lo, hi *big.Rat
	form   *logit // networks only
	// combination is the copy's combination; trees only.
	combination int
	// slopes, up and down are the leaf's data for bounding this copy's logit jointly with the
	// other's, and joint is the resulting bound. They are for two copies of a network only.
	joint    *joint
	slopes   []sdk.JointSlope
	up, down float64
	// copy is the copy's index in the leaf. refuted holds the pairs, with this copy's score the
	// larger, that proofs by cases exclude.
	copy    int
	refuted map[below]bool
	// bins holds the bins of lo and hi; set only for a claim about bins.
	bins [2]int
	// below is σ(lo) − ½ rounded down, and above is σ(hi) − ½ rounded up; nil before the first use.
	below, above *big.Rat
}

// claim decides whether enclosures of the logits over a box prove the certificate's claim
// for every individual in it.
type claim struct {
	notion fairness.Notion
	link   fairness.Link
	rule   fairness.Rule    // of decisions
	border [2]*big.Rat      // encloses the logit at which decisions change
	bins   fairness.Binning // that k counts
	// most is the largest gap or margin that the claim allows; for a claim about bins, a
	// gap too small to reach more.
	most *big.Rat
	// near is a distance of logits at which scores differ by no more than the claim allows. It is
	// for the notion score only, and nil if unknown.
	near *big.Rat
	k    int // bins; 0: the claim is about the gap or margin
	// edges enclose the logits at which bins 1, 2, … begin; nil above maxEdges.
	edges []space.Interval
}

// maxEdges bounds the number of stored edges.
const maxEdges = 1 << 12

func newClaim(s *certificate.Statement) claim {
	c := claim{notion: s.Notion, link: s.Model().Link(), rule: s.Rule, most: new(big.Rat)}
	c.bins = c.link.Binning(s.Epsilon, s.Bands)
	lo, hi := c.rule.Border(c.link)
	c.border = [2]*big.Rat{new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)}
	switch s.Claim.Kind {
	case certificate.Fair:
		if s.Notion.UsesEpsilon() {
			c.most = s.Epsilon
		}
	case certificate.Gap:
		c.most = s.Claim.Bound
	case certificate.MaxK:
		// Scores within n bin widths of each other fall into at most n+1 bins. Bands have no width.
		c.k = s.Claim.K
		if s.Bands == nil {
			c.most = new(big.Rat).Mul(s.Epsilon, new(big.Rat).SetInt64(int64(c.k-1)))
		}
		if n := c.bins.Count(); n <= maxEdges {
			for j := 1; j < n; j++ {
				lo, hi := c.bins.Edge(j)
				c.edges = append(c.edges, space.Interval{Lo: lo, Hi: hi})
			}
		}
	}
	if c.notion == fairness.Score {
		c.near = nearLogits(c.most)
	}
	return c
}

// nearLogits returns nearly the largest d with σ(x) − σ(x−d) ≤ most for all x; nil if it is
// infinite. The left side is largest at x = d/2, where it is 2·σ(d/2) − 1.
func nearLogits(most *big.Rat) *big.Rat {
	half := big.NewRat(1, 2)
	p := new(big.Rat).Mul(most, half)
	if lo, _ := fairness.LogitEnclosure(p.Add(p, half)); !math.IsInf(lo, 0) {
		d := new(big.Rat).SetFloat64(lo)
		return d.Add(d, d)
	}
	return nil
}

// follows reports whether the claim holds at every individual whose copies have logits in these
// enclosures, one for each combination. difference returns an upper bound of a − b for the logits
// of two copies or, given a tangent, of up·a − down·b.
func (c *claim) follows(difference func(a, b *enclosure, of *tangent) *big.Rat, of []enclosure) bool {
	if c.k > 0 && maxBins(&c.bins, of) <= c.k {
		return true
	}
	// Whether a pair is harmless depends on the upper end of one copy and the lower end of
	// the other, and is monotone in both. In this order the pairs that the ends leave open
	// come first.
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

// tangent is the leaf's tangent for a pair with a's score the larger; nil without one.
func (c *claim) tangent(a *enclosure) *tangent {
	if a.up == 0 || c.notion != fairness.Score {
		return nil
	}
	return newTangent(c.most, a.up, a.down)
}

// harmless reports whether a and b cannot violate the claim with a's score the larger.
// Enclosures of the scores, made once per copy, save most pairs an exact comparison.
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

// scoreBits: enclosures of scores are at most 2^−scoreBits wide.
const scoreBits = 60

var scoreWidths = new(big.Rat).SetFrac64(2, 1<<scoreBits)

// apart reports whether copies with logits at most hi and at least lo are consistent with the
// claim. hi belongs to the copy with the larger logit.
func (c *claim) apart(hi, lo *big.Rat) bool {
	switch c.notion {
	case fairness.Score:
		return !fairness.GapExceeds(hi, lo, c.most)
	case fairness.Logit, fairness.Share:
		return new(big.Rat).Sub(hi, lo).Cmp(c.most) <= 0
	case fairness.Decision: // the margin: the larger logit less the border of a yes, if the smaller is a no
		return c.yes(lo) || !c.yes(new(big.Rat).Sub(hi, c.most))
	case fairness.DecisionStrict: // the margin is min(larger, −smaller)
		return hi.Cmp(c.most) <= 0 || new(big.Rat).Neg(lo).Cmp(c.most) <= 0
	}
	panic("check: " + c.notion.String())
}

// yes reports whether the decision for a logit is positive.
func (c *claim) yes(logit *big.Rat) bool {
	switch {
	case logit.Cmp(c.border[0]) < 0:
		return false
	case logit.Cmp(c.border[1]) > 0:
		return true
	}
	return c.rule.Yes(c.link, logit)
}

// close reports whether the pair cannot violate the claim, because a's logit exceeds b's by at most
// d.
func (c *claim) close(d *big.Rat, a, b *enclosure) bool {
	if c.k > 0 && c.binsClose(d, a, b) {
		return true
	}
	switch c.notion {
	case fairness.Score:
		return c.scoresClose(d, a.hi, b.lo)
	case fairness.Logit, fairness.Share, fairness.Decision: // l1 ≤ d + l2, and l2 ≤ 0 if there is a margin
		return d.Cmp(c.most) <= 0
	case fairness.DecisionStrict: // 2·min(l1, −l2) ≤ l1 − l2
		return d.Cmp(new(big.Rat).Add(c.most, c.most)) <= 0
	}
	panic("check: " + c.notion.String())
}

// binsClose reports whether a's bin is less than k above b's. This holds if, for every bin j that b
// can reach and that is not refuted for the pair, the edges between bins j and j+k are further
// apart than d.
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

// scoresClose reports whether σ(x) − σ(y) ≤ most for all x ≤ hi and y ≥ lo with x − y ≤ d.
// The difference is largest at x − y = d, with x as close to d/2 as the ends allow.
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

// maxBins is the largest number of bins, or bands, that the scores can fall into, given
// enclosures of their logits: a maximum matching of copies and bins. A copy reaches the bins
// from its lower to its upper end. For intervals the greedy choice is optimal: from the
// lowest bin up, each bin takes the copy with the lowest upper end that reaches it. It
// stores the bins of the ends.
func maxBins(bins *fairness.Binning, of []enclosure) int {
	type reach struct{ from, to int }
	open := make([]reach, len(of))
	for i := range of {
		of[i].bins = [2]int{bins.Of(of[i].lo), bins.Of(of[i].hi)}
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
