package draft_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Scores from 0 to 1 of a network that ends in a linear unit are probabilities, of which its output is the logit.
// Where they are the output itself, the draft says so.
func TestScoresOfALinearOutput(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadLinear, Layers: []relu.Layer{{Name: "score", In: 3, Out: 1, Weights: []float64{0.01, 0.2, 0}, Bias: []float64{-0.1}}}}
	model := networkFile(t, n)
	var data, logits, probabilities strings.Builder
	data.WriteString("age,sex,y\n")
	for i := range 40 {
		age, sex := 20+i*7%50, i*i%3%2
		y := 0.01*float64(age) + 0.2*float64(1-sex) - 0.1
		fmt.Fprintf(&data, "%d,%c,%v\n", age, "FM"[sex], map[bool]string{true: "yes", false: "no"}[y > 0.4])
		fmt.Fprintln(&logits, y)
		fmt.Fprintln(&probabilities, fairness.Sigmoid(y))
	}
	out, _, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model, Scores: written(t, "s.csv", probabilities.String())})
	if !out.Solved || len(out.Doubts) > 0 || !strings.Contains(text, "output: logit") {
		t.Errorf("probabilities: %+v\n%s", out, text)
	}
	out, _, text = drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model, Scores: written(t, "s.csv", logits.String())})
	if out.Solved || !strings.Contains(text, "but they are that output as it is: say output: number") {
		t.Errorf("outputs: %+v\n%s", out, text)
	}
}
