package checker

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// tangent is a line in the plane of two logits p and q: if σ(p) exceeds σ(q) by more than some t,
// then up·p − down·q exceeds beyond.
type tangent struct {
	up, down *big.Int
	beyond   *big.Rat
}

// newTangent is a tangent for 0 < t < 1 with up and down near the given ones; nil without
// one.
//
// The pairs with σ(p) − σ(q) > t are those with p > logit(t + σ(q)), a convex set. For any s with 0 < s < 1 −
// t, the line through p = logit(t+s) and q = logit(s) with up : down = (t+s)(1−t−s) : s(1−s) touches it. So s
// may be rounded.
func newTangent(t *big.Rat, up, down float64) *tangent {
	v, _ := t.Float64()
	a, b, c := up-down, down*(1-2*v)-up, down*v*(1-v) // a·s² + b·s + c = 0
	at := 2 * c / (math.Sqrt(b*b-4*a*c) - b)
	if !(at > 0 && at < 1) {
		return nil
	}
	whole := big.NewRat(1, 1)
	s := new(big.Rat).SetFloat64(at)
	p := new(big.Rat).Add(t, s)
	if t.Sign() <= 0 || p.Cmp(whole) >= 0 {
		return nil
	}
	slope := func(of *big.Rat) *big.Rat { return new(big.Rat).Mul(of, new(big.Rat).Sub(whole, of)) }
	u, w := slope(p), slope(s)
	scale := new(big.Rat).SetInt(new(big.Int).Mul(u.Denom(), w.Denom()))
	u.Mul(u, scale)
	w.Mul(w, scale)
	least, _ := fairness.LogitEnclosure(p)
	_, most := fairness.LogitEnclosure(s)
	beyond := new(big.Rat).SetFloat64(least)
	beyond.Mul(beyond, u).Sub(beyond, new(big.Rat).Mul(w, new(big.Rat).SetFloat64(most)))
	return &tangent{up: u.Num(), down: w.Num(), beyond: beyond}
}
