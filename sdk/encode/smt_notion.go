package encode

import (
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Order names two copies, counted from 0: High must have the larger logit.
type Order struct{ High, Low int }

// InOrder puts the first copy above the second, Swapped the second above the first.
var (
	InOrder = Order{0, 1}
	Swapped = Order{1, 0}
)

// Orders lists the orders of copies 1 and 2 that a question must cover: one if the copies
// are interchangeable, both otherwise.
func (l *LoweredSMT) Orders() []Order { return orders(l.query) }

func orders(q *problem.Query) []Order {
	if len(q.Relax) > 0 || q.TellsCopiesApart() {
		return []Order{InOrder, Swapped}
	}
	return []Order{InOrder}
}

// Violating returns the assertion, for problem.Delta.Assert, that copies 1 and 2
// violate the notion, in one of the orders that Orders lists. It is exact, and
// strict if the notion is. eps is in logits; the decision notions ignore it. The
// score notion is not linear and is refused: see Border.
func (l *LoweredSMT) Violating(n fairness.Notion, eps *big.Rat) (string, error) {
	if !n.UsesEpsilon() {
		eps = new(big.Rat)
	} else if err := fairness.CheckEpsilon(eps, n); err != nil {
		return "", err
	}
	return l.Exceeding(n, eps)
}

// Exceeding asserts that the gap or margin of a notion that is linear in the
// logits exceeds amount, in logits and at least 0. With it, a solver that does not
// maximise can search for the largest gap.
func (l *LoweredSMT) Exceeding(n fairness.Notion, amount *big.Rat) (string, error) {
	m := realText(amount)
	ways, err := l.Ways(n, func(term string) string { return "(> " + term + " " + m + ")" })
	return assertion(anyOf(ways)), err
}

// Ways returns one formula for each of Orders: it bounds the notion's margin, which is a
// minimum of terms, from below. The callback writes the bound on a single term. The notion
// must be linear in the logits.
func (l *LoweredSMT) Ways(n fairness.Notion, above func(term string) string) (ways []string, err error) {
	for _, o := range l.Orders() {
		a, b := l.logits[o.High], l.logits[o.Low]
		switch n {
		case fairness.Logit, fairness.Share:
			ways = append(ways, above("(- "+a+" "+b+")"))
		case fairness.Decision:
			ways = append(ways, "(and "+above(a)+" (<= "+b+" 0.0))")
		case fairness.DecisionStrict:
			ways = append(ways, "(and "+above(a)+" "+above("(- "+b+")")+")")
		default:
			return nil, fmt.Errorf("the notion %s is not linear in the logits", n)
		}
	}
	return ways, nil
}

// LowerBelow asserts that the lower of the two copies' logits is at most b.
func (l *LoweredSMT) LowerBelow(b *big.Rat) string {
	var ways []string
	for _, o := range l.Orders() {
		ways = append(ways, fmt.Sprintf("(<= %s %s)", l.logits[o.Low], realText(b)))
	}
	return assertion(anyOf(ways))
}

// Tangents asserts the border and StartTangents tangents of it.
func (l *LoweredSMT) Tangents(c Curve, o Order) string {
	text := l.Border(c, o)
	for _, at := range c.Start(StartTangents) {
		text += l.Tangent(c, o, at)
	}
	return text
}

// Border asserts the bounds that a violation of the score notion implies:
// a ≥ Curve.LeastA and b ≤ Curve.GreatestB.
func (l *LoweredSMT) Border(c Curve, o Order) string {
	return assertion(fmt.Sprintf("(and (>= %s %s) (<= %s %s))",
		l.logits[o.High], realText(exactly(c.LeastA())), l.logits[o.Low], realText(exactly(c.GreatestB()))))
}

// Tangent asserts the tangent at a value a₀ of the higher logit. The numbers of Curve.Row,
// already rounded outward, are written as exact fractions:
//
//	(b − slope·a)/m + slack ≤ (g(a₀) − slope·a₀)/m
//
// slack is the script's free symbol. For solvers that cannot maximise it, assert
// SlackAtLeast. With slack 0 the tangents exclude no violation.
func (l *LoweredSMT) Tangent(c Curve, o Order, at float64) string {
	// Positions instead of columns: 0 and 1 are the logits, 2 is the slack.
	row := c.Row(at, 0, 1, 2)
	names := []string{l.logits[o.High], l.logits[o.Low], l.Problem.SMT.Symbols[l.Slack].Name}
	return rowText(row, names)
}

// SlackAtLeast asserts a lower bound on the slack.
func (l *LoweredSMT) SlackAtLeast(s *big.Rat) string {
	return assertion("(>= " + l.Problem.SMT.Symbols[l.Slack].Name + " " + realText(s) + ")")
}

// rowText asserts a row over the named Reals.
func rowText(r problem.Row, names []string) string {
	weights := make([]*big.Rat, len(r.Terms))
	values := make([]value, len(r.Terms))
	for i, t := range r.Terms {
		weights[i], values[i] = exactly(t.Coef), value{term: names[t.Column]}
	}
	sum := affine(weights, values, new(big.Rat))
	if sum.constant != nil {
		sum.term = realText(sum.constant)
	}
	var sides []string
	if !math.IsInf(r.Lo, -1) {
		sides = append(sides, "(<= "+realText(exactly(r.Lo))+" "+sum.term+")")
	}
	if !math.IsInf(r.Hi, 1) {
		sides = append(sides, "(<= "+sum.term+" "+realText(exactly(r.Hi))+")")
	}
	return assertion(allOf(sides))
}
