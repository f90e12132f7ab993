package evaluate_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestNetworksOfEveryShape holds every variant against the definitions on
// networks that a loader can produce and no training gives: hidden layers without
// ReLU, wider than all the others, dead and doubled neurons, weights from denormal
// to huge; and on ε and regions of that kind.
func TestNetworksOfEveryShape(t *testing.T) {
	tier.NeedUsual(t)
	linear := 0
	for seed := range uint64(tier.Count(15, 200)) {
		q := known.Query(rand.New(rand.NewPCG(seed, 11)), fairness.Score)
		for _, l := range q.Model.(*relu.Network).Layers[:len(q.Model.(*relu.Network).Layers)-1] {
			if !l.ReLU {
				linear++
				break
			}
		}
		each := eachVariant(t, q.Model.(*relu.Network), q.Space, q.Epsilon)
		if seed%4 == 0 {
			var err error
			if each["other"], err = evaluate.New(other{q.Model}, q.Space, q.Space.Whole(), q.Epsilon); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range each {
			people := 0
			for x := range q.Space.Individuals(q.Region.Box) {
				if people++; people < 9 { // exact evaluation is what takes the time
					agree(t, e, q.Model.(*relu.Network), q.Space, q.Space.Whole(), q.Epsilon, x, e.Evaluate(x))
					apart(t, e, q, x)
				}
			}
		}
	}
	if linear < tier.Count(3, 40) {
		t.Errorf("%d networks with linear hidden layers were drawn", linear)
	}
}

// TestForestsOfShares holds forests whose output is a share against the definitions.
func TestForestsOfShares(t *testing.T) {
	several := 0
	for seed := range uint64(tier.Count(60, 600)) {
		r := rand.New(rand.NewPCG(seed, 13))
		q := known.Query(r, fairness.Score)
		q.Model = known.Shares(r, known.Trees(r, q.Space))
		e, err := evaluate.New(q.Model, q.Space, q.Space.Whole(), q.Epsilon)
		if err != nil {
			t.Fatal(err)
		}
		people := 0
		for x := range q.Space.Individuals(q.Region.Box) {
			if people++; people < 20 {
				got := e.Evaluate(x)
				if got.K > 1 {
					several++
				}
				agree(t, e, q.Model, q.Space, q.Space.Whole(), q.Epsilon, x, got)
				apart(t, e, q, x)
			}
		}
	}
	if several < 50 {
		t.Errorf("%d individuals in several bins", several)
	}
}

// other is a network that passes for a model of another family.
type other struct{ model.Model }

// apart holds Gap against the exact gap of the scores, and Violates against
// the definition, at the exact difference of the logits and beside it.
func apart(t *testing.T, e *evaluate.Evaluator, q *problem.Query, x []float64) {
	whole := *q
	whole.Region = q.Space.Whole()
	logits := whole.Logits(q.Model.Exact(), x)
	wantLo, wantHi := q.Model.Link().Notion(fairness.Score).Gap(logits)
	if lo, hi := e.Gap(x); lo != wantLo || hi != wantHi {
		t.Fatalf("%v: a gap from %v to %v, it is from %v to %v", x, lo, hi, wantLo, wantHi)
	}
	gap := new(big.Rat)
	if first, second, ok := fairness.Logit.Pair(logits); ok {
		gap.Sub(logits[first], logits[second])
	}
	for _, factor := range []float64{1, 1 - 1e-6, 1 + 1e-6, 1 - 1e-3, 0.5, 2} {
		limit := new(big.Rat).Mul(gap, new(big.Rat).SetFloat64(factor))
		for _, n := range fairness.Notions {
			n = q.Model.Link().Notion(n)
			if got, want := e.Violates(x, n, limit), n.Violates(logits, limit); got != want {
				t.Fatalf("%v: logits %s apart, %s at %s: %v", x, gap.FloatString(20), n, limit.FloatString(20), got)
			}
		}
	}
	above, zero, below := false, false, false
	for _, l := range logits {
		above, zero, below = above || l.Sign() > 0, zero || l.Sign() == 0, below || l.Sign() < 0
	}
	for n, want := range map[fairness.Notion]bool{fairness.Decision: above && (zero || below), fairness.DecisionStrict: above && below} {
		if got := e.Violates(x, n, nil); got != want {
			t.Fatalf("%v: violates %s: %v, the logits are %v", x, n, got, logits)
		}
	}
}
