package export_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestFilesOfATinyProblem holds every format's text against files that were
// read by people.
func TestFilesOfATinyProblem(t *testing.T) {
	for file, c := range map[string]struct {
		notion fairness.Notion
		o      export.Options
	}{
		"score.mps":       {fairness.Score, export.Options{Encoding: "bigm", Bounds: "interval"}},
		"logit-max.lp":    {fairness.Logit, export.Options{Encoding: "bigm", Bounds: "interval", Maximise: true}},
		"decision.smt2":   {fairness.Decision, export.Options{Encoding: "smt", Bounds: "interval"}},
		"strict-max.smt2": {fairness.DecisionStrict, export.Options{Encoding: "smt", Bounds: "interval", Maximise: true}},
		"logit.vnnlib":    {fairness.Logit, export.Options{}},
		"score.vnnlib":    {fairness.Score, export.Options{}},
	} {
		format := filepath.Ext(file)[1:]
		f, err := export.Lookup(format)
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := export.Lower(tiny(c.notion), f, c.o)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		golden(t, file, write(t, format, lowered[0].Problem, append([]string{file}, lowered[0].Meaning...)...))
	}
	sets := &problem.MILP{
		Columns:   []problem.Column{{Name: "a", Hi: 1}, {Name: "b", Lo: -1, Hi: 1, Integer: true}, {Name: "c d", Hi: 3}},
		SOS1:      []problem.SOS1{{Name: "one of", Columns: []int{0, 2}}, {Name: "other", Columns: []int{1, 2}}},
		Rows:      []problem.Row{{Name: "r", Lo: -1, Hi: 2.5, Terms: []problem.Term{{Column: 0, Coef: 1}, {Column: 1, Coef: 0.1}}}},
		Objective: problem.Objective{Offset: 4},
	}
	golden(t, "sets.mps", write(t, "mps", &problem.Problem{Name: "sets", MILP: sets}))
	golden(t, "sets.lp", write(t, "lp", &problem.Problem{Name: "sets", MILP: sets}))
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", file, diff)
	}
}
