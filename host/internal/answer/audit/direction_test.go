package audit

import (
	"context"
	"errors"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Where a low score is favourable, decisions stay as they are, and gains, advantages, rates and error rates are those of
// the negative decision, as counting row by row gives them.
func TestLowIsFavourable(t *testing.T) {
	st, err := study.Load("../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	audited := func(rule fairness.Rule) (*Outcome, *Summary, *Rates) {
		c := Config{Model: st.Model, Space: st.Space, Region: st.Space.Whole(), Epsilon: big.NewRat(1, 20), Rule: rule, Thresholds: []*big.Rat{big.NewRat(1, 4)}}
		out, err := Run(context.Background(), c, data.Points[:2000])
		if err != nil {
			t.Fatal(err)
		}
		rates := out.Rates(RateBy{Space: st.Space, Region: c.Region, Decider: individual.New(st.Model, st.Space, rule), Rows: data.Points, Labels: data.Labels, MinShare: big.NewRat(1, 50)})
		return out, out.Summarise(st.Space, c.Region, data.Points), rates
	}
	third := big.NewRat(3, 10)
	high, sumHigh, ratesHigh := audited(fairness.Rule{Threshold: third})
	low, sumLow, ratesLow := audited(fairness.Rule{Threshold: third, Low: true})
	for i := range high.People {
		h, l := &high.People[i], &low.People[i]
		if h.Index != l.Index || h.Positive != l.Positive || h.Flips != l.Flips {
			t.Fatalf("row %d: positive %v, flips %v; where low is favourable row %d, %v, %v", h.Index, h.Positive, h.Flips, l.Index, l.Positive, l.Flips)
		}
		for n := range h.Effects {
			a, b := h.Effects[n], l.Effects[n]
			if a.Best != b.Worst || a.WorstScore != b.BestScore || a.Advantage != -b.Advantage {
				t.Fatalf("row %d: %+v, and where low is favourable %+v", h.Index, a, b)
			}
		}
	}
	if h, l := sumHigh.Decisions, sumLow.Decisions; l.Gain == 0 || l.Gain == l.Lose || h.Gain != l.Lose || h.Lose != l.Gain || l.Gain != l.ToNo || h.ToNo != l.ToNo || low.Curve[0].Gain != low.Curve[0].ToNo {
		t.Errorf("high: %+v; low: %+v; at ¼ %+v", h, l, low.Curve[0])
	}
	held, _, ok := sumHigh.Apart()
	if _, helped, also := sumLow.Apart(); !ok || !also || held.name() != helped.name() {
		t.Errorf("who is held back where high is favourable is not helped where low is: %v, %v", held, helped)
	}
	for a := range ratesHigh.Attributes {
		best := 0.0
		for g := range ratesHigh.Attributes[a].Groups {
			h, l := ratesHigh.Attributes[a].Groups[g], ratesLow.Attributes[a].Groups[g]
			if l.Judged {
				best = max(best, *l.Selection.Rate)
			}
			if l.Selection.Hits != l.People-h.Selection.Hits || l.TruePositive.Of != h.FalsePositive.Of || l.TruePositive.Hits != h.FalsePositive.Of-h.FalsePositive.Hits ||
				l.FalsePositive.Hits != h.TruePositive.Of-h.TruePositive.Hits || l.Precision.Of != l.Selection.Hits {
				t.Errorf("%s: %+v, and where low is favourable %+v", h.Label, h, l)
			}
		}
		for _, g := range ratesLow.Attributes[a].Groups {
			if want := *g.Selection.Rate / best; math.Abs(*g.ImpactRatio-want) > 1e-12 {
				t.Errorf("%s: impact ratio %v, want %v", g.Label, *g.ImpactRatio, want)
			}
		}
	}
	r := &Result{Epsilon: "0.05", Summary: *sumLow, Grounds: question.Grounds{Decision: &question.Decision{Threshold: "0.3", Favourable: "negative"}}}
	for _, want := range []string{"would change to negative, ", "The negative one is favourable: those who would change to it gain."} {
		if text := strings.Join(r.sentences(), "\n"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The study says which decision is favourable, --favourable overrides it, and tables begin with that decision.
func TestFavourableOfTheRequest(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../../studies/loan")); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "study.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString("\ndecision: {threshold: 0.3, yes: low}\n")
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	ask := func(favourable string) (*Result, error) {
		return Answer(t.Context(), &session.Session{Threads: 1, Begun: time.Now()}, Request{Spec: question.Spec{Study: dir}, Favourable: favourable})
	}
	for favourable, good := range map[string]string{"": "negative", "negative": "negative", "positive": "positive"} {
		out, err := ask(favourable)
		if err != nil {
			t.Fatal(err)
		}
		gain := map[string]int{"positive": out.Summary.ToYes, "negative": out.Summary.ToNo}[good]
		if out.Summary.ToYes == out.Summary.ToNo || out.Summary.Gain != gain || (out.Decision.Favourable == "negative") != (good == "negative") {
			t.Errorf("--favourable %q: %+v, decision %+v", favourable, out.Summary.Decisions, out.Decision)
		}
		var text strings.Builder
		if err := out.Page().Write(&text, view.Text, view.Options{}); err != nil || !strings.Contains(text.String(), "people  "+good+"  to "+good+"  to ") {
			t.Errorf("--favourable %q: %v, %s", favourable, err, text.String())
		}
	}
	if _, err := ask("good"); err == nil || !strings.Contains(err.Error(), "--favourable good: want positive or negative") {
		t.Error(err)
	}
}
