package fairness

import (
	"math"
	"math/big"
)

// Pair finds the two copies that decide the notion among the logits of Z(x):
// first has the largest logit and second the smallest. Among equal logits,
// first is the earliest and second the latest, so the two differ. ok is false if
// there are fewer than two copies, or, for Decision, if no copy has a logit of at
// most 0: such an individual is fair.
func (n Notion) Pair(logits []*big.Rat) (first, second int, ok bool) {
	if len(logits) < 2 {
		return 0, 0, false
	}
	for i, l := range logits {
		if l.Cmp(logits[first]) > 0 {
			first = i
		}
		if l.Cmp(logits[second]) <= 0 {
			second = i
		}
	}
	return first, second, !n.Jumps() || logits[second].Sign() <= 0
}

// Violates reports, exactly, whether an individual whose counterfactuals have
// these logits is treated unfairly: a gap above ε, or a positive margin for
// the decision notions, which ignore eps.
func (n Notion) Violates(logits []*big.Rat, eps *big.Rat) bool {
	first, second, ok := n.Pair(logits)
	return ok && n.Exceeds(logits[first], logits[second], n.Threshold(eps))
}

// Exceeds reports, exactly, whether two logits a ≥ b have a gap or margin (see Quantity)
// above a target of at least 0. With n.Threshold(ε) as the target, that is a violation.
//
// Logits between b and a never exceed a target that a and b do not exceed. So for
// two copies with enclosed logits, Exceeds of the upper end of one and the lower end
// of the other says whether a violation is possible.
func (n Notion) Exceeds(a, b, target *big.Rat) bool { return n.is().exceeds(a, b, target) }

// Margin encloses the gap or margin (see Quantity) of two logits a ≥ b that the notion
// compares. It is exact, except for the score: that enclosure is at most 2⁻¹⁰⁰ wide and,
// unless its upper end is below every positive float64, at most 2⁻⁶⁰ of that end.
func (n Notion) Margin(a, b *big.Rat) (lo, hi *big.Rat) { return n.is().margin(a, b, 100) }

// Gap encloses the gap or margin (see Quantity) of an individual whose
// counterfactuals have these logits, between float64 numbers rounded outward.
//
//   - Score: max σ(l) − min σ(l), 0 for fewer than two copies.
//   - Logit: max l − min l, 0 for fewer than two copies.
//   - Decision: the margin, the largest l1 if some l2 ≤ 0. It is negative or zero
//     if all decisions are "no", and −Inf if Pair finds no pair.
//   - DecisionStrict: the margin, the largest min(l1, −l2); −Inf for fewer than
//     two copies.
func (n Notion) Gap(logits []*big.Rat) (lo, hi float64) {
	first, second, ok := n.Pair(logits)
	switch {
	case ok:
		l, h := n.is().margin(logits[first], logits[second], 128)
		lo, _ = Enclosure(l)
		_, hi = Enclosure(h)
		return lo, hi
	case n.UsesEpsilon():
		return 0, 0
	}
	return math.Inf(-1), math.Inf(-1)
}

// Between is the gap or margin of two logits, high ≥ low, computed in float64 arithmetic;
// −Inf if the notion does not compare the pair.
func (n Notion) Between(high, low float64) float64 { return n.is().between(high, low) }

// Promise is the objective of a local search: it grows as two logits, high ≥ low, come
// closer to a violation, and beyond it.
func (n Notion) Promise(high, low float64) float64 {
	d := n.is()
	if d.promise == nil {
		return d.between(high, low)
	}
	return d.promise(high, low)
}

// Most is an upper bound on the gap or margin of two logits in [low, high] whose distance
// does not exceed apart; +Inf allows any distance. It is −Inf if the notion compares no
// such pair.
func (n Notion) Most(high, low, apart float64) float64 { return n.is().most(high, low, apart) }

// Possible reports whether two logits as in Most may exceed a target, as far as
// float64 arithmetic can tell: false is a proof.
func (n Notion) Possible(high, low, apart, target float64) bool {
	return !(n.Most(high, low, apart) <= target)
}

// Sure reports whether every pair of a logit in [high, ∞) and a logit in (−∞, low]
// exceeds a target: true is a proof.
func (n Notion) Sure(high, low, target float64) bool { return n.is().sure(high, low, target) }
