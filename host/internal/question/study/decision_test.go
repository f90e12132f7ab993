package study

import (
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// tiny is a study of one weight on one feature.
func tiny(kind space.Kind, weight float64, threshold string) *Study {
	t, _ := new(big.Rat).SetString(threshold)
	return &Study{
		Model: &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{{In: 1, Out: 1, Weights: []float64{weight}, Bias: []float64{0}}}},
		Space: &space.Space{Inputs: 1, Features: []space.Feature{{Name: "a", Kind: kind, Hi: 9, Inputs: []space.Input{{Scale: 1}}}}},
		Rule:  fairness.Rule{Threshold: t},
	}
}

// Margins are measured from the border, also where the logits are whole numbers.
func TestDecidedKeepsMargins(t *testing.T) {
	for threshold, border := range map[string]float64{"0.3": -0.8472978603872037, "0.7": 0.8472978603872037} {
		m, err := tiny(space.Integer, 1, threshold).Decided()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0, 1, 5} {
			exact, _ := m.Exact().Logit([]*big.Rat{new(big.Rat).SetFloat64(x)}).Float64()
			if d := exact - (x - border); d > 1e-15 || d < -1e-15 {
				t.Errorf("at %s the logit of %v is %v, not %v", threshold, x, exact, x-border)
			}
		}
	}
}

// What no exact decision is known of is refused, unless a feature is a real number.
func TestDecidedRefuses(t *testing.T) {
	if _, err := tiny(space.Integer, 1e-310, "0.3").Decided(); err == nil || !strings.Contains(err.Error(), "too small") {
		t.Errorf("denormal weights: %v", err)
	}
	for _, s := range []*Study{tiny(space.Real, 1, "0.3"), tiny(space.Integer, 1e-200, "0.3"), tiny(space.Integer, 1e-310, "0.5")} {
		if _, err := s.Decided(); err != nil {
			t.Error(err)
		}
	}
	s := tiny(space.Integer, 1, "0.3")
	if err := s.Takes(fairness.DecisionStrict); err == nil || !strings.Contains(err.Error(), "no threshold") {
		t.Errorf("decision-strict: %v", err)
	}
	if s.Number = true; s.takesRule() == nil {
		t.Error("a model that predicts a number takes a threshold")
	}
}

// The side of favourable scores is read, and the model that decides is the same.
func TestFavourableSide(t *testing.T) {
	for text, low := range map[string]bool{"": false, "decision: {yes: high}\n": false, "decision: {yes: low}\n": true, "decision: {threshold: 0.3, yes: low}\n": true} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../../../../studies/loan")); err != nil {
			t.Fatal(err)
		}
		path := dir + "/study.yaml"
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(old, "\n"+text...), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Rule.Low != low {
			t.Errorf("%q: low is favourable: %v", text, s.Rule.Low)
		}
		if m, err := s.Decided(); err != nil || s.Rule.Threshold == nil && m != s.Model {
			t.Errorf("%q: the model changes: %v", text, err)
		}
	}
}
