package encode_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// A model that writes itself as rows means the same in each encoding: the rows hold
// where each copy's logit is the model's, and nowhere else.
func TestRowsOfAnotherFamily(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, encoding := range milpEncodings() {
		for range 50 {
			s := mixedSpace()
			u := linear.Capable{Unit: &linear.Unit{Bias: r.NormFloat64()}}
			for range s.Inputs {
				u.Weights = append(u.Weights, r.NormFloat64())
			}
			q := &problem.Query{Model: u, Space: s, Notion: fairness.Score, Epsilon: big.NewRat(1, 20), Goal: problem.Decide, Region: s.Whole()}
			low, err := encoding.LowerMILP(q, bound.Intervals(u, bound.Inputs(s, q.Region)))
			if err != nil {
				t.Fatal(err)
			}
			if low.Fidelity != encode.Exact || low.Sensitivity < 1 || math.IsInf(low.Sensitivity, 0) {
				t.Errorf("%s: %s, sensitivity %v", encoding.Name, low.Fidelity, low.Sensitivity)
			}
			one, two := randomPoint(r, s, q.Region), randomPoint(r, s, q.Region)
			for _, i := range s.Free() {
				two[i] = one[i]
			}
			values, err := low.Lift([][]float64{one, two})
			if err != nil {
				t.Fatal(err)
			}
			values[low.Slack] = 0
			for i, c := range low.Problem.MILP.Columns {
				if name, copied, _ := strings.Cut(c.Name, "#"); name == "sum" {
					values[i] = u.Logit(s.NetworkInputs(nil, [][]float64{one, two}[copied[0]-'1']))
				}
			}
			if v := low.Problem.MILP.Violation(values); !(v < 1e-9) {
				t.Fatalf("%s: two copies break the rows by %v", encoding.Name, v)
			}
			for _, logit := range low.Logits {
				moved := append([]float64(nil), values...)
				if moved[logit] += 0.01; low.Problem.MILP.Violation(moved) < 0.005 {
					t.Errorf("%s: the rows hold for a logit that the unit does not have", encoding.Name)
				}
			}
		}
	}
}

// An encoding refuses what cannot be written in its form, by name.
func TestEncodingsNameWhatAModelLacks(t *testing.T) {
	s := mixedSpace()
	q := &problem.Query{Model: &linear.Unit{Weights: make([]float64, s.Inputs)}, Space: s, Notion: fairness.Decision, Goal: problem.Decide, Region: s.Whole()}
	b := &bound.Bounds{}
	for _, e := range encode.Encodings {
		want, err := "models of the family linear have no rows", e.Takes(q.Model)
		lower := func() error { _, err := e.LowerMILP(q, b); return err }
		if e.Form == problem.FormSMT {
			want = "models of the family linear have no script"
			lower = func() error { _, err := e.LowerSMT(q, b); return err }
		}
		for _, err := range []error{err, lower()} {
			if !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", e.Name, err, want)
			}
		}
	}
}
