package export

import (
	"math/big"
	"strings"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
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
	case q.Reach() > 0:
		text, err := low.InBins(q.Epsilon, q.Reach())
		if err != nil {
			return nil, lowering(err)
		}
		texts = []string{text}
		meaning = "unsat: no individual reaches k bins; sat: a candidate, to be replayed"
	case !q.Notion.Linear():
		curve, ok := encode.NewCurve(q.Epsilon, b.Logit.Lo, b.Logit.Hi)
		if !ok {
			return nil, ErrDecided
		}
		for _, order := range low.Orders() {
			texts = append(texts, low.Tangents(curve, order)+low.SlackAtLeast(new(big.Rat)))
		}
		fidelity = encode.Over
		meaning = "unsat: no score gap exceeds epsilon; sat: a candidate, to be replayed, and cut off by another tangent if it fails"
	case maximise:
		slack = low.Problem.SMT.Symbols[low.Slack].Name
		// The slack is at most the margin, in one of the orders.
		ways, err := low.Ways(q.Notion, func(term string) string { return "(<= " + quoted(slack) + " " + term + ")" })
		if err != nil {
			return nil, lowering(err)
		}
		texts = []string{"(assert (or " + strings.Join(ways, " ") + "))\n"}
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
