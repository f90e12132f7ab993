package audit

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Rates of groups equal those of fairlearn's MetricFrame and AIF360's ClassificationMetric to the last digit, of either
// favourable decision, with weights and without. testdata/metrics.py wrote what both say.
func TestRatesOfFairlearnAndAIF360(t *testing.T) {
	text, err := os.ReadFile("testdata/metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	type frame struct {
		Groups map[string]struct {
			Selection     float64 `json:"selection"`
			TruePositive  float64 `json:"true_positive"`
			FalsePositive float64 `json:"false_positive"`
			Precision     float64 `json:"precision"`
		} `json:"groups"`
		ImpactRatio float64 `json:"impact_ratio"`
		Difference  float64 `json:"difference"`
		Opportunity float64 `json:"equal_opportunity_difference"`
		Odds        float64 `json:"equalized_odds_difference"`
	}
	var said map[string]struct {
		Fairlearn map[string]frame `json:"fairlearn"`
		AIF360    map[string]map[string]struct {
			Impact      float64 `json:"disparate_impact"`
			Parity      float64 `json:"statistical_parity_difference"`
			Opportunity float64 `json:"equal_opportunity_difference"`
		} `json:"aif360"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	st, err := study.Load("../../../../studies/loan", study.Options{Rules: []string{"none"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := st.Space.Protect("sex", "origin")
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, len(data.Points))
	for i := range weights {
		weights[i] = float64(1 + i%5)
	}
	compared := 0
	equal := func(what string, got *float64, want float64) {
		t.Helper()
		compared++
		if got == nil {
			t.Errorf("%s: no figure, want %v", what, want)
		} else if *got != want {
			t.Errorf("%s: %v, want %v", what, *got, want)
		}
	}
	for name, c := range map[string]struct {
		low     bool
		weights []float64
	}{"high": {}, "low": {low: true}, "high weighted": {false, weights}, "low weighted": {true, weights}} {
		rule := fairness.Rule{Threshold: big.NewRat(7, 10), Low: c.low}
		out, err := Run(context.Background(), Config{Model: st.Model, Space: s, Region: s.Whole(), Epsilon: big.NewRat(1, 20), Rule: rule, Weights: c.weights}, data.Points)
		if err != nil {
			t.Fatal(err)
		}
		rates := out.Rates(RateBy{Space: s, Region: s.Whole(), Decider: individual.New(st.Model, s, rule), Rows: data.Points, Labels: data.Labels, MinShare: new(big.Rat)})
		for i := range rates.Attributes {
			a := &rates.Attributes[i]
			of := name + ", " + a.Name
			want, ok := said[name].Fairlearn[a.Name]
			if !ok || len(want.Groups) != len(a.Groups) {
				t.Fatalf("%s: fairlearn has %d groups, want %d", of, len(want.Groups), len(a.Groups))
			}
			equal(of+", impact ratio", a.ImpactRatio, want.ImpactRatio)
			equal(of+", difference", a.Difference, want.Difference)
			equal(of+", equal opportunity", a.Opportunity, want.Opportunity)
			equal(of+", equalized odds", a.Odds, want.Odds)
			for j := range a.Groups {
				g := &a.Groups[j]
				w, ok := want.Groups[g.Label]
				if !ok {
					t.Fatalf("%s: fairlearn has no group %s", of, g.Label)
				}
				equal(of+", "+g.Label+", selection", g.Selection.Rate, w.Selection)
				equal(of+", "+g.Label+", true positives", g.TruePositive.Rate, w.TruePositive)
				equal(of+", "+g.Label+", false positives", g.FalsePositive.Rate, w.FalsePositive)
				equal(of+", "+g.Label+", precision", g.Precision.Rate, w.Precision)
				for k := range a.Groups {
					h := &a.Groups[k]
					pair, ok := said[name].AIF360[a.Name][g.Label+" / "+h.Label]
					if !ok {
						continue // AIF360 was asked about single attributes
					}
					equal(of+", "+g.Label+" over "+h.Label, over(g.Selection.Rate, h.Selection.Rate), pair.Impact)
					difference, opportunity := *g.Selection.Rate-*h.Selection.Rate, *g.TruePositive.Rate-*h.TruePositive.Rate
					equal(of+", "+g.Label+" less "+h.Label, &difference, pair.Parity)
					equal(of+", "+g.Label+" less "+h.Label+", true positives", &opportunity, pair.Opportunity)
				}
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d figures were compared", compared)
	}
}
