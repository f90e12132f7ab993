package search

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// TestDecisions: with the notion decision, an individual violates it if and only if two of its copies get different
// decisions in exact arithmetic, and a search counts exactly these individuals.
func TestDecisions(t *testing.T) {
	tier.NeedUsual(t)
	strategy, solver := plugintest.Build(t, "search-sa"), plugintest.Build(t, "solver-bnb")
	dir := t.TempDir()
	for _, file := range []string{strategy, solver} {
		if err := os.Link(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	catalogue, err := discover.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HYFAIR_PLUGIN_DIR", "")
	for _, mode := range []string{Paper, FastMode} {
		s := &session.Session{Plugins: catalogue, Threads: 1, Jobs: 1, JournalFile: filepath.Join(t.TempDir(), "journal.db")}
		o, err := Open(t.Context(), s, Request{
			Spec: question.Spec{Study: "../../../../studies/loan", Notion: "decision"}, Strategy: "sa", Solver: map[string]string{Paper: "bnb", FastMode: NoSolver}[mode], Mode: mode, Budget: "2000ev", Runs: 1, Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		decider := individual.New(o.query.Model, o.query.Space, fairness.Rule{})
		flips := func(x []float64) bool {
			positive := map[bool]bool{}
			for _, c := range o.eval.Copies(x).Combinations {
				_, yes := decider.At(o.eval.Point(x, c))
				positive[yes] = true
			}
			return len(positive) == 2
		}
		r, counts := rand.New(rand.NewPCG(1, 2)), map[bool]int{}
		for range tier.Count(300, 3000) {
			x := make([]float64, len(o.query.Space.Features))
			for i := range x {
				f := &o.query.Space.Features[i]
				x[i] = f.Lo + float64(r.IntN(int(f.Hi-f.Lo)+1))
			}
			var out [1]evaluate.Outcome
			o.evaluator().EvaluateCopies([][]float64{x}, out[:], evaluate.Detail{})
			if out[0].N == 0 {
				continue
			}
			if counts[out[0].Violates]++; out[0].Violates != flips(x) {
				t.Fatalf("%v: violates %v", x, out[0].Violates)
			}
		}
		if counts[true] == 0 || counts[false] == 0 {
			t.Errorf("%v: which tests nothing", counts)
		}
		out, err := o.answer(t.Context())
		o.Close()
		if err != nil || s.Close() != nil || out.Notion != "decision" || out.ID == nil || *out.ID == 0 || out.Best == nil || out.Best.K != 2 || out.Runs[0].SolverError != "" {
			t.Errorf("%s mode: %+v, %v", mode, out, err)
		}
	}
}
