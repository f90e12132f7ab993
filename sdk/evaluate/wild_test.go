package evaluate_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/wild"
)

// TestNetworksOfEveryShape holds every variant against the definitions on
// networks that a loader can produce and nobody trains: hidden layers without
// ReLU, wider than all the others, dead and doubled neurons, weights from denormal
// to huge; and on ε and regions of that kind.
func TestNetworksOfEveryShape(t *testing.T) {
	linear := 0
	for seed := range uint64(200) {
		q := wild.Query(rand.New(rand.NewPCG(seed, 11)), fairness.Score)
		for _, l := range q.Network.Layers[:len(q.Network.Layers)-1] {
			if !l.ReLU {
				linear++
				break
			}
		}
		people := 0
		for _, e := range eachVariant(t, q.Network, q.Space, q.Epsilon) {
			wild.Everybody(q, func(x []float64) {
				if people++; people < 25 { // exact evaluation is what takes the time
					agree(t, e, q.Network, q.Space, q.Space.Whole(), q.Epsilon, x, e.Evaluate(x))
					apart(t, e, q, x)
				}
			})
		}
	}
	if linear < 40 {
		t.Errorf("%d networks with linear hidden layers were drawn", linear)
	}
}

// apart holds Gap against the exact gap of the scores, and LogitsApart against the
// exact difference of the logits, and beside it.
func apart(t *testing.T, e *evaluate.Evaluator, q *problem.Query, x []float64) {
	exact := relu.NewExact(q.Network)
	var logits []*big.Rat
	for _, point := range q.Space.Counterfactuals(q.Space.Whole(), x) {
		logits = append(logits, exact.Logit(q.Space.ExactInputs(point)))
	}
	wantLo, wantHi := fairness.Score.Gap(logits)
	if lo, hi := e.Gap(x); lo != wantLo || hi != wantHi {
		t.Fatalf("%v: a gap from %v to %v, it is from %v to %v", x, lo, hi, wantLo, wantHi)
	}
	gap := new(big.Rat)
	if first, second, ok := fairness.Logit.Pair(logits); ok {
		gap.Sub(logits[first], logits[second])
	}
	for _, factor := range []float64{1, 1 - 1e-6, 1 + 1e-6, 1 - 1e-3, 0.5, 2} {
		limit := new(big.Rat).Mul(gap, new(big.Rat).SetFloat64(factor))
		if got, want := e.LogitsApart(x, limit), gap.Cmp(limit) > 0; got != want {
			t.Fatalf("%v: logits %s apart, more than %s: %v", x, gap.FloatString(20), limit.FloatString(20), got)
		}
	}
}
