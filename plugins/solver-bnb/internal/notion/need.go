package notion

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// Need is what an individual's logits must fulfil for a value above some v: one exceeds
// Above, one is less than Below, and two differ by more than Apart. Infinities demand
// nothing.
type Need struct{ Above, Below, Apart float64 }

// Need returns what a value above v requires of individuals whose logits lie in the
// enclosures of whole. ok is false if nothing is known.
//
// For the score, let h be the largest logit and l the least, with scores that differ by
// more than v. Then
//
//	σ(h) > v + σ(l) ≥ v + σ(Least),  σ(l) < σ(h) − v ≤ σ(Most) − v.
//
// Since l ≥ h − A, with A for whole.Apart, two logits at distance A around h − A/2 have
// scores that differ by more than v, and so have those around l + A/2: both middles are
// nearer to 0 than within(A, v). Of all pairs of logits whose scores differ by v, the one
// around 0 has the least distance, 2·logit((1+v)/2). If Least is so large that l cannot
// be half of that below 0, the closest pair has l = Least; the same holds for Most.
func (j *Notion) Need(whole *Spread, v float64) (n Need, ok bool) {
	inf := math.Inf(1)
	n = Need{Above: -inf, Below: inf, Apart: -inf}
	switch j.Notion {
	case fairness.Logit, fairness.Share:
		n.Apart = v
		return n, v > 0
	case fairness.Decision: // the value is the larger logit; the other is not positive
		n.Above, n.Below, n.Apart = v, math.SmallestNonzeroFloat64, v
		return n, v >= 0
	case fairness.DecisionStrict:
		n.Above, n.Below, n.Apart = v, -v, 2*v
		return n, v >= 0
	}
	if j.Notion != fairness.Score || v < 0x1p-30 || v >= 1 {
		return n, false
	}
	above, below := logit(v+fairness.Sigmoid(whole.Least)-slipped)-margin, -logit(v+fairness.Sigmoid(-whole.Most)-slipped)+margin
	n.Apart = 2*logit((1+v)/2-slipped) - margin
	half := n.Apart / 2
	if whole.Least >= -half {
		n.Apart = max(n.Apart, above-whole.Least-margin)
	}
	if whole.Most <= half {
		n.Apart = max(n.Apart, whole.Most-below-margin)
	}
	n.Above, n.Below = above, below
	if whole.Apart > 0 && !math.IsInf(whole.Apart, 1) {
		m := within(whole.Apart, v)
		n.Above, n.Below = max(above, whole.Apart/2-m-margin), min(below, m-whole.Apart/2+margin)
	}
	return n, true
}

// within returns what farthest does for d > 0 and eps = v, or a slightly larger number; 0.01
// if there is none, and never less. Unlike farthest, it is accurate for v up to 1:
//
//	sinh(h)/v − cosh(h) = sinh(h)·(1−v)/v − exp(−h),  h = d/2,
//
// where 1 − v is exact for v ≥ ½, and no large numbers cancel.
func within(d, v float64) float64 {
	h, odds := d/2, (1-v)/v
	if h > 300 { // sinh is eʰ/2 there, and arcosh(c) at most ln(2c)
		return max(h+math.Log(odds), 0.01)
	}
	if c := math.Sinh(h)*odds - math.Exp(-h); c >= 1+1e-6 {
		return max(math.Acosh(c), 0.01)
	}
	return 0.01
}

// logit returns the logit of a score, after moving it to at least 2⁻⁴⁴ below 1; its
// relative error is a few units in the last place. It is −Inf for p ≤ 0.
func logit(p float64) float64 {
	if p <= 0 {
		return math.Inf(-1)
	}
	p = min(p, 1-0x1p-44)
	return math.Log(p / (1 - p))
}

// Need returns what the logits of an individual with more than k bins must fulfil, if
// whole encloses them. The highest of its bins is at least k above the lowest, a. So one
// logit is below the upper edge of bin a and another at or above the lower edge of bin a +
// k, for an a at which both are possible. ok is false if nothing is known.
func (b *Bins) Need(whole *Spread, k int) (n Need, ok bool) {
	n = Need{Above: math.Inf(1), Below: math.Inf(-1), Apart: math.Inf(1)}
	for a := 0; k >= 1 && a+k <= len(b.above); a++ {
		low, high := b.above[a], b.below[a+k-1]
		apart := down(high - low)
		if whole.Least >= low || whole.Most < high || whole.Apart < apart {
			continue
		}
		n.Above, n.Below, n.Apart = min(n.Above, down(high)), max(n.Below, low), min(n.Apart, apart)
		ok = true
	}
	return n, ok
}
