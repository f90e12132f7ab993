package export

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
)

func lowerMILP(q *problem.Query, e encode.Encoding, b *bound.Bounds, maximise bool) ([]Lowered, error) {
	low, err := e.LowerMILP(q, b)
	if err != nil {
		return nil, lowering(err)
	}
	if err := encode.Carried(low.Problem.MILP); err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
	}
	if q.Reach() > 0 {
		delta, err := low.InBins(q.Epsilon, q.Reach())
		if err != nil {
			return nil, lowering(err)
		}
		delta.Objective = low.MostRoom()
		return applied(low, []problem.Delta{delta}, low.Fidelity,
			"an optimum below 0, or none: no individual reaches k bins; above: a candidate, to be replayed")
	}
	var deltas []problem.Delta
	fidelity, meaning := low.Fidelity, fmt.Sprintf("infeasible: no two copies violate the notion by %g or more; a point: a candidate, to be replayed", encode.LeastMargin)
	for _, order := range low.Orders() {
		switch {
		case !q.Notion.Linear():
			curve, ok := encode.NewCurve(q.Epsilon, b.Logit.Lo, b.Logit.Hi)
			if !ok {
				return nil, ErrDecided
			}
			delta := low.Tangents(curve, order)
			delta.Objective = low.MostRoom()
			deltas = append(deltas, delta)
			fidelity = encode.Over
			meaning = "an optimum below 0, or none: no score gap exceeds epsilon; above: a candidate, to be replayed, and cut off by another tangent if it fails"
		case maximise:
			deltas = append(deltas, low.MaximiseMargin(q.Notion, order))
			meaning = "the optimum is the largest margin"
		default:
			deltas = append(deltas, low.Violating(q.Notion, epsilon(q), encode.LeastMargin, order))
		}
	}
	return applied(low, deltas, fidelity, meaning)
}

// applied returns one problem per delta.
func applied(low *encode.Lowered, deltas []problem.Delta, fidelity encode.Fidelity, meaning string) ([]Lowered, error) {
	var out []Lowered
	for i, d := range deltas {
		p, err := problem.NewStack(low.Problem).Apply(d)
		if err != nil {
			return nil, lowering(err)
		}
		out = append(out, Lowered{Problem: p, Suffix: suffix(i), Fidelity: fidelity, Meaning: meanings(len(deltas), meaning)})
	}
	return out, nil
}

// suffix returns the suffix of the problem for the i-th order.
func suffix(i int) string { return []string{"", "-swapped"}[i] }

func meanings(problems int, meaning string) []string {
	out := []string{meaning}
	if problems > 1 {
		out = append(out, "one of two: the copies differ, and the other file asks with the copies swapped; fair needs both")
	}
	return out
}
