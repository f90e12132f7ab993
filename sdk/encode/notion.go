package encode

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// LeastMargin is the least margin of a requested violation, in logits: at a tie,
// floating point cannot decide whether there is a violation.
const LeastMargin = 1e-6

// Violating returns the delta that makes the two copies, in order o, violate a notion by at
// least margin (in logits) beyond ε, without an objective. The notion must be linear in the
// logits: any except score.
func (l *Lowered) Violating(n fairness.Notion, eps, margin float64, o Order) problem.Delta {
	a, b := l.Logits[o.High], l.Logits[o.Low]
	d := problem.Delta{Objective: &problem.Objective{}}
	switch n {
	case fairness.Logit, fairness.Share:
		d.Rows = []problem.Row{{Name: "gap", Lo: eps + margin, Hi: math.Inf(1), Terms: []problem.Term{{Column: a, Coef: 1}, {Column: b, Coef: -1}}}}
	case fairness.Decision:
		d.ColumnBounds = l.logitBounds(o, margin, 0)
	case fairness.DecisionStrict:
		d.ColumnBounds = l.logitBounds(o, margin, -margin)
	}
	return d
}

// MaximiseMargin returns the delta that maximises the gap or margin of a notion that
// is linear in the logits.
func (l *Lowered) MaximiseMargin(n fairness.Notion, o Order) problem.Delta {
	a, b := l.Logits[o.High], l.Logits[o.Low]
	objective := &problem.Objective{Maximise: true}
	d := problem.Delta{Objective: objective}
	switch n {
	case fairness.Logit, fairness.Share:
		objective.Terms = []problem.Term{{Column: a, Coef: 1}, {Column: b, Coef: -1}}
	case fairness.Decision:
		objective.Terms = []problem.Term{{Column: a, Coef: 1}}
		d.ColumnBounds = l.logitBounds(o, math.Inf(-1), 0)
	case fairness.DecisionStrict:
		objective.Terms = []problem.Term{{Column: l.Slack, Coef: 1}}
		d.Rows = []problem.Row{
			{Name: "margin of copy 1", Lo: 0, Hi: math.Inf(1), Terms: []problem.Term{{Column: a, Coef: 1}, {Column: l.Slack, Coef: -1}}},
			{Name: "margin of copy 2", Lo: math.Inf(-1), Hi: 0, Terms: []problem.Term{{Column: b, Coef: 1}, {Column: l.Slack, Coef: 1}}},
		}
	}
	return d
}

// Tangents returns a first description of the score notion's border: bounds on the logits,
// and StartTangents tangents with the slack. Further rows of Tangent refine it.
func (l *Lowered) Tangents(c Curve, o Order) problem.Delta {
	d := problem.Delta{ColumnBounds: l.logitBounds(o, c.LeastA(), c.GreatestB())}
	for _, at := range c.Start(StartTangents) {
		d.Rows = append(d.Rows, l.Tangent(c, o, at))
	}
	return d
}

// Tangent returns Curve.Row over the lowered problem's columns: the tangent to the border
// at one value of the higher logit.
func (l *Lowered) Tangent(c Curve, o Order, at float64) problem.Row {
	return c.Row(at, l.Logits[o.High], l.Logits[o.Low], l.Slack)
}

// MostRoom returns the objective that maximises the slack.
func (l *Lowered) MostRoom() *problem.Objective {
	return &problem.Objective{Maximise: true, Terms: []problem.Term{{Column: l.Slack, Coef: 1}}}
}

// logitBounds requires a ≥ least and b ≤ most, within the logits' bounds. Callers
// must check that both are possible.
func (l *Lowered) logitBounds(o Order, least, most float64) []problem.ColumnBound {
	iv := l.bounds.Logit
	return []problem.ColumnBound{
		{Column: l.Logits[o.High], Lo: math.Min(math.Max(iv.Lo, least), iv.Hi), Hi: iv.Hi},
		{Column: l.Logits[o.Low], Lo: iv.Lo, Hi: math.Max(math.Min(iv.Hi, most), iv.Lo)},
	}
}

// Orders lists the orders of copies 1 and 2 that a question must cover: one if the copies
// are interchangeable, both otherwise.
func (l *Lowered) Orders() []Order { return orders(l.query) }
