package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// tenureStudy writes the tenure study as files and returns the study's path.
func tenureStudy(t *testing.T) string {
	t.Helper()
	_, n := reference.Tenure()
	return tenureStudyOf(t, n)
}

// tenureStudyOf is that study with another network.
func tenureStudyOf(t *testing.T, n *relu.Network) string {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := modelfile.WriteJSON(file, n); err != nil {
		t.Fatal(err)
	}
	text := `name: tenure
model: model.json
features:
  years: {integer: 0..9}
  group: {categories: [a, b]}
  job: {categories: [baker, "clerk, junior", cook]}
protected:
  group: all
`
	path := filepath.Join(dir, "study.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// command runs hyfair with the shipped strategies, without a journal in the
// user's folder.
func command(t *testing.T, plugins string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("HYFAIR_RUNS_DIR", t.TempDir())
	t.Setenv("HYFAIR_PLUGIN_DIR", "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	var out, err bytes.Buffer
	code = Main(append([]string{"--plugin-dir", plugins}, args...), strings.NewReader(""), &out, &err)
	validJSON(t, args, out.String())
	return code, out.String(), err.String()
}

func TestSearchCommand(t *testing.T) {
	plugins, study := shippedStrategies(t, "rw", "sa", "climb", "ga", "grad"), tenureStudy(t)
	code, stdout, stderr := command(t, plugins, "search", study, "--budget", "200it", "--seed", "3", "--json")
	if code != ExitDone {
		t.Fatalf("exit code %d, standard error %s", code, stderr)
	}
	if !strings.Contains(stderr, "without a solver in the loop") {
		t.Errorf("standard error does not say that there is no solver: %s", stderr)
	}
	var report struct {
		Iter                           float64
		ID                             float64 `json:"#ID"`
		Strategy, Solver, Study, Model string
		Best                           struct {
			X      map[string]float64
			Scores []struct{ Score float64 }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if report.Iter != 200 || report.ID != 24 || report.Strategy != "sa" || report.Solver != "none" ||
		report.Study != "tenure" || report.Model != "model.json" || report.Best.X["years"] != 9 || len(report.Best.Scores) != 2 {
		t.Errorf("report %+v; want all 24 individuals with years ≥ 2, years = 9 as the best", report)
	}

	// A set of categories with a hole is respected too.
	code, stdout, _ = command(t, plugins, "search", study, "--solver", "none", "--budget", "300it", "--where", "job=baker|cook,years=5..6")
	if code != ExitDone || !strings.Contains(stdout, "sa on tenure (model.json), ε = 0.05") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	if fields := strings.Fields(stdout[strings.Index(stdout, "T.maxK"):]); fields[1] != "300" || fields[2] != "4" {
		t.Errorf("want 300 rounds and 4 individuals:\n%s", stdout)
	}
}

// TestSearchNearPeople: starts are drawn from a population, and only individuals near rows count, in both modes.
func TestSearchNearPeople(t *testing.T) {
	plugins, study := shippedStrategies(t, "sa"), tenureStudy(t)
	folder := filepath.Dir(study)
	text, err := os.ReadFile(study)
	for name, content := range map[string]string{
		study: string(text) + "data: {files: rows.csv}\npopulation: {network: pop.yaml}\n", filepath.Join(folder, "rows.csv"): "years,group,job\n4,a,cook\n9,b,cook\n12,a,cook\n",
		filepath.Join(folder, "pop.yaml"): "nodes: {job: {probabilities: [0, 0, 1]}, years: {cells: [2..4, 9], probabilities: {a|b: [0.5, 0.5]}, given: group}, group: {cells: [a|b], probabilities: [1]}}\n",
	} {
		if err == nil {
			err = os.WriteFile(name, []byte(content), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		found string // years of the finds
		says  string
	}{
		{nil, "2 3 4 9", "Starts are drawn from people (a tree-shaped network of 3 features, pop.yaml)."},
		{[]string{"--population", "uniform"}, "4 9", "ε = 0.05"},
		{[]string{"--near", "0.06"}, "3 4 9", "Only individuals within a Gower distance of 0.06 of one of all 2 different rows of the data count."},
		{[]string{"--near", "0.06", "--mode", "fast", "--chains", "4", "--population", "network:" + filepath.Join(folder, "pop.yaml")}, "3 4 9", "Starts are drawn from people"},
	} {
		out := filepath.Join(t.TempDir(), "found.csv")
		code, stdout, stderr := command(t, plugins, append([]string{"search", study, "--solver", "none", "--budget", "200it", "--set", "p=0", "--out", out}, c.args...)...)
		table, err := os.ReadFile(out)
		if code != ExitDone || err != nil || !strings.Contains(stdout, c.says) {
			t.Fatalf("%v: exit code %d, %v, want %q: %s%s", c.args, code, err, c.says, stdout, stderr)
		}
		lines := strings.Split(strings.TrimSpace(string(table)), "\n")
		at, years := slices.Index(strings.Split(lines[0], ","), "years"), []string(nil)
		for _, line := range lines[1:] {
			years = append(years, strings.Split(line, ",")[at])
		}
		slices.Sort(years)
		if got := strings.Join(slices.Compact(years), " "); got != c.found {
			t.Errorf("%v: found people of %s years, want %s", c.args, got, c.found)
		}
	}
}

func TestSearchMistakes(t *testing.T) {
	plugins, study := shippedStrategies(t, "rw", "sa"), tenureStudy(t)
	for _, c := range []struct {
		args string
		says string
	}{
		{"", "wants one STUDY"},
		{"STUDY --mode slow", `--mode "slow": want paper or fast`},
		{"STUDY --mode fast --chains 0", "--chains 0"},
		{"STUDY --budget 10ev1", "evaluations such as 100000ev"},
		{"STUDY --runs 0", "--runs 0"},
		{"STUDY --budget 10", "--budget"},
		{"STUDY --strategy nope", "rw, sa, sa+knn"},
		{"STUDY --solver nope", `solver "nope"`},
		{"STUDY --solver none --epsilon 2", "--epsilon"},
		{"STUDY --solver none --where years=20..30", "--where"},
		{"STUDY --solver none --protected job", "--protected"},
		{"STUDY --solver none --set speed=9", "--set speed"},
		{"STUDY --solver none --set p=9", `p = "9"`},
		{"STUDY --solver none --strategy sa+knn", "needs rows"},
		{"STUDY --solver none --memory much", "--memory"},
		{"STUDY --solver none --out no/such/folder/found.csv", "--out"},
		{"no-such-study.yaml", "no-such-study.yaml"},
	} {
		args := append([]string{"search"}, strings.Fields(strings.Replace(c.args, "STUDY", study, 1))...)
		code, stdout, stderr := command(t, plugins, args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q; want 2 and %q", c.args, code, stdout, stderr, c.says)
		}
	}
}

// A fast search of the shipped study finds the same people whatever the number
// of cores, its table can be made again from the journal, and its file holds the
// people it kept.
func TestFastSearch(t *testing.T) {
	tier.NeedLong(t)
	type answer struct {
		Iter        float64
		ID          float64 `json:"#ID"`
		MaxK        float64 `json:"Max.K"`
		AvgK        float64 `json:"Avg.K"`
		Strategy    string
		Mode        string
		Chains      int
		Run         string
		Best        struct{ X map[string]float64 }
		Runs        []struct{ Evaluations int64 }
		Interrupted bool
	}
	for _, strategy := range []string{"", "rw", "sa", "sa+knn", "climb", "grad", "ga"} {
		t.Run("strategy "+strategy, func(t *testing.T) {
			plugin, _, _ := strings.Cut(strategy, "+")
			if plugin == "" {
				plugin = "climb"
			}
			plugins := shippedStrategies(t, plugin)
			play := func(cores string) answer {
				t.Setenv("GOMAXPROCS", cores) // the plugin's
				out := filepath.Join(t.TempDir(), "found.csv")
				args := []string{"search", "../../../studies/loan", "--mode", "fast", "--solver", "none", "--chains", "33",
					"--keep", "50", "--budget", "6000ev", "--out", out, "--json"}
				if strategy != "" {
					args = append(args, "--strategy", strategy)
				}
				code, stdout, stderr := command(t, plugins, args...)
				var a answer
				if err := json.Unmarshal([]byte(stdout), &a); err != nil || code != ExitDone {
					t.Fatalf("exit code %d, %v, %s", code, err, stderr)
				}
				text, err := os.ReadFile(out)
				if kept := strings.Count(string(text), "\n") - 1; err != nil || kept < 50 && float64(kept) < a.ID || float64(kept) > a.ID {
					t.Errorf("%d people in the file of %v, error %v", kept, a.ID, err)
				}
				a.Run = ""
				return a
			}
			one := play("1")
			if one.ID == 0 || one.MaxK < 10 || one.Mode != "fast" || one.Chains != 33 || one.Runs[0].Evaluations < 6000 || one.Runs[0].Evaluations > 7500 {
				t.Errorf("%+v", one)
			}
			if strategy == "" && one.Strategy != "climb" {
				t.Errorf("the default of fast mode is %s", one.Strategy)
			}
			if d := cmp.Diff(one, play("2")); d != "" {
				t.Errorf("another number of cores finds others:\n%s", d)
			}
		})
	}
}
