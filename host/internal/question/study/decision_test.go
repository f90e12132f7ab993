package study

import (
	"errors"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
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

// Thresholds by group decide by the threshold of each person's group, also if the model does not see the attribute.
func TestGroups(t *testing.T) {
	path := t.TempDir() + "/study.yaml"
	for file, text := range map[string]string{
		path: "model: net.json\nfeatures: {a: {integer: -3..3}, sex: {categories: [m, w, x], inputs: []}, job: {categories: [p, q, r, s], inputs: one-hot}}\n" +
			"protected: {sex: all, job: all}\ndecision: {threshold: {sex: {m: 0.3, w|x: {job: {p: 0.6, q|r: 0.7, s: 0.3}}}}, at: yes}\n",
		strings.Replace(path, "study.yaml", "net.json", 1): `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid", "layers": [` +
			`{"name": "out", "inputs": 5, "units": 1, "activation": "linear", "weights": [[0.25, 0.125, 0, 0, -0.5]], "bias": [0]}]}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for threshold, of := range map[string][3]float64{"": {0.3, 0.6, 0.7}, "0.4": {0.4, 0.4, 0.4}, "job:p=0.2,q|r|s=0.8": {0.2, 0.2, 0.8}} {
		s, err := Load(path, Options{Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		if unseen := threshold == ""; slices.Equal(s.Unseen, []string{"sex"}) != unseen || s.Model.Inputs() != s.Space.Inputs || (s.Space.Inputs == 6) != unseen {
			t.Errorf("%q: unseen %v, %d inputs", threshold, s.Unseen, s.Space.Inputs)
		}
		decided, err := s.Decided()
		if err != nil {
			t.Fatal(err)
		}
		s.Space.EachCombination(s.Space.Whole(), make([]float64, 3), func(point []float64) {
			for point[0] = -3; point[0] <= 3; point[0]++ {
				is := of[0]
				switch sex, job := point[1], point[2]; {
				case threshold != "" && job > 0, threshold == "" && sex > 0 && (job == 1 || job == 2):
					is = of[2]
				case threshold == "" && sex > 0 && job == 0:
					is = of[1]
				}
				logit, _ := s.Model.Exact().Logit(s.Space.ExactInputs(point)).Float64()
				yes := decided.Exact().Logit(s.Space.ExactInputs(point)).Sign() > 0
				if yes != (fairness.Sigmoid(logit) >= is) {
					t.Errorf("%q: %v with a score of %v is positive: %v", threshold, point, fairness.Sigmoid(logit), yes)
				}
			}
		})
	}
	same := tiny(space.Categorical, 1, "0.3") // whose two values have the same input
	f := &same.Space.Features[0]
	f.Categories, f.Hi, f.Protected, f.Inputs[0].Table = []string{"m", "w"}, 1, []float64{0, 1}, []float64{1, 1}
	for v, t := range []string{"0.3", "0.4"} {
		level, _ := new(big.Rat).SetString(t)
		same.Rule.Groups = append(same.Rule.Groups, fairness.Group{In: []fairness.Having{{Feature: "a", Holds: func(at float64) bool { return at == float64(v) }}}, Threshold: level})
	}
	for _, m := range []model.Model{same.Model, &trees.Ensemble{Columns: 1, Output: fairness.LinkSigmoid, Trees: []trees.Tree{{trees.Leaf(1)}}}} {
		same.Model = m
		if _, err := same.Decided(); !errors.Is(err, model.ErrAlike) {
			t.Errorf("%s: values with the same input have different thresholds: %v", m.Family(), err)
		}
	}
}
