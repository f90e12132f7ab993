package audit

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Wilson's interval agrees with published tables and statsmodels.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		hits, of  int
		low, high float64
	}{
		{8, 10, 0.4901625, 0.9433178}, {0, 10, 0, 0.2775328}, {10, 10, 0.7224672, 1}, {1, 1000, 0.0001765, 0.0056425}, {500, 1000, 0.4690696, 0.5309304},
	} {
		r := Rate{Hits: c.hits, Of: c.of}
		if r.close(false); math.Abs(r.Low-c.low) > 1e-6 || math.Abs(r.High-c.high) > 1e-6 {
			t.Errorf("%d of %d: %v to %v, want %v to %v", c.hits, c.of, r.Low, r.High, c.low, c.high)
		}
	}
	none := Rate{}
	if none.close(false); none.Rate != nil || over(none.Rate, none.Rate) != nil {
		t.Error("0 of 0 has a rate")
	}
}

// Rates agree with counting the rows one by one, and rates of twins with switching the rows one by one.
func TestRates(t *testing.T) {
	st, err := study.Load("../../../../studies/loan", study.Options{Rules: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	rule := fairness.Rule{Threshold: big.NewRat(7, 10)}
	c := Config{Model: st.Model, Space: st.Space, Region: st.Space.Whole(), Epsilon: big.NewRat(1, 20), Rule: rule}
	out, err := Run(context.Background(), c, data.Points)
	if err != nil {
		t.Fatal(err)
	}
	decider := individual.New(st.Model, st.Space, rule)
	rates := out.Rates(RateBy{Space: st.Space, Region: c.Region, Decider: decider, Rows: data.Points, Labels: data.Labels, MinShare: big.NewRat(1, 50)})
	if len(rates.Attributes) != 4 || rates.Attributes[3].Name != "sex × age × origin" {
		t.Fatalf("%+v", rates)
	}
	for a, name := range []string{"sex", "", "origin"} {
		if name == "" {
			continue
		}
		f, _ := st.Space.Index(name)
		attribute := rates.Attributes[a]
		best, people := 0.0, 0
		count := func(value float64, as float64) (n, yes, positives, right int) {
			for i := range out.People {
				row := data.Points[out.People[i].Index]
				if row[f] != value {
					continue
				}
				point := append([]float64(nil), row...)
				if point[f] = as; !st.Space.Allowed(point) {
					continue
				}
				n++
				_, positive := decider.At(point)
				if positive {
					yes++
				}
				if data.Labels[out.People[i].Index] == 1 {
					positives++
					if positive {
						right++
					}
				}
			}
			return n, yes, positives, right
		}
		for g := range attribute.Groups {
			n, yes, positives, right := count(float64(g), float64(g))
			got := attribute.Groups[g]
			people += n
			if got.People != n || got.Selection.Hits != yes || got.TruePositive.Of != positives || got.TruePositive.Hits != right || got.Precision.Of != yes || got.Precision.Hits != right ||
				got.FalsePositive.Of != n-positives || got.FalsePositive.Hits != yes-right {
				t.Errorf("%s %s: %+v, want %d people, %d selected, %d of %d right", name, got.Label, got, n, yes, right, positives)
			}
			best = max(best, float64(yes)/float64(n))
		}
		if people != len(out.People) {
			t.Errorf("%s: %d of %d people", name, people, len(out.People))
		}
		for g := range attribute.Groups {
			got := attribute.Groups[g]
			if want := *got.Selection.Rate / best; *got.ImpactRatio != want {
				t.Errorf("%s %s: impact ratio %v, want %v", name, got.Label, *got.ImpactRatio, want)
			}
			w := got.Twins
			if *got.ImpactRatio == 1 {
				continue
			}
			if product := *w.Direct * *w.Rest * *w.Remainder; math.Abs(product-*got.ImpactRatio) > 1e-12 {
				t.Errorf("%s %s: direct × rest × remainder is %v, not %v", name, got.Label, product, *got.ImpactRatio)
			}
			for h := range attribute.Groups {
				if attribute.Groups[h].Label == w.Of {
					n, as, _, _ := count(float64(g), float64(h))
					if own := *got.Selection.Rate; w.People == got.People && math.Abs(*w.Direct-own/(float64(as)/float64(n))) > 1e-12 || w.People != n {
						t.Errorf("%s %s as %s: %+v; %d of %d are selected", name, got.Label, w.Of, w, as, n)
					}
				}
			}
		}
	}
	if all := rates.Attributes[3]; all.ImpactRatio == nil && len(all.Groups) < 2 {
		t.Errorf("%+v", all)
	}
}
