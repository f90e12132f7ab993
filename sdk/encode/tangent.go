package encode

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Curve is the border of the score notion in the plane of two logits:
// σ(a) − σ(b) > ε iff b < g(a), with
//
//	g(a) = ln((σ(a) − ε) / (1 − σ(a) + ε))   on σ(a) > ε,
//
// increasing and concave, so that no tangent excludes a violation
// (docs/reference/semantics.md, "The sigmoid, exactly and linearly"). A curve covers
// the logits of one region, [L, U].
type Curve struct {
	eps  float64
	l, u float64
	// least is the smallest σ(a) − ε of a tangent: below it the difference loses its
	// digits, and the border is vertical to within least in the score.
	least float64
}

// slop widens every number of a curve: it is far above the rounding of the few
// operations behind it, and far below any solver's tolerance.
const slop = 1e-9

// lastDigits is the relative rounding, outward, of a difference of two sigmoids.
const lastDigits = 1e-15

// usualLeast is Curve.least unless ε is too close to 1.
const usualLeast = 1e-7

// NewCurve returns the border for ε over logits between l and u. ε is rounded down, so that
// the border stays outside. ok is false if σ(u) − σ(l) ≤ ε, decided exactly: a proof that no
// point lies beyond the border.
func NewCurve(eps *big.Rat, l, u float64) (c Curve, ok bool) {
	below, _ := fairness.Enclosure(eps)
	c = Curve{below, l, u, math.Min(usualLeast, (1-below)/4)}
	if ok = fairness.Score.Possible(u, l, math.Inf(1), below); ok && !math.IsInf(u, 0) && !math.IsInf(l, 0) {
		ok = fairness.GapExceeds(new(big.Rat).SetFloat64(u), new(big.Rat).SetFloat64(l), eps)
	}
	return c, ok
}

// LeastA is a lower bound on a wherever the border is crossed with b ≥ L.
func (c Curve) LeastA() float64 {
	p, rest := fairness.Sigmoid(c.l)+c.eps, 1.0 // rest is 1 − p, with the digits that p near 1 has lost
	if c.l > 0 {
		rest = fairness.Sigmoid(-c.l)
		rest += lastDigits*rest - c.eps
	} else {
		rest -= c.eps
		rest += lastDigits*rest - fairness.Sigmoid(c.l)
	}
	if !(rest > 0) {
		return c.u
	}
	a := math.Log(p) - math.Log(rest)
	return math.Max(c.l, math.Min(c.u, a-slop*(1+math.Abs(a))))
}

// GreatestB is an upper bound on b wherever the border is crossed with a ≤ U.
func (c Curve) GreatestB() float64 {
	b := c.g(c.u)
	return math.Max(c.l, math.Min(c.u, b+slop*(1+math.Abs(b))))
}

func (c Curve) g(a float64) float64 {
	u, rest := c.parts(a)
	return math.Log(u) - math.Log(rest)
}

// parts are σ(a) − ε, at least c.least, and 1 − σ(a) + ε.
func (c Curve) parts(a float64) (u, rest float64) {
	if u = fairness.Sigmoid(a) - c.eps; c.eps >= 0.5 {
		u = (1 - c.eps) - fairness.Sigmoid(-a) // with the digits that σ(a) near 1 has lost
	}
	return math.Max(u, c.least), fairness.Sigmoid(-a) + c.eps
}

// StartTangents is the number of tangents at the start. With them, most questions end at
// the first or second answer.
const StartTangents = 8

// Start returns n points of tangency, as values of a. Their values of b are evenly spread, from
// the largest of L, ln least and −30 to GreatestB.
func (c Curve) Start(n int) []float64 {
	lo := math.Max(math.Max(c.l, math.Log(c.least)), -30)
	hi := math.Max(lo, c.GreatestB())
	var points []float64
	for i := range n {
		b := lo + (hi-lo)*float64(i)/float64(n-1)
		p := math.Min(fairness.Sigmoid(b), 1-c.eps-1e-3*(1-c.eps))
		points = append(points, math.Log(p+c.eps)-math.Log(1-c.eps-p))
	}
	return points
}

// Row is the tangent at a value a₀ of the higher logit, as a row over the columns of the
// two logits, a and b, and of the slack. It is divided by m = max(1, slope) and rounded
// outward:
//
//	(b − slope·a)/m + slack ≤ (g(a₀) − slope·a₀)/m
//
// Every violation satisfies the row with slack 0. A change of the score by δ moves
// the slack, in these units, by at least 4δ.
func (c Curve) Row(at float64, a, b, slack int) problem.Row {
	if p := c.least + c.eps; fairness.Sigmoid(at) < p {
		at = math.Log(p) - math.Log(1-c.eps-c.least)
	}
	u, rest := c.parts(at)
	slope := (u + c.eps) * fairness.Sigmoid(-at) / (u * rest)
	g := math.Log(u) - math.Log(rest)
	m := math.Max(1, slope)
	side := (g-slope*at)/m + slop*(1+(math.Abs(g)+slope*math.Abs(at))/m)
	return problem.Row{
		Name: "tangent", Lo: math.Inf(-1), Hi: side,
		Terms: []problem.Term{{Column: b, Coef: 1 / m}, {Column: a, Coef: -slope / m}, {Column: slack, Coef: 1}},
	}
}
