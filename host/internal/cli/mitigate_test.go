package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// annealing is a folder with the plugin of simulated annealing.
func annealing(t *testing.T) string {
	t.Helper()
	return plugintest.Folder(t, map[string]string{"hyfair-search-sa": "plugins/search-sa"})
}

// mitigated runs hyfair mitigate with searches that are limited in evaluations,
// so that nothing depends on the machine.
func mitigated(t *testing.T, plugins string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("HYFAIR_DATA", "")
	args = append([]string{
		"mitigate", "--plugin-dir", plugins, "--journal", filepath.Join(t.TempDir(), "journal.db"),
		"--solver", "none", "--mode", "fast", "--budget", "30000ev", "--epochs", "2",
	}, args...)
	code, stdout, stderr = hyfair(args...)
	validJSON(t, args, stdout)
	return code, stdout, stderr
}

func mitigatedJSON[T any](t *testing.T, plugins string, args ...string) (out T) {
	t.Helper()
	code, stdout, stderr := mitigated(t, plugins, append(args, "--json")...)
	if code != ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil || decoder.More() {
		t.Fatalf("not one JSON object: %v", err)
	}
	return out
}

func armNamed(t *testing.T, r *mitigate.Result, name string) *mitigate.ArmResult {
	t.Helper()
	i := slices.IndexFunc(r.Arms, func(a mitigate.ArmResult) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("no arm %s", name)
	}
	return &r.Arms[i]
}

// TestMitigateLoan goes all the way: rules by hand that name the planted cluster
// take Max.K from 20 to what is documented of the rest; new networks are written,
// load back to the same scores, and are those that were judged.
func TestMitigateLoan(t *testing.T) {
	tier.NeedUsual(t)
	plugins, out := annealing(t), filepath.Join(t.TempDir(), "new", "networks")
	rules := textFile(t, "rules.json", plantedRules)
	args := []string{"../../../studies/loan", "--guardrails", rules, "--arms", "original,original+guards,retrained,retrained+guards,blind", "--runs", "2"}
	r := mitigatedJSON[mitigate.Result](t, plugins, append(args, "--out", out)...)
	if r.Study != "loan" || r.Model != "network.json" || r.Epsilon != "0.05" || r.Searches != 2 || r.Mode != "fast" || r.Label != "majority" || len(r.Arms) != 5 || r.Journal == "" {
		t.Errorf("%+v", r)
	}
	before, after := armNamed(t, &r, "original"), armNamed(t, &r, "original+guards")
	if *before.MaxK != 20 {
		t.Errorf("the original network has Max.K %v", *before.MaxK)
	}
	if after.MaxK == nil || *after.MaxK > 11 || *after.MaxK < 3 || after.SearchRefused == 0 || after.Evaluations == 0 { // docs/user/loan.md: never above 11
		t.Errorf("guarded: Max.K %v, %d moves refused", after.MaxK, after.SearchRefused)
	}
	if d := cmp.Diff([]string{"credit_rating <= 4 and loan_amount >= 12"}, after.Guardrails); d != "" {
		t.Error(d)
	}
	if !slices.ContainsFunc(r.Remarks, func(s string) bool {
		return strings.HasPrefix(s, "original+guards: the guardrails refuse 55.87 %") && strings.Contains(s, "no success")
	}) {
		t.Errorf("more than half are refused, and the remarks are %q", r.Remarks)
	}
	if len(before.Runs) != 2 || before.SD == nil || *before.Iter < 1000 {
		t.Errorf("%d runs, %+v", len(before.Runs), before.SD)
	}
	blind := armNamed(t, &r, "blind")
	if blind.MaxK != nil || *blind.ID != 0 || blind.Training == nil || blind.Training.Epochs != 2 || blind.Training.HeldRows == 0 {
		t.Errorf("blind: %+v", blind)
	}

	st, err := study.Load("../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"retrained", "blind"} {
		files := []string{filepath.Join(out, way+".json"), filepath.Join(out, way+".onnx")}
		if d := cmp.Diff(files, armNamed(t, &r, way).Files); d != "" {
			t.Error(d)
		}
		var networks []*relu.Network
		for _, file := range files {
			n, _, err := modelfile.Read(file, modelfile.Choice{})
			if err != nil {
				t.Fatal(err)
			}
			networks = append(networks, n.(*relu.Network))
		}
		right := 0
		for _, i := range data.Test {
			inputs := st.Space.NetworkInputs(nil, data.Points[i])
			a, b := networks[0].Logit(inputs), networks[1].Logit(inputs)
			if math.Abs(fairness.Sigmoid(a)-fairness.Sigmoid(b)) > 1e-6 {
				t.Fatalf("%s: logits %v from .json, %v from .onnx", way, a, b)
			}
			if (a > 0) == (data.Labels[i] == 1) {
				right++
			}
		}
		if share := float64(right) / float64(len(data.Test)); share != *armNamed(t, &r, way).Quality.Accuracy {
			t.Errorf("%s: the file's accuracy is %v, reported %v", way, share, *armNamed(t, &r, way).Quality.Accuracy)
		}
	}
	written, err := guard.Read(filepath.Join(out, "retrained+guards.json"), st.Space)
	if err != nil || len(written.Rules) != 1 {
		t.Errorf("guardrails written: %+v, %v", written, err)
	}
	text, err := os.ReadFile(filepath.Join(out, "table.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll(); err != nil || len(lines) != 6 || lines[2][0] != "original+guards" || lines[2][3] != "55.87 !" {
		t.Errorf("%v, %v", lines, err)
	}
	if text, err = os.ReadFile(filepath.Join(out, "table.md")); err != nil || !strings.Contains(string(text), "| original+guards |") {
		t.Errorf("%v\n%s", err, text)
	}

	// The same seed gives the same comparison.
	again := mitigatedJSON[mitigate.Result](t, plugins, args...)
	for i := range again.Arms {
		a, b := &r.Arms[i], &again.Arms[i]
		a.T1st, a.TMaxK, b.T1st, b.TMaxK, a.SD, b.SD, a.Runs, b.Runs, a.Files, b.Files = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%s: %s", a.Name, d)
		}
	}
}

