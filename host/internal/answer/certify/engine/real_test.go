package engine_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// published is the question about a published network, in its study's own ε.
func published(t *testing.T, name, model string, n fairness.Notion) *problem.Query {
	t.Helper()
	root := tier.NeedData(t, "adult", "models")
	s, err := study.Load("../../../../../studies/"+name+".yaml", study.Options{DataRoot: root, Model: model})
	if err != nil {
		t.Fatal(err)
	}
	return &problem.Query{Model: s.Model, Space: s.Space, Region: s.Space.Whole(), Notion: n, Epsilon: s.Epsilon, Goal: problem.Decide}
}

// TestPublishedNetworksAreUnfair finds two people for each network and holds
// them against the definition once more, in float64.
func TestPublishedNetworksAreUnfair(t *testing.T) {
	tier.NeedUsual(t)
	solver, description := highs(t)
	for _, c := range []struct{ study, model string }{
		{"adult", "AC-1"}, {"bank", "BM-5"}, {"adult", "AC-8"}, {"adult", "AC-3"}, {"adult", "AC-6"}, {"adult", "AC-9"}, {"bank", "BM-6"},
	}[:tier.Count(2, 7)] {
		t.Run(c.model, func(t *testing.T) {
			q := published(t, c.study, c.model, fairness.Score)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			rep, err := engine.Run(ctx, q, engine.Options{Solver: solver, Description: description, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			w := rep.Witness
			if rep.Verdict != engine.Unfair || w == nil || len(rep.Faults) > 0 {
				t.Fatalf("verdict %s (%s), faults %q", rep.Verdict, rep.Reason, rep.Faults)
			}
			score := func(x []float64) float64 {
				return fairness.Sigmoid(q.Model.Logit(q.Space.NetworkInputs(nil, x)))
			}
			if gap := score(w.Copy1) - score(w.Copy2); gap <= 0.05 || math.Abs(gap-w.Margin) > 1e-9 || w.K < 2 {
				t.Errorf("gap %v, reported %v with k = %d", gap, w.Margin, w.K)
			}
			for i := range w.Copy1 {
				if f := &q.Space.Features[i]; !f.IsProtected() && w.Copy1[i] != w.Copy2[i] {
					t.Errorf("the copies differ in %s", f.Name)
				}
			}
			if !q.Space.Contains(w.Copy1) || !q.Space.Contains(w.Copy2) {
				t.Errorf("copies %v and %v are not both in the space", w.Copy1, w.Copy2)
			}
		})
	}
}

// TestLargestLogitGaps reproduces optima that another interface to HiGHS gave
// for the same two-copy programme, written on its own.
func TestLargestLogitGaps(t *testing.T) {
	tier.NeedUsual(t)
	solver, description := highs(t)
	for _, c := range []struct {
		study, model string
		want         float64
		slow         bool
	}{
		{"adult-all-ages", "AC-8", 20.0733654, true}, {"adult-all-ages", "AC-9", 11.8044341, true}, {"adult-all-ages", "AC-6", 13.0344479, true},
		{"adult-all-ages", "AC-1", 16.7573992, true}, {"adult-all-ages", "AC-3", 88.2134974, true}, {"bank", "BM-6", 2.54985675, false},
		{"adult", "AC-8", 17.4652586, true}, {"adult", "AC-9", 10.1598930, true},
	} {
		t.Run(c.study+"/"+c.model, func(t *testing.T) {
			if c.slow {
				tier.NeedLong(t)
			}
			q := published(t, c.study, c.model, fairness.Logit)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			rep, err := engine.Run(ctx, q, engine.Options{Solver: solver, Description: description, Maximise: true, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != engine.Unfair || !rep.Closed || len(rep.Faults) > 0 {
				t.Fatalf("verdict %s, closed %v (%s), faults %q", rep.Verdict, rep.Closed, rep.Reason, rep.Faults)
			}
			// The reference is rounded to nine digits, and was solved to a
			// relative gap of 1e-6.
			if got := rep.Witness.Margin; math.Abs(got-c.want) > 1e-6*c.want || rep.Bound+rep.BoundTolerance < got {
				t.Errorf("largest gap %.9g, bound %.9g; want %.9g", got, rep.Bound, c.want)
			}
		})
	}
}
