package encode

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Violating is the delta under which the two copies, in that order, violate a notion by at
// least margin (in logits) beyond ε, with no objective. It serves the notions
// that are linear in the logits: logit, decision and decision-strict.
func (l *Lowered) Violating(n fairness.Notion, eps, margin float64, o Order) problem.Delta {
	a, b := l.Logits[o.High], l.Logits[o.Low]
	d := problem.Delta{Objective: &problem.Objective{}}
	switch n {
	case fairness.Logit:
		d.Rows = []problem.Row{{Name: "gap", Lo: eps + margin, Hi: math.Inf(1), Terms: []problem.Term{{Column: a, Coef: 1}, {Column: b, Coef: -1}}}}
	case fairness.Decision:
		d.ColumnBounds = l.logitBounds(o, margin, 0)
	case fairness.DecisionStrict:
		d.ColumnBounds = l.logitBounds(o, margin, -margin)
	}
	return d
}

// MaximiseMargin is the delta under which the objective is the gap or margin
// of a notion that is linear in the logits.
func (l *Lowered) MaximiseMargin(n fairness.Notion, o Order) problem.Delta {
	a, b := l.Logits[o.High], l.Logits[o.Low]
	objective := &problem.Objective{Maximise: true}
	d := problem.Delta{Objective: objective}
	switch n {
	case fairness.Logit:
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

// logitBounds asks for a ≥ least and b ≤ most within the logits' own bounds.
// Callers have checked that both are possible.
func (l *Lowered) logitBounds(o Order, least, most float64) []problem.ColumnBound {
	iv := l.bounds.Logit
	return []problem.ColumnBound{
		{Column: l.Logits[o.High], Lo: math.Min(math.Max(iv.Lo, least), iv.Hi), Hi: iv.Hi},
		{Column: l.Logits[o.Low], Lo: iv.Lo, Hi: math.Max(math.Min(iv.Hi, most), iv.Lo)},
	}
}

// Orders lists the orders of copies 1 and 2 that a question must ask for: one
// where nothing tells the copies apart, else both.
func (l *Lowered) Orders() []Order { return orders(l.query) }