// TestMitigateExplains: without a rules file guardrails come from explaining what
// the search found, and on loan they name the planted features.
func TestMitigateExplains(t *testing.T) {
	tier.NeedUsual(t)
	code, stdout, stderr := mitigated(t, annealing(t), "../../../studies/loan", "--arms", "original+guards")
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	_, rule, ok := strings.Cut(stdout, "original+guards refuses where\n  ")
	if !ok || !strings.Contains(rule, "credit_rating <= ") || !strings.Contains(rule, "loan_amount >= ") {
		t.Errorf("%s", stdout)
	}
}

func TestMitigateGrid(t *testing.T) {
	tier.NeedLong(t)
	dir := t.TempDir()
	loan, err := filepath.Abs("../../../studies/loan")
	if err != nil {
		t.Fatal(err)
	}
	grid := filepath.Join(dir, "grid.yaml")
	text := "name: two\nstudies:\n  - study: " + loan + "\n  - study: " + loan + "\narms: [original, blind]\nbudget: 20000ev\nruns: 1\n"
	if err := os.WriteFile(grid, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	plugins := annealing(t)
	r := mitigatedJSON[series.Mitigations](t, plugins, grid, "--out", out)
	if r.Name != "two" || len(r.Networks) != 2 || len(r.Networks[1].Arms) != 2 || r.Networks[0].Budget != "30000ev" { // the flag wins
		t.Errorf("%+v", r)
	}
	// Each network has its own gate; so has a run of the journal.
	gates := filepath.Join(dir, "gates.xml")
	kept := filepath.Join(dir, "kept.db")
	for _, args := range [][]string{{grid, "--solver", "none", "--mode", "fast", "--epochs", "2"}, {"--from", ""}} {
		if args[0] == "--from" {
			j, err := journal.OpenExisting(kept)
			if err != nil {
				t.Fatal(err)
			}
			infos, err := j.Runs()
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(infos, func(i journal.Info) bool { return i.Started.Task.Command == "mitigate" })
			args[1] = infos[i].Name
			j.Close()
		}
		code, stdout, stderr := hyfair(append([]string{"mitigate", "--plugin-dir", plugins, "--journal", kept, "--max-cost", "0.01%", "--junit", gates}, args...)...)
		n, failures, errors := junit(t, gates)
		if code != ExitCheck || n != 2 || failures != 2 || errors != 0 || !strings.Contains(stderr, "--max-cost 0.01% (loan-2, blind)") {
			t.Errorf("%v: exit code %d, %d test cases, %d failures, %d errors: %s%s", args, code, n, failures, errors, stdout, stderr)
		}
	}
	table, err := os.ReadFile(filepath.Join(out, "table.csv"))
	if err != nil || !strings.Contains(string(table), "\nloan,blind,") || !strings.Contains(string(table), "\nloan-2,blind,") || !strings.Contains(string(table), "budget 30000ev a search (fast)") {
		t.Errorf("%v\n%s", err, table)
	}
}

// TestMitigateUsage: impossible requests are refused before anything runs.
func TestMitigateUsage(t *testing.T) {
	oneClass := t.TempDir()
	if err := os.CopyFS(oneClass, os.DirFS("../../../studies/loan")); err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(oneClass, "applicants.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(rows), "\n")
	at := slices.Index(strings.Split(strings.TrimSpace(lines[0]), ","), "approved")
	kept := []string{lines[0]}
	for _, line := range lines[1:] {
		if cells := strings.Split(strings.TrimSpace(line), ","); len(cells) > at && cells[at] == "1" {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(filepath.Join(oneClass, "applicants.csv"), []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	badGrid := textFile(t, "grid.yaml", "studies: [{study: "+loan+"}]\nruns: -1\n")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an unknown arm":         {[]string{"../../../studies/loan", "--arms", "originel"}, `no arm "originel"`},
		"an unknown label":       {[]string{"../../../studies/loan", "--label", "best"}, "the policies are majority and mean"},
		"no epochs":              {[]string{"../../../studies/loan", "--epochs", "0"}, "0 epochs"},
		"no weight":              {[]string{"../../../studies/loan", "--weight", "0"}, "weight 0"},
		"refusing nobody":        {[]string{"../../../studies/loan", "--refuse-at-most", "0"}, "--refuse-at-most 0"},
		"a budget":               {[]string{"../../../studies/loan", "--budget", "soon"}, "--budget"},
		"rules that do not fit":  {[]string{"../../../studies/loan", "--guardrails", "nowhere.json"}, "nowhere.json"},
		"one class":              {[]string{oneClass}, "none of the"},
		"models of one study":    {[]string{"../../../studies/loan", "--models", "x"}, "--models is for a file of several studies"},
		"a grid with mistakes":   {[]string{badGrid}, "--runs -1: want at least 1"},
		"rules for many studies": {[]string{badGrid, "--guardrails", "rules.json"}, "--guardrails is for a single study"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := mitigated(t, t.TempDir(), c.args...)
			if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, %q on standard output: %s", code, stdout, stderr)
			}
		})
	}
}

// TestMitigateDiverges: a training whose loss is no number is an error that says
// so; the arms before it are shown.
func TestMitigateDiverges(t *testing.T) {
	code, stdout, stderr := mitigated(t, annealing(t), "../../../studies/loan", "--arms", "original,consistent", "--rate", "1e200", "--budget", "2000ev")
	if code != ExitFailed || !strings.Contains(stdout, "\noriginal ") || strings.Contains(stdout, "\nconsistent ") || !strings.Contains(stderr, "training diverged") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
}
