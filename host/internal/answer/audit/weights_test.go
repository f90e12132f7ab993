package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// A row of weight n counts in shares, rates and means as n such rows do; numbers of people and intervals do not.
func TestWeightsAreCopiesOfRows(t *testing.T) {
	st, err := study.Load("../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	const n, none = 500, 100 // rows, and further ones of weight 0, which repeat some of them
	r := rand.New(rand.NewPCG(3, 44))
	rows, marks := slices.Concat(data.Points[:n], data.Points[:none]), slices.Concat(data.Labels[:n], data.Labels[:none])
	var copied [][]float64
	var labels []int
	weights := make([]float64, n+none)
	for i := range n {
		weights[i] = float64(1 + r.IntN(4))
		for range int(weights[i]) {
			copied, labels = append(copied, rows[i]), append(labels, marks[i])
		}
	}
	for _, rule := range []fairness.Rule{{Threshold: big.NewRat(7, 10)}, {Threshold: big.NewRat(1, 4), Low: true}} {
		audited := func(rows [][]float64, labels []int, weights []float64) (*Outcome, *Summary, *Rates) {
			c := Config{Model: st.Model, Space: st.Space, Region: st.Space.Whole(), Epsilon: big.NewRat(1, 20), Rule: rule, Weights: weights, Thresholds: []*big.Rat{big.NewRat(1, 3)}}
			out, err := Run(context.Background(), c, rows)
			if err != nil {
				t.Fatal(err)
			}
			return out, out.Summarise(st.Space, c.Region, rows), out.Rates(RateBy{
				Space: st.Space, Region: c.Region, Decider: individual.New(st.Model, st.Space, rule), Rows: rows, Labels: labels, MinShare: big.NewRat(1, 50)})
		}
		out, sum, rates := audited(rows, marks, weights)
		twice, sumTwice, ratesTwice := audited(copied, labels, nil)
		if sum.People != n+none || sum.Weight != float64(len(copied)) || sumTwice.Weight != 0 {
			t.Errorf("%d people of weight %v, and %d rows", sum.People, sum.Weight, len(copied))
		}
		// Numbers of people differ, and what follows from them.
		numbers := cmp.FilterPath(func(p cmp.Path) bool {
			switch p.Last().String() {
			case ".People", ".Unfair", ".Positive", ".Flips", ".ToYes", ".ToNo", ".Gain", ".Lose", ".Hits", ".Of", ".BackOf", ".Weight", ".Effective", ".Low", ".High", ".Rows", ".K", ".Gaps", ".Strongest", ".Proxies", ".MaxK", ".MaxGap":
				return true
			}
			return false
		}, cmp.Ignore())
		options := cmp.Options{numbers, cmpopts.IgnoreFields(Rate{}, "Sums"), cmpopts.EquateApprox(0, 1e-12), cmpopts.SortSlices(func(a, b Intersection) bool { return a.name() < b.name() })}
		if d := cmp.Diff(sumTwice, sum, options...); d != "" {
			t.Errorf("summary (-copies +weights):\n%s", d)
		}
		if d := cmp.Diff(ratesTwice, rates, options...); d != "" {
			t.Errorf("rates (-copies +weights):\n%s", d)
		}
		if d := cmp.Diff(twice.Curve, out.Curve, options...); d != "" {
			t.Errorf("curve (-copies +weights):\n%s", d)
		}
		for _, g := range rates.Attributes[0].Groups {
			sum, squares := 0.0, 0.0
			for i := range out.People {
				if f, _ := st.Space.Index("sex"); st.Space.Features[f].Label(rows[out.People[i].Index][f]) == g.Label {
					w := weights[out.People[i].Index]
					sum, squares = sum+w, squares+w*w
				}
			}
			wilson := Rate{Hits: int(math.Round(*g.Selection.Rate * 1e9)), Of: 1e9}
			wilson.close(false)
			if want := sum * sum / squares; g.Selection.Effective != want || g.Selection.High-g.Selection.Low < wilson.High-wilson.Low {
				t.Errorf("%s: effective %v, want %v; %v to %v", g.Label, g.Selection.Effective, want, g.Selection.Low, g.Selection.High)
			}
		}
	}
}

// The same weight for all is as none: rounding of their sums moves no median, and fails no gate at its bound.
func TestEqualWeights(t *testing.T) {
	for _, weight := range []float64{0.1, 0.7, 1e-100, 1e100} {
		o := &Outcome{}
		for i := range 50 {
			o.People, o.Weights = append(o.People, Person{Index: i, Score: float64(i * i)}), append(o.Weights, weight)
		}
		if got, want := o.median(), (&Outcome{People: o.People}).median(); got != want {
			t.Errorf("weights %v: median %v, want %v", weight, got, want)
		}
		rate := func(hits, of int) (r Rate) {
			for i := range of {
				r.add(i < hits, weight)
			}
			r.close(true)
			return r
		}
		a := Rated{Groups: []GroupRates{{Label: "x", Judged: true, Selection: rate(7, 20)}, {Label: "y", Judged: true, Selection: rate(10, 20)}}}
		a.Groups[0].ImpactRatio, a.Groups[1].ImpactRatio = over(a.Groups[0].Selection.Rate, a.Groups[1].Selection.Rate), over(a.Groups[1].Selection.Rate, a.Groups[1].Selection.Rate)
		a.sum()
		r := &Result{Rates: &Rates{Favourable: "positive"}, Weights: &Weights{}}
		if least, text := a.least(r); least.Cmp(big.NewRat(7, 10)) != 0 {
			t.Errorf("weights %v: impact ratio %v, want 7/10: %s", weight, least, text)
		}
	}
}

// Wilson's interval of an effective number of people is that of as many people.
func TestWilsonOfWeights(t *testing.T) {
	weighted, plain := Rate{}, Rate{Hits: 8, Of: 10}
	for i := range 10 {
		weighted.add(i < 8, 2.5)
	}
	weighted.close(true)
	plain.close(false)
	if weighted.Effective != 10 || *weighted.Rate != *plain.Rate || math.Abs(weighted.Low-plain.Low) > 1e-15 || math.Abs(weighted.High-plain.High) > 1e-15 {
		t.Errorf("%+v, unweighted %+v", weighted, plain)
	}
	none := Rate{}
	none.add(true, 0)
	if none.close(true); none.Rate != nil || none.Of != 1 {
		t.Errorf("of the weight 0: %+v", none)
	}
}

// Further rows bring weights and labels of their own; without the columns each counts once, and there are no error rates.
func TestWeightsOfRows(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../../studies/loan")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "study.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "\ndata:", "\ndata:\n  weight: w", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(rows string, gates ...gate.Gate) *Result {
		t.Helper()
		file := filepath.Join(dir, "rows.csv")
		if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := Answer(t.Context(), &session.Session{Threads: 1, Begun: time.Now()}, Request{Spec: question.Spec{Study: dir, Scope: question.Scope{Rules: []string{"none"}}}, File: file, Groups: true, Top: -1, Gates: gates})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const columns, rows = "sex,age,origin,income,credit_rating,debt_ratio,years_employed,loan_amount,purpose,housing", `
female,39,north,5,2,2,10,18,car,rent
male,65,east,5,9,0,10,3,business,own
male,30,south,10,9,3,4,9,car,rent
`
	with := func(column string, values ...string) string {
		lines := strings.Split(strings.TrimSuffix(columns+rows, "\n"), "\n")
		for i, v := range append([]string{column}, values...) {
			lines[i] += "," + v
		}
		return strings.Join(lines, "\n") + "\n"
	}
	plain := ask(columns + rows)
	if plain.Weights == nil || !plain.Weights.Absent || plain.Weights.Effective != 3 || plain.Rates.Attributes[0].Groups[0].TruePositive != nil || !strings.Contains(strings.Join(plain.Summary.Text, "\n"), "Each row counts once: there is no column w") {
		t.Errorf("%+v", plain.Weights)
	}
	limit, err := gate.Share("max-unfair", "30%")
	if err != nil {
		t.Fatal(err)
	}
	weighted := ask(with("w", "1", "0", "3"), limit)
	if weighted.Summary.UnfairShare != 0.25 || plain.Summary.UnfairShare != 1./3 || weighted.Gates[0].Outcome != gate.Passed {
		t.Errorf("unfair: %v, unweighted %v; %+v", weighted.Summary.UnfairShare, plain.Summary.UnfairShare, weighted.Gates[0])
	}
	w := weighted.Weights
	if w.Sum != 4 || w.Effective != 1.6 || w.Zero != 1 || weighted.Rates.Attributes[0].Groups[1].Share != 0.75 {
		t.Errorf("%+v", w)
	}
	share := 0.0
	for row := range weighted.Rows {
		if want := []float64{1, 0, 3}[row.Index]; *row.Weight != want {
			t.Errorf("row %d: weight %v, want %v", row.Index, *row.Weight, want)
		}
		if row.Flips {
			share += *row.Weight / 4
		}
	}
	if weighted.Summary.FlipsShare != share || share == 0 || share == plain.Summary.FlipsShare {
		t.Errorf("%v flip, want %v", weighted.Summary.FlipsShare, share)
	}
	// People of the weight 0 have no shares and means, whichever decision is favourable.
	female := ask(with("w", "0", "2", "3"))
	female.Decision = &question.Decision{Threshold: "0.5", Favourable: "negative"}
	if row := fmt.Sprint(female.byGroup(&female.Summary.Attributes[0], "").Rows[0]); strings.Count(row, "{– ") != 4 || strings.Contains(row, "100") {
		t.Errorf("weight 0: %s", row)
	}
	if notes := strings.Join(female.Rates.Attributes[0].unjudged(female.Rates.MinShare, female.weighted()), ""); notes != "not judged, fewer than 2.0 % of all people by weight: female (1)" {
		t.Error(notes)
	}
	if why := ask(with("approved", "1", "", "0")).Rates.Unlabelled; why != "line 3 has no label in column approved" {
		t.Error(why)
	}
	labelled := ask(with("approved", "1", "1", "0"))
	if g := labelled.Rates.Attributes[0].Groups; g[0].TruePositive.Of != 1 || g[1].TruePositive.Of != 1 || g[1].FalsePositive.Of != 1 {
		t.Errorf("%+v", g)
	}
}
