package encode

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
)

// scoreQuery is an open question about the score notion.
func scoreQuery(seed uint64, eps *big.Rat) *problem.Query {
	s := tinySpace()
	return &problem.Query{Model: tinyNetwork(rand.New(rand.NewPCG(seed, 5)), s.Inputs, relu.HeadSigmoid), Space: s,
		Region: s.Whole(), Notion: fairness.Score, Epsilon: eps, Goal: problem.Decide}
}

// TestSMTTangentsKeepEveryViolation: with the border's bounds, tangents, and a
// slack of 0, every pair whose gap exceeds ε still satisfies the script, in the
// order asked for.
func TestSMTTangentsKeepEveryViolation(t *testing.T) {
	kept := 0
	tier.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		eps := rapid.SampledFrom([]*big.Rat{big.NewRat(1, 20), big.NewRat(1, 3), big.NewRat(1, 1000)}).Draw(t, "ε")
		q := scoreQuery(rapid.Uint64().Draw(t, "seed"), eps)
		low := lowerTo(t, q, SMT)
		curve, ok := NewCurve(eps, low.bounds.Logit.Lo, low.bounds.Logit.Hi)
		if !ok {
			t.Skip("fair by the bounds")
		}
		o := rapid.SampledFrom([]Order{InOrder, Swapped}).Draw(t, "order")
		text := low.Problem.SMT.Text + low.Border(curve, o) + low.SlackAtLeast(new(big.Rat))
		for _, at := range append(curve.Start(4), rapid.Float64Range(-20, 20).Draw(t, "at")) {
			text += low.Tangent(curve, o, at)
		}
		s := parse(t, text)
		r := &referee{q, low}
		all := points(q.Space)
		for range 100 {
			a := rapid.SampledFrom(all).Draw(t, "a")
			b := slices.Clone(rapid.SampledFrom(all).Draw(t, "b"))
			for _, i := range q.Space.Free() {
				b[i] = a[i]
			}
			values := r.assign(a, b)
			one, two := r.logits(values)
			if o == Swapped {
				one, two = two, one
			}
			if !fairness.GapExceeds(one, two, eps) {
				continue
			}
			kept++
			if !holds(t, s, values) {
				t.Fatalf("logits %s and %s violate ε = %s and are cut off", one.FloatString(9), two.FloatString(9), eps)
			}
		}
	})
	if kept == 0 {
		t.Error("no pair violates: the test shows nothing")
	}
}

// TestSMTTangentIsTheCurvesRow compares the text, evaluated exactly, with the
// row of the curve: a and b on the right sides, the slack counted in.
func TestSMTTangentIsTheCurvesRow(t *testing.T) {
	q := scoreQuery(1, big.NewRat(1, 20))
	low := lowerTo(t, q, SMT)
	curve, ok := NewCurve(big.NewRat(1, 20), -6, 9)
	if !ok {
		t.Fatal("no border")
	}
	outcomes := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-8, 8).Draw(t, "at")
		a, b := rapid.Float64Range(-6, 9).Draw(t, "a"), rapid.Float64Range(-6, 9).Draw(t, "b")
		slack := rapid.Float64Range(-3, 3).Draw(t, "slack")
		row := curve.Row(at, 0, 1, 2)
		exact := new(big.Rat)
		for _, term := range row.Terms {
			exact.Add(exact, new(big.Rat).Mul(exactly(term.Coef), exactly([]float64{a, b, slack}[term.Column])))
		}
		want := exact.Cmp(exactly(row.Hi)) <= 0
		outcomes[want]++
		for _, o := range []Order{InOrder, Swapped} {
			values := map[string]*big.Rat{"logit@1": exactly(a), "logit@2": exactly(b), "slack": exactly(slack)}
			if o == Swapped {
				values["logit@1"], values["logit@2"] = values["logit@2"], values["logit@1"]
			}
			declared := "(declare-const logit@1 Real)(declare-const logit@2 Real)(declare-const slack Real)"
			if got := holds(t, parse(t, declared+low.Tangent(curve, o, at)), values); got != want {
				t.Fatalf("the text holds: %v, the row: %v", got, want)
			}
			at := new(big.Rat).SetFloat64(slack)
			if !holds(t, parse(t, declared+low.SlackAtLeast(at)), values) || holds(t, parse(t, declared+low.SlackAtLeast(at.Add(at, big.NewRat(1, 9)))), values) {
				t.Fatal("the slack's bound is not at its value")
			}
		}
	})
	if outcomes[true] == 0 || outcomes[false] == 0 {
		t.Errorf("outcomes %v: the test shows nothing", outcomes)
	}
}
