package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question"
)

const whole1 = `name: mine
summary: about
studies:
  - study: a.yaml
    models: AC-*
    partition: 10
  - study: /b.yaml
budget: 90s
runs: 3
threads: 2
seed: 7
epsilon: 0.1
protected: [sex]
where: age=1..2
rules: [x]
arms:
  - name: one
    about: words
    solver: z3
    notion: decision-strict
    partition: study
    soft: 1m
  - {name: two, solver: highs, epsilon: 1/20, gap: 1e-4, goal: maximise}
  - name: three
    set: {presolve: "on"}
    grid:
      solver: [highs, lpsolve]
      set.cuts: [a, b]
`

func TestReadFile(t *testing.T) {
	got, err := parseFile([]byte(whole1), "dir/mine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Name:    "mine",
		Studies: []gridfile.Study{{Path: "dir/a.yaml", Models: "AC-*", Partition: "10", At: "dir/mine.yaml:4:12"}, {Path: "/b.yaml", At: "dir/mine.yaml:7:12"}},
		Terms: experiment.Terms{
			Budget: "90s", Runs: 3, Threads: 2, Seed: 7,
			Scope: question.Scope{Epsilon: "0.1", Protected: []string{"sex"}, Where: "age=1..2", Rules: []string{"x"}},
		},
		Arms: []Arm{
			{Name: "one", Solver: "z3", Notion: "decision-strict", Partition: "study", Soft: Duration(time.Minute), At: "dir/mine.yaml:17:5"},
			{Name: "two", Solver: "highs", Epsilon: "1/20", Gap: 1e-4, Goal: GoalMaximise, At: "dir/mine.yaml:23:6"},
			{Name: "three solver=highs set.cuts=a", Solver: "highs", Set: map[string]string{"presolve": "on", "cuts": "a"}, Point: gridfile.Point{{Key: "solver", Text: "highs"}, {Key: "set.cuts", Text: "a"}}, At: "dir/mine.yaml:24:5"},
			{Name: "three solver=highs set.cuts=b", Solver: "highs", Set: map[string]string{"presolve": "on", "cuts": "b"}, Point: gridfile.Point{{Key: "solver", Text: "highs"}, {Key: "set.cuts", Text: "b"}}, At: "dir/mine.yaml:24:5"},
			{Name: "three solver=lpsolve set.cuts=a", Solver: "lpsolve", Set: map[string]string{"presolve": "on", "cuts": "a"}, Point: gridfile.Point{{Key: "solver", Text: "lpsolve"}, {Key: "set.cuts", Text: "a"}}, At: "dir/mine.yaml:24:5"},
			{Name: "three solver=lpsolve set.cuts=b", Solver: "lpsolve", Set: map[string]string{"presolve": "on", "cuts": "b"}, Point: gridfile.Point{{Key: "solver", Text: "lpsolve"}, {Key: "set.cuts", Text: "b"}}, At: "dir/mine.yaml:24:5"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Mistakes name file, line and column.
func TestFileFaults(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"unknown key":     {"soft: 1m", "sofft: 1m", "mine.yaml:22:5: "},
		"unknown top key": {"runs: 3", "rums: 3", "mine.yaml:9:1: "},
		"notion":          {"decision-strict", "fair", "mine.yaml:20:13: arms[0].notion: unknown notion"},
		"gap":             {"1e-4", "2", "mine.yaml:23:52: arms[1].gap: "},
		"budget":          {"90s", "soon", "mine.yaml:8:9: budget: "},
		"runs":            {"runs: 3", "runs: 0", "mine.yaml:9:7: runs: "},
		"no solver":       {"solver: z3", "about2: z3", "mine.yaml:19:5: "},
		"the host's name": {"name: two", "name: hyfair", "\"hyfair\" is reserved"},
		"same names":      {"name: two", "name: one", "two arms are called"},
		"no study":        {"study: a.yaml", "study: ''", "studies[0]: needs the key study"},
		"pattern":         {"AC-*", "'AC-['", "mine.yaml:5:13: studies[0].models"},
		"syntax":          {"runs: 3", "runs: [3", "mine.yaml:"},
		"shape":           {"threads: 2", "threads: {a: 2}", "mine.yaml:"},
		"deep":            {"threads: 2", "threads: " + strings.Repeat("[", 1000), "nested more than 32 deep"},
		"in a grid":       {"[highs, lpsolve]", "[highs, '']", "arms[2].grid.solver: names no solver"},
		"key of a grid":   {"set.cuts", "cuts", "mine.yaml:28:13: arms[2].grid.cuts: unknown key"},
		"fixed":           {"set.cuts", "set.presolve", "is also set to on outside the grid"},
		"twice":           {"runs: 3", "runs: 3\nruns: 4", "mine.yaml:"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(whole1, c.from) {
				t.Fatal("the case changes nothing")
			}
			_, err := parseFile([]byte(strings.Replace(whole1, c.from, c.to, 1)), "mine.yaml")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
	several := strings.NewReplacer("decision-strict", "fair", "soft: 1m", "soft: -1m\n    grid: {goal: [win], gap: []}", "set.cuts", "cuts").Replace(whole1)
	_, err := parseFile([]byte(several), "mine.yaml")
	for _, want := range []string{"arms[0].notion: ", "arms[0].soft: ", "arms[0].grid.goal: ", "arms[0].grid.gap: lists no value", "arms[2].grid.cuts: unknown key"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
	if _, err := parseFile(nil, "mine.yaml"); err == nil || !strings.Contains(err.Error(), "mine.yaml:1:1: the file is empty") {
		t.Error(err)
	}
}

// The shipped comparison is one, and the studies are not.
func TestShippedFiles(t *testing.T) {
	const studies = "../../../../studies/"
	f, err := ReadFile(studies + "rq1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Studies {
		if _, err := os.Stat(s.Path); err != nil {
			t.Error(err)
		}
	}
	if len(f.Arms) < 5 || f.Runs != 3 || f.Budget != "10s" {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"ablation", "ablation-sex", "ablation-trees"} {
		if f, err := ReadFile(studies + name + ".yaml"); err != nil || f.Name != name || len(f.Arms) < 10 || f.Arms[0].Set["off"] != "" || f.Arms[1].Set["off"] == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !IsFile(studies + "rq1.yaml") {
		t.Error("rq1.yaml is not taken for a comparison file")
	}
	for _, path := range []string{"adult.yaml", "loan/study.yaml", "loan", "absent.yaml"} {
		if IsFile(studies + path) {
			t.Errorf("%s is taken for a comparison file", path)
		}
	}
}

func TestFileTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(path, []byte("arms:\n"+strings.Repeat("# words\n", 1<<18)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "1024 KiB") {
		t.Error(err)
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add(whole1)
	f.Add("arms: [{name: a, solver: b}]\nstudies: [{study: c}]\n")
	f.Add("arms: &a [*a]\n")
	f.Add("? [a]\n: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseFile([]byte(text), "fuzz.yaml")
		if (got == nil) == (err == nil) {
			t.Errorf("%v, %v", got, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "fuzz.yaml:") {
			t.Errorf("no place in %v", err)
		}
		if got != nil && checkArms(got.Arms) != nil {
			t.Errorf("arms %+v", got.Arms)
		}
	})
}
