package ablate

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question"
)

const whole = `name: mine
summary: about
studies:
  - study: a.yaml
    models: AC-*
  - study: /b.yaml
solver: highs
strategies:
  - name: rw
  - name: tuned
    about: words
    strategy: sa
    mode: fast
    chains: 8
    solver: none
    set: {p: 0.8, schedule: slow}
  - strategy: sa
    solver_set: {presolve: on}
    grid:
      solver: [highs, z3]
      p: [0.5, 1e-3]
budget: 90s
runs: 3
seed: 7
threads: 2
jobs: 4
epsilon: 0.1
protected: [sex]
where: age=1..2
rules: [x]
bound: 10s
`

func TestParseFile(t *testing.T) {
	got, err := parseFile([]byte(whole), "dir/mine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	on := map[string]string{"presolve": "on"}
	want := &File{
		Name: "mine", Bound: 10 * time.Second,
		Studies: []gridfile.Study{{Path: "dir/a.yaml", Models: "AC-*", At: "dir/mine.yaml:4:12"}, {Path: "/b.yaml", At: "dir/mine.yaml:6:12"}},
		Terms: experiment.Terms{
			Budget: "90s", Runs: 3, Seed: 7, Threads: 2, Jobs: 4,
			Scope: question.Scope{Epsilon: "0.1", Protected: []string{"sex"}, Where: "age=1..2", Rules: []string{"x"}},
		},
		Arms: []Arm{
			{Name: "rw", Strategy: "rw", Mode: ModePaper, Solver: "highs", At: "dir/mine.yaml:9:5"},
			{Name: "tuned", Strategy: "sa", Mode: ModeFast, Chains: 8, Solver: NoSolver, Set: map[string]string{"p": "0.8", "schedule": "slow"}, At: "dir/mine.yaml:10:5"},
			{Name: "sa solver=highs p=0.5", Strategy: "sa", Mode: ModePaper, Solver: "highs", Set: map[string]string{"p": "0.5"}, SolverSet: on, Point: gridfile.Point{{Key: "solver", Text: "highs"}, {Key: "p", Text: "0.5"}}, At: "dir/mine.yaml:17:5"},
			{Name: "sa solver=highs p=1e-3", Strategy: "sa", Mode: ModePaper, Solver: "highs", Set: map[string]string{"p": "1e-3"}, SolverSet: on, Point: gridfile.Point{{Key: "solver", Text: "highs"}, {Key: "p", Text: "1e-3"}}, At: "dir/mine.yaml:17:5"},
			{Name: "sa solver=z3 p=0.5", Strategy: "sa", Mode: ModePaper, Solver: "z3", Set: map[string]string{"p": "0.5"}, SolverSet: on, Point: gridfile.Point{{Key: "solver", Text: "z3"}, {Key: "p", Text: "0.5"}}, At: "dir/mine.yaml:17:5"},
			{Name: "sa solver=z3 p=1e-3", Strategy: "sa", Mode: ModePaper, Solver: "z3", Set: map[string]string{"p": "1e-3"}, SolverSet: on, Point: gridfile.Point{{Key: "solver", Text: "z3"}, {Key: "p", Text: "1e-3"}}, At: "dir/mine.yaml:17:5"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Options that are called like keys of an arm, and those of a solver, can be
// varied too.
func TestGridKeys(t *testing.T) {
	f, err := parseFile([]byte("studies: [{study: a}]\nsolver: z3\nstrategies: [{name: n, grid: {strategy: [rw, sa], mode: [fast], set.mode: [x], solver_set.t: [1, 2]}}]\n"), "g.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range f.Arms {
		names = append(names, a.Name)
		if a.Mode != ModeFast || a.Set["mode"] != "x" || a.SolverSet["t"] == "" {
			t.Errorf("%+v", a)
		}
	}
	if d := cmp.Diff([]string{
		"n strategy=rw mode=fast set.mode=x solver_set.t=1", "n strategy=rw mode=fast set.mode=x solver_set.t=2",
		"n strategy=sa mode=fast set.mode=x solver_set.t=1", "n strategy=sa mode=fast set.mode=x solver_set.t=2",
	}, names); d != "" {
		t.Error(d)
	}
}

// Mistakes name file, line and column.
func TestFileFaults(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"unknown key":       {"about: words", "abuot: words", "mine.yaml:11:5: "},
		"unknown top key":   {"runs: 3", "rums: 3", "mine.yaml:23:1: "},
		"mode":              {"mode: fast", "mode: swift", "mine.yaml:13:11: strategies[1].mode: got \"swift\", want paper or fast"},
		"chains":            {"chains: 8", "chains: many", "mine.yaml:14:13: strategies[1].chains: "},
		"chains of paper":   {"mode: fast", "mode: paper", "mine.yaml:10:5: strategies[1]: sets chains in paper mode, which has one"},
		"mode in grid":      {"p: [0.5, 1e-3]", "mode: [fast, slow]", "mine.yaml:21:13: strategies[2].grid.mode: got \"slow\""},
		"empty axis":        {"p: [0.5, 1e-3]", "p: []", "mine.yaml:21:10: strategies[2].grid.p: lists no value"},
		"value twice":       {"p: [0.5, 1e-3]", "p: [0.5, 0.5]", "mine.yaml:21:16: strategies[2].grid.p[1]: 0.5 is listed twice: 0.5 at mine.yaml:21:11 is the same"},
		"number twice":      {"p: [0.5, 1e-3]", "p: [0.1, 0.10]", "mine.yaml:21:16: strategies[2].grid.p[1]: 0.10 is listed twice: 0.1 at mine.yaml:21:11 is the same"},
		"option twice":      {"p: [0.5, 1e-3]", "p: [0.5]\n      set.p: [1]", "mine.yaml:22:7: strategies[2].grid: set.p is the same option as p at mine.yaml:21:7: give it in one place"},
		"arm twice":         {"- strategy: sa\n", "- {name: a, strategy: x, set: {p: 1}}\n  - {name: b, strategy: x, set: {p: 1.0}}\n  - strategy: sa\n", `arms "a" (mine.yaml:17:6) and "b" (mine.yaml:18:6) are the same search`},
		"solver's, both":    {"p: [0.5, 1e-3]", "solver_set.presolve: [off, on]", "solver_set.presolve: is also set to on"},
		"clock":             {"budget: 90s\n", "budget: 90s\nclock: sun\n", `clock: unknown clock "sun": want wall or cpu`},
		"fixed and varied":  {"- strategy: sa\n", "- strategy: sa\n    set: {p: 1}\n", "mine.yaml:22:10: strategies[2].grid.p: is also set to 1"},
		"solver and varied": {"- strategy: sa\n", "- strategy: sa\n    solver: z3\n", "strategies[2].grid.solver: is also set to z3"},
		"budget":            {"90s", "soon", "mine.yaml:22:9: budget: "},
		"runs":              {"runs: 3", "runs: 0", "mine.yaml:23:7: runs: "},
		"bound":             {"bound: 10s", "bound: soon", "mine.yaml:31:8: bound: got \"soon\", want a time"},
		"negative bound":    {"bound: 10s", "bound: -2s", "mine.yaml:31:8: bound: "},
		"jobs":              {"jobs: 4", "jobs: -1", "mine.yaml:26:7: jobs: "},
		"no solver":         {"solver: highs\nstr", "str", "mine.yaml:8:5: strategies[0]: names no solver"},
		"options of none":   {"solver: none\n", "solver: none\n    solver_set: {a: 1}\n", "mine.yaml:10:5: strategies[1]: sets options of a solver"},
		"no strategy":       {"- name: rw\n", "- about: nothing\n", "mine.yaml:9:5: strategies[0]: names no strategy"},
		"same names":        {"name: tuned", "name: rw", "strategies: two arms are called \"rw\""},
		"odd name":          {"name: tuned", "name: 'a|b'", "mine.yaml:10:5: strategies[1]: "},
		"no study":          {"study: a.yaml", "study: ''", "studies[0]: needs the key study"},
		"pattern":           {"AC-*", "'AC-['", "mine.yaml:5:13: studies[0].models"},
		"top mode":          {"summary: about", "mode: slow", "mine.yaml:2:7: mode: "},
		"syntax":            {"runs: 3", "runs: [3", "mine.yaml:"},
		"shape":             {"threads: 2", "threads: {a: 2}", "mine.yaml:"},
		"deep":              {"threads: 2", "threads: " + strings.Repeat("[", 1000), "nested more than 32 deep"},
		"key twice":         {"runs: 3", "runs: 3\nruns: 4", "mine.yaml:"},
		"tag":               {"rules: [x]", "rules: !!str x", "mine.yaml:30:8: a grid file has no use for a tag"},
		"alias of nothing":  {"rules: [x]", "rules: *r", "mine.yaml:30:8: no anchor &r before this"},
		"explosion":         {"p: [0.5, 1e-3]", explosion(), "more than 1000 arms"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(whole, c.from) {
				t.Fatal("the case changes nothing")
			}
			_, err := parseFile([]byte(strings.Replace(whole, c.from, c.to, 1)), "mine.yaml")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
	// One error lists several mistakes of one arm, and those of others.
	several := strings.NewReplacer("mode: fast", "mode: swift", "chains: 8", "chains: many\n    grid: {p: [], q: [1, 1]}", "p: [0.5, 1e-3]", "p: [0.5]\n      set.p: [1, 1.0]").Replace(whole)
	_, err := parseFile([]byte(several), "mine.yaml")
	for _, want := range []string{
		"strategies[1].mode: got", "strategies[1].chains: ", "strategies[1].grid.p: lists no value", "strategies[1].grid.q[1]: 1 is listed twice",
		"strategies[2].grid: set.p is the same option as p at", "strategies[2].grid.set.p[1]: 1.0 is listed twice",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
	if n := strings.Count(fmt.Sprint(err), "mine.yaml:"); n != 9 { // three of them name a second place
		t.Errorf("%d places in\n%v", n, err)
	}
	for text, want := range map[string]string{"": "the file is empty", "name: x\n": "lists no study", "studies: [{study: a}]\n": "lists no strategy"} {
		if _, err := parseFile([]byte(text), "mine.yaml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// explosion is a grid of 10¹² arms in a few lines.
func explosion() string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "o%d: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n      ", i)
	}
	return strings.TrimSpace(b.String())
}

// The shipped grid is one, for all networks of its studies.
func TestShippedGrid(t *testing.T) {
	f, err := ReadFile("../../../../studies/rq2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Studies {
		if _, err := os.Stat(s.Path); err != nil || s.Models == "" {
			t.Error(s, err)
		}
	}
	var names []string
	for _, a := range f.Arms {
		names = append(names, a.Name)
		if a.Mode != ModePaper || a.Solver != "bnb" {
			t.Errorf("%+v", a)
		}
	}
	if d := cmp.Diff([]string{"rw", "sa", "sa+knn"}, names); d != "" || f.Runs != 5 || f.Budget != "2000it" {
		t.Errorf("%s, %+v", d, f)
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add(whole)
	f.Add("studies: [{study: c}]\nsolver: none\nstrategies: [{name: a, grid: {p: [1, 2], q: [x]}}]\n")
	f.Add("strategies: &a [*a]\n")
	f.Add("? [a]\n: b\n")
	f.Add("studies: [{study: c}]\nstrategies: [{grid: {'a.b': [1], \"[\": [2]}}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseFile([]byte(text), "fuzz.yaml")
		if (got == nil) == (err == nil) {
			t.Errorf("%v, %v", got, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "fuzz.yaml:") {
			t.Errorf("no place in %v", err)
		}
		if got == nil {
			return
		}
		for i := range got.Arms {
			if err := got.Arms[i].check(); err != nil || len(got.Arms) > gridfile.MostArms {
				t.Errorf("%+v: %v", got.Arms[i], err)
			}
		}
	})
}
