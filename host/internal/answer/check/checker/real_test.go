package checker

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestPublicNetworks: the largest score gap and the largest k of public networks have certificates of few leaves. Without ReLU branching
// they take too many.
func TestPublicNetworks(t *testing.T) {
	tier.NeedUsual(t)
	root := tier.NeedData(t, "bank", "models")
	solver, _ := plugintest.Solver(t, "bnb")
	for _, c := range []struct {
		study, model string
		goal         problem.Goal
		claim        string
		leaves       int64
	}{
		{"bank", "BM-6", problem.Maximise, "0.43858", 5000},
		{"bank", "BM-5", problem.Maximise, "0.5888", 5000},
		{"adult", "AC-1", problem.Maximise, "0.9476", 5000},
		{"adult", "AC-1", problem.MaxK, "19", 5000},
		{"adult", "AC-9", problem.MaxK, "17", 5000},
	} {
		t.Run(c.model+" "+c.goal.String(), func(t *testing.T) {
			if c.study == "adult" {
				tier.NeedLong(t)
			}
			st, err := study.Load("../../../../../studies/"+c.study+".yaml", study.Options{DataRoot: root, Model: c.model})
			if err != nil {
				t.Fatal(err)
			}
			q := &problem.Query{Model: st.Model, Space: st.Space, Region: st.Space.Whole(), Notion: st.Notion, Epsilon: st.Epsilon, Goal: c.goal}
			text, result := solved(t, solver, q)
			r, err := certificate.NewReader(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			report, err := Run(t.Context(), r, Options{})
			if err != nil || report.Refusal != nil {
				t.Fatalf("%v, %v", err, report.Refusal)
			}
			claim := r.Statement().Claim
			t.Logf("%s, bound %v, %d leaves, %d bytes", result.Native, result.Bound, report.Leaves, len(text))
			if got := claimed(claim); got[:min(len(got), len(c.claim))] != c.claim || report.Leaves > c.leaves {
				t.Errorf("%s in %d leaves, want %s in at most %d", got, report.Leaves, c.claim, c.leaves)
			}
		})
	}
}

// claimed is the number in the claim.
func claimed(c certificate.Claim) string {
	if c.Kind == certificate.MaxK {
		return strconv.Itoa(c.K)
	}
	return c.Bound.FloatString(9)
}
