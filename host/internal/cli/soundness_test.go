package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	bench "github.com/hyfair/hyfair/host/internal/answer/soundness"
	"github.com/hyfair/hyfair/host/internal/experiment/soundness"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// smallBench is a bench of some instances of the first rung.
func smallBench(t *testing.T, binary string, kinds ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bench")
	code, stdout, stderr := startWith(t, binary, t.TempDir(), "", "soundness", "new", dir, "--rungs", "1", "--json").wait(t)
	var made bench.Result
	if err := json.Unmarshal([]byte(stdout), &made); code != ExitDone || err != nil || len(made.Instances) != 9 {
		t.Fatalf("exit code %d, %v, %s", code, err, stderr)
	}
	for _, i := range made.Instances {
		if _, kind, _ := strings.Cut(i.Name, "-"); !slices.Contains(kinds, kind) {
			if err := os.RemoveAll(filepath.Join(dir, i.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// judged reads the one object of soundness run --json.
func judged(t *testing.T, stdout string) (r soundness.Report) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	return r
}

// A solver that calls everything infeasible is disqualified, with the file that shows it,
// and one beside it that tells the truth is not. A finished run is shown, not repeated.
func TestALiarIsDisqualified(t *testing.T) {
	tier.NeedUsual(t)
	binary := program(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-rogue": "host/internal/answer/certify/engine/testdata/rogue", "hyfair-solver-bnb": "plugins/solver-bnb"})
	dir, path := smallBench(t, binary, "person", "below"), filepath.Join(t.TempDir(), "journal.db")
	args := []string{"soundness", "run", dir, "--solver", "rogue,bnb", "--set", "rogue.mode=infeasible", "--goals", "witness,max-k", "--timeout", "60s"}
	code, stdout, stderr := startWith(t, binary, plugins, path, append(args, "--json")...).wait(t)
	r := judged(t, stdout)
	if code != ExitContradiction || !strings.Contains(stderr, "wrong: the solvers that gave them are disqualified") || r.Done != 16 || r.Tasks != 16 {
		t.Fatalf("exit code %d, %s\n%+v", code, stderr, r)
	}
	liar, honest := r.Solvers[0], r.Solvers[1]
	if !liar.Disqualified || liar.Wrong == 0 || liar.Found > 0 || honest.Disqualified || honest.Wrong > 0 || honest.Found == 0 || honest.Found+honest.Proved != 8 {
		t.Errorf("%+v\n%+v", liar, honest)
	}
	for _, a := range r.Answers {
		if wrong := a.Outcome == bench.Wrong; wrong != (a.File == "01-person/network.json") && a.Instance == "01-person" || wrong && a.Solver != "rogue" {
			t.Errorf("%+v", a)
		}
	}
	for format, want := range map[string]string{"table": "DISQUALIFIED rogue: 01-person/network.json, witness (score): it proved", "csv": "bnb", "json": `"disqualified": true`} {
		code, stdout, _ := startWith(t, binary, plugins, path, "soundness", "run", "--from", r.Run, "--format", format).wait(t)
		if code != ExitContradiction || !strings.Contains(stdout, want) {
			t.Errorf("--format %s: exit code %d\n%s", format, code, stdout)
		}
	}
	tidy := filepath.Join(t.TempDir(), "answers.csv")
	code, stdout, stderr = startWith(t, binary, plugins, path, append(args, "--tidy", tidy, "--json")...).wait(t)
	text, err := os.ReadFile(tidy)
	again := judged(t, stdout)
	if code != ExitContradiction || err != nil || strings.Count(string(text), "\n") != 17 || len(again.Taken) != 1 || again.Taken[0].Tasks != 16 || !reflect.DeepEqual(again.Solvers[0], liar) {
		t.Errorf("exit code %d, %v, %s\n%s", code, err, stderr, text)
	}
}

// A failing solver and an unresponsive one make no false claims.
func TestFailuresAreNoLies(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins := program(t), rogueFolder(t, "rogue", "acme")
	dir := smallBench(t, binary, "person")
	code, stdout, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "journal.db"),
		"soundness", "run", dir, "--set", "rogue.mode=exit", "--set", "acme.mode=patient", "--goals", "gap,share", "--timeout", "1s", "--json").wait(t)
	r := judged(t, stdout)
	if code != ExitDone || len(r.Solvers) != 2 {
		t.Fatalf("exit code %d, %s\n%+v", code, stderr, r)
	}
	for _, s := range r.Solvers {
		if s.Wrong > 0 || s.Asked != 2 || s.Failed != map[string]int{"rogue": 2}[s.Solver] || s.Undecided != 2-s.Failed {
			t.Errorf("%+v", s)
		}
	}
}

// What cannot be meant is one clear error, with its place.
func TestMistakesOfABench(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins := program(t), rogueFolder(t, "acme")
	dir, empty := smallBench(t, binary, "person"), t.TempDir()
	path := filepath.Join(dir, "01-person", bench.TruthFile)
	right, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, replace, by, want string }{
		{"new " + dir, "", "", "is not empty"},
		{"new " + empty + " --rungs 11", "", "", "--rungs 11: want 1 to 10"},
		{"run", "", "", "run wants one FOLDER"},
		{"run " + empty, "", "", "no folder in it has a truth.json"},
		{"run " + dir + " --goals kindness", "", "", "--goals kindness: want some of witness, gap, max-k, share"},
		{"run " + dir + " --goals=", "", "", "--goals: want some of witness, gap, max-k, share"},
		{"run " + dir + " --solver acme,acme", "", "", "want names of solvers, each once"},
		{"run " + dir + " --solver nobody", "", "", "nobody"},
		{"run " + dir + " --timeout 0s", "", "", "--timeout 0s: want a time above 0"},
		{"run " + dir, `"version": 1`, `"version": 2`, "version 2; want"},
		{"run " + dir, `"people": "1000"`, `"people": "-7"`, `people "-7": want a whole number above 0`},
		{"run " + dir, `"goal": "gap"`, `"goal": "gape"`, `truth.json: question 4 (gape): goal "gape"`},
		{"run " + dir, `"goal": "max-k"`, `"goal": "gap"`, "question 5 (gap) is repeated"},
		{"run " + dir, `"study": "study.yaml"`, `"study": "../study.yaml"`, "not the name of a file in its folder"},
		{"run " + dir, `"notion": "decision"`, `"notion": "decision", "epsilon": "much"`, `epsilon "much": the notion decision does not use ε`},
		{"run " + dir, "\n}\n", "\n}\n{}", "want one object"},
		{"run " + dir, `"kind"`, `"sort"`, `unknown field "sort"`},
	} {
		text := strings.Replace(string(right), c.replace, c.by, 1)
		if c.replace != "" && text == string(right) {
			t.Fatalf("the truth has no %s", c.replace)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "journal.db"), append([]string{"soundness"}, strings.Fields(c.args)...)...).wait(t)
		if code != ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("hyfair soundness %s with %s: exit code %d, %s", c.args, c.by, code, stderr)
		}
	}
}
