package partition_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestPublicNetworks decides Fairify's partitions of public networks (bounds and
// sampling first, Z3 what they leave) and tries to refute every part that was
// proved fair with random individuals.
func TestPublicNetworks(t *testing.T) {
	tier.NeedUsual(t)
	root := tier.NeedData(t, "adult", "models")
	solver, d := plugintest.Solver(t, "z3")
	for _, c := range []struct {
		study, model, chunk string
		protected           []string
		parts, least        int
	}{
		{"adult", "AC-9", "10", []string{"sex"}, 16000, 16000},
		{"adult", "AC-8", "10", []string{"sex"}, 16000, 15500},
		{"bank", "BM-5", "100", nil, 510, 510},
		{"bank", "BM-6", "100", nil, 510, 510},
	} {
		t.Run(c.model, func(t *testing.T) {
			if c.study == "adult" {
				tier.NeedLong(t)
			}
			st, err := study.Load("../../../../../studies/"+c.study+".yaml", study.Options{DataRoot: root, Model: c.model, Rules: []string{"none"}})
			if err != nil {
				t.Fatal(err)
			}
			s := st.Space
			if c.protected != nil {
				if s, err = s.Protect(c.protected...); err != nil {
					t.Fatal(err)
				}
			}
			q := &problem.Query{Model: st.Model, Space: s, Region: s.Whole(), Notion: fairness.DecisionStrict, Goal: problem.Decide}
			store := &shelf{}
			o := partition.Options{Chunks: chunks(t, q, c.chunk), All: true, Seed: 1, Store: store}
			if c.least == c.parts { // what bounds leave of AC-8 takes Z3 longer than a test should
				o.Solvers = []engine.Options{{Solver: solver, Description: d, Bounds: "linear", Seed: 1}}
			}
			rep, err := partition.Run(t.Context(), q, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d fair, %d unfair, %d undecided; by %v; %v", rep.Fair, rep.Unfair, rep.Undecided, rep.By, rep.Elapsed)
			if rep.Total != c.parts || rep.Fair+rep.Unfair < c.least || rep.Fair == 0 || rep.Unfair == 0 {
				t.Errorf("%d parts, %d decided; want %d and at least %d", rep.Total, rep.Fair+rep.Unfair, c.parts, c.least)
			}
			refute(t, q, o, store)
		})
	}
}

// refute draws individuals of the parts proved fair: none may get different
// decisions.
func refute(t *testing.T, q *problem.Query, o partition.Options, store *shelf) {
	t.Helper()
	eval, err := evaluate.New(q.Model, q.Space, q.Region, big.NewRat(1, 20))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := o.Chunks.Split(q.Space, q.Region)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 99))
	tried := 0
	for _, part := range parts {
		if store.verdict(t, partition.Text(q.Space, q.Region, part)) != "fair" {
			continue
		}
		for range 20 {
			x := make([]float64, len(q.Space.Features))
			for _, i := range q.Space.Free() {
				x[i] = part.Box[i].Lo + float64(rng.Int64N(int64(part.Box[i].Hi-part.Box[i].Lo)+1))
			}
			out := eval.Evaluate(x)
			hi := q.Model.Logit(q.Space.NetworkInputs(nil, eval.Point(x, out.ArgMax)))
			lo := q.Model.Logit(q.Space.NetworkInputs(nil, eval.Point(x, out.ArgMin)))
			if tried++; hi > 1e-9 && lo < -1e-9 {
				t.Fatalf("%v has the logits %v and %v in a part proved fair", x, hi, lo)
			}
		}
	}
	t.Logf("%d individuals of fair parts tried", tried)
}
