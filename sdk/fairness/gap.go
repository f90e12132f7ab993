package fairness

import (
	"math"
	"math/big"
)

// GapExceeds reports σ(a) − σ(b) > ε, exactly. The order matters: for a ≤ b
// and ε ≥ 0 the answer is false.
func GapExceeds(a, b, eps *big.Rat) bool {
	order := a.Cmp(b)
	switch {
	case eps.Sign() == 0 || order == 0:
		return order > eps.Sign()
	case eps.Sign() < 0:
		// Equality cannot occur, so this is the complement of the other order.
		return !GapExceeds(b, a, new(big.Rat).Neg(eps))
	case order < 0 || eps.Cmp(big.NewRat(1, 1)) >= 0:
		return false
	// σ(0) = ½ is rational and joins ε: at ε = ½, only e^(−a) is left of σ(a) − σ(0) − ε,
	// and enclosures would need more bits than a is large.
	case a.Sign() == 0:
		return CompareScore(b, new(big.Rat).Sub(big.NewRat(1, 2), eps)) < 0
	case b.Sign() == 0:
		return CompareScore(a, new(big.Rat).Add(big.NewRat(1, 2), eps)) > 0
	}
	for prec := uint(firstPrecision); ; prec *= 2 {
		lo, hi := GapBounds(a, b, prec)
		if lo.Cmp(eps) > 0 {
			return true
		}
		if hi.Cmp(eps) < 0 {
			return false
		}
	}
}

// GapBounds encloses σ(a) − σ(b) between binary fractions at most 2^(−prec)
// apart. So GapBounds(a, b, 60) gives a lower bound that the pair reaches and
// that is short enough to write into a problem as the next target.
func GapBounds(a, b *big.Rat, prec uint) (lo, hi *big.Rat) {
	prec += 8 // room for the few units that the roundings cost
	aLo, aHi := score(a, prec)
	bLo, bHi := score(b, prec)
	return rational(down(prec).Sub(aLo, bHi)), rational(up(prec).Sub(aHi, bLo))
}

// Pair finds the two copies that decide a notion among the logits of Z(x):
// first has the largest logit and second the smallest. Among equal logits
// first is the foremost and second the hindmost, so the two differ. ok is
// false where there are fewer than two copies, or, for Decision, where no copy
// has a logit of at most 0: such an individual is fair.
func Pair(n Notion, logits []*big.Rat) (first, second int, ok bool) {
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
	return first, second, n != Decision || logits[second].Sign() <= 0
}

// Violates reports, exactly, whether an individual whose counterfactuals have
// these logits is treated unfairly: a gap above ε, or a positive margin for
// the decision notions, which ignore eps.
func Violates(n Notion, logits []*big.Rat, eps *big.Rat) bool {
	first, second, ok := Pair(n, logits)
	if !ok {
		return false
	}
	a, b := logits[first], logits[second]
	switch n {
	case Score:
		return GapExceeds(a, b, eps)
	case Logit:
		return new(big.Rat).Sub(a, b).Cmp(eps) > 0
	case Decision:
		return a.Sign() > 0 && b.Sign() <= 0
	case DecisionStrict:
		return a.Sign() > 0 && b.Sign() < 0
	}
	panic("fairness: " + n.String())
}

// Gap encloses what the notion measures of an individual whose
// counterfactuals have these logits, between float64 numbers rounded outward.
//
//   - Score: max σ(l) − min σ(l), 0 for fewer than two copies.
//   - Logit: max l − min l, 0 for fewer than two copies.
//   - Decision: the margin, the largest l1 where some l2 ≤ 0. It is negative or
//     zero where all decisions are "no", and −Inf where Pair finds no pair.
//   - DecisionStrict: the margin, the largest min(l1, −l2); −Inf for fewer than
//     two copies.
func Gap(n Notion, logits []*big.Rat) (lo, hi float64) {
	first, second, ok := Pair(n, logits)
	if !ok {
		if n.UsesEpsilon() {
			return 0, 0
		}
		return math.Inf(-1), math.Inf(-1)
	}
	a, b := logits[first], logits[second]
	switch n {
	case Score:
		if a.Cmp(b) == 0 {
			return 0, 0
		}
		l, h := GapBounds(a, b, 128)
		lo, _ = ratEnclosure(l)
		_, hi = ratEnclosure(h)
		return math.Max(lo, 0), math.Min(hi, 1)
	case Logit:
		return ratEnclosure(new(big.Rat).Sub(a, b))
	case Decision:
		return ratEnclosure(a)
	case DecisionStrict:
		if minus := new(big.Rat).Neg(b); minus.Cmp(a) < 0 {
			return ratEnclosure(minus)
		}
		return ratEnclosure(a)
	}
	panic("fairness: " + n.String())
}
