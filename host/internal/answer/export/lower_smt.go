package export

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

func lowerSMT(q *problem.Query, e encode.Encoding, b *bound.Bounds, maximise bool) ([]Lowered, error) {
	low, err := e.LowerSMT(q, b)
	if err != nil {
		return nil, lowering(err)
	}
	var texts []string
	fidelity, meaning := low.Fidelity, "unsat: no two copies violate the notion; sat: they do"
	slack := ""
	switch {
	case q.K > 2:
		text, err := low.InBins(q.Epsilon, q.K)
		if err != nil {
			return nil, lowering(err)
		}
		texts = []string{text}
		meaning = "unsat: nobody reaches so many bins; sat: somebody may, to be replayed"
	case q.Notion == fairness.Score:
		eps := epsilonBelow(q.Epsilon)
		curve, ok := encode.NewCurve(eps, b.Logit.Lo, b.Logit.Hi)
		if !ok {
			return nil, ErrDecided
		}
		for _, order := range low.Orders() {
			text := low.Border(curve, order)
			for _, at := range curve.Start(startTangents) {
				text += low.Tangent(curve, order, at)
			}
			texts = append(texts, text+low.SlackAtLeast(new(big.Rat)))
		}
		fidelity = encode.Over
		meaning = "unsat: no score gap exceeds epsilon; sat: a candidate, to be replayed, and cut off by a further tangent where it fails"
	case maximise:
		slack = low.Problem.SMT.Symbols[low.Slack].Name
		texts = []string{margin(q.Notion, low, slack)}
		meaning = "the optimum is the largest margin"
	default:
		text, err := low.Violating(q.Notion, q.Epsilon)
		if err != nil {
			return nil, lowering(err)
		}
		texts = []string{text}
	}
	var out []Lowered
	for i, text := range texts {
		script := *low.Problem.SMT
		script.Text += text
		script.Objective, script.Maximise = slack, slack != ""
		p := &problem.Problem{Name: low.Problem.Name, SMT: &script}
		out = append(out, Lowered{Problem: p, Suffix: suffix(i), Fidelity: fidelity, Meaning: meanings(len(texts), meaning)})
	}
	return out, nil
}

// margin asserts that the slack is at most the margin of a linear notion, in
// one of the orders to ask for: its maximum is the largest margin.
func margin(n fairness.Notion, low *encode.LoweredSMT, slack string) string {
	s := quoted(slack)
	ways := ""
	for _, o := range low.Orders() {
		a, b := quoted(low.Problem.SMT.Symbols[low.Logits[o.High]].Name), quoted(low.Problem.SMT.Symbols[low.Logits[o.Low]].Name)
		switch n {
		case fairness.Logit:
			ways += fmt.Sprintf(" (<= %s (- %s %s))", s, a, b)
		case fairness.Decision:
			ways += fmt.Sprintf(" (and (<= %s %s) (<= %s 0.0))", s, a, b)
		default:
			ways += fmt.Sprintf(" (and (<= %s %s) (<= %s (- %s)))", s, a, s, b)
		}
	}
	return "(assert (or" + ways + "))\n"
}
