package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// rogueFolder is a plugin folder with certify/testdata/rogue under the names
// given, and nothing else.
func rogueFolder(t *testing.T, names ...string) string {
	t.Helper()
	programs := map[string]string{}
	for _, name := range names {
		programs["hyfair-solver-"+name] = "host/internal/answer/certify/engine/testdata/rogue"
	}
	return plugintest.Folder(t, programs)
}

// certified is what scripts read of hyfair certify --json.
type certified struct {
	Study, Model, Verdict, Grade, Reason string
	Seed                                 *int64
	Seconds                              float64
	Tolerance, Gap, Bound                *float64
	Closed                               bool
	K                                    int
	Spurious                             *int
	Witness                              *struct {
		X1, Z1, X2, Z2                 map[string]float64
		Labels                         struct{ X1, Z1, X2, Z2 map[string]string }
		Score1, Score2, Logit1, Logit2 *float64
	}
	Solver  struct{ Name, Version, Library string }
	Faults  []string
	Journal string
	Run     string
}

// oneObject reads standard output that must hold one JSON object and no more.
func oneObject(t *testing.T, stdout string) (out certified) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if rest := strings.TrimSpace(stdout[d.InputOffset():]); rest != "" {
		t.Errorf("after the object: %q", rest)
	}
	return out
}

func TestCertifyJSON(t *testing.T) {
	plugins, study := rogueFolder(t, "rogue"), tenureStudy(t)
	ask := func(t *testing.T, want int, args ...string) (certified, string) {
		t.Helper()
		code, stdout, stderr := command(t, plugins, append([]string{"certify", study, "--solver", "rogue", "--climb=false", "--json"}, args...)...)
		if code != want {
			t.Fatalf("exit code %d, want %d: %s", code, want, stderr)
		}
		return oneObject(t, stdout), stderr
	}
	t.Run("every field", func(t *testing.T) {
		journal := filepath.Join(t.TempDir(), "journal.db")
		out, stderr := ask(t, ExitDone, "--seed", "5", "--journal", journal)
		if stderr != "" {
			t.Errorf("standard error: %s", stderr)
		}
		if out.Study != "tenure" || out.Model != "model.json" || out.Seed == nil || *out.Seed != 5 || out.Seconds <= 0 || out.Verdict != "unfair" ||
			out.Tolerance == nil || out.Bound == nil || out.K != 2 || out.Spurious == nil || *out.Spurious != 0 ||
			out.Solver.Name != "rogue" || !regexp.MustCompile(`^1\.0\.0 [0-9a-f]{12}$`).MatchString(out.Solver.Version) || out.Solver.Library != "librogue 0.1" {
			t.Errorf("%+v", out)
		}
		w := out.Witness
		years := w.X1["years"]
		if len(w.X1) != 2 || len(w.Z1) != 1 || w.X2["years"] != years || w.Z1["group"] != 0 || w.Z2["group"] != 1 ||
			w.Labels.Z1["group"] != "a" || w.Labels.Z2["group"] != "b" || w.Labels.X2["job"] == "" ||
			*w.Logit1 != 4 || *w.Logit2 != 4-years || math.Abs(*w.Score1-*w.Score2-*out.Gap) > 1e-12 || *out.Gap <= 0.05 {
			t.Errorf("witness %+v, gap %v", w, *out.Gap)
		}
		if out.Journal != journal {
			t.Errorf("journal %s, want %s", out.Journal, journal)
		}
		var kinds []string
		for _, e := range journalled(t, journal, out.Run) {
			kinds = append(kinds, string(e.Kind))
		}
		if got := strings.Join(kinds, " "); got != "started witness verdict finished" {
			t.Errorf("journal: %s", got)
		}
	})
	t.Run("fair", func(t *testing.T) {
		out, _ := ask(t, ExitDone, "--epsilon", "0.5", "--where", "years=0..4", "--check", "fair", "--unchecked")
		if out.Verdict != "fair" || out.Grade == "" || out.Witness != nil || out.Gap != nil || *out.Bound != 0.5 {
			t.Errorf("%+v", out)
		}
	})
	t.Run("maximise", func(t *testing.T) {
		out, _ := ask(t, ExitDone, "--notion", "logit", "--epsilon", "1", "--maximize", "--where", "years=..7")
		if *out.Gap != 7 || !out.Closed || *out.Bound < 7 || *out.Bound > 7.00001 || out.Witness.X1["years"] != 7 {
			t.Errorf("%+v", out)
		}
	})
	t.Run("check", func(t *testing.T) {
		out, stderr := ask(t, ExitCheck, "--check", "fair")
		if out.Verdict != "unfair" || !strings.Contains(stderr, "the verdict is unfair") {
			t.Errorf("%+v: %s", out, stderr)
		}
	})
	t.Run("time limit", func(t *testing.T) {
		out, _ := ask(t, ExitDone, "--timeout", "2s", "--set", "mode=deaf")
		if out.Verdict != "undecided" || out.Reason != "time limit" || out.Seconds > 3 {
			t.Errorf("%+v", out)
		}
		t.Logf("--timeout 1s with a deaf solver: %.2f s", out.Seconds)
	})
}

func TestCertifyInWords(t *testing.T) {
	plugins, study := rogueFolder(t, "rogue"), tenureStudy(t)
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"unfair":   {nil, []string{"UNFAIR: score gap", "tenure", "model.json", "rogue 1.0.0", "one copy", "group*"}},
		"fair":     {[]string{"--epsilon", "0.9", "--where", "years=0..4"}, []string{"FAIR, grade", "where years=0..4"}},
		"maximise": {[]string{"--notion", "logit", "--maximize"}, []string{"largest logit gap: 9, proved"}},
		"undecided": {[]string{"--timeout", "2s", "--set", "mode=patient"}, []string{
			"UNDECIDED: time limit\nlargest score gap: none is known, bound 0.975", "(not closed: time limit)\n\nTo try next:\n",
			"  hyfair quantify " + study + " --timeout 60s ", "  hyfair certify " + study + " --timeout 60s ", "  hyfair search " + study + " --mode fast --budget 60s ",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(t, plugins, append([]string{"certify", study, "--solver", "rogue", "--climb=false"}, c.args...)...)
			if code != ExitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("does not say %q:\n%s", want, stdout)
				}
			}
		})
	}
}

// A solver that crashes in the middle of a question leaves it undecided and
// costs nothing else, whatever was asked, and in whatever form.
func TestCrashCostsNoRun(t *testing.T) {
	tier.NeedUsual(t)
	plugins, study := rogueFolder(t, "rogue"), tenureStudy(t)
	text, err := os.ReadFile(study)
	if err != nil {
		t.Fatal(err)
	}
	six := filepath.Join(filepath.Dir(study), "six.yaml") // copies, and too many people to try
	wider := strings.Replace(string(text), "0..9", "0..99", 1) + "  job: all\n"
	if err := os.WriteFile(six, []byte(wider), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"network", "bigm"} {
		for _, mode := range []string{"exit", "panic", "error"} {
			for _, c := range []struct {
				name, verdict string
				args          []string
			}{
				{"decide", "undecided", []string{study}},
				{"relaxed", "undecided", []string{study, "--relax", "years=1"}},
				{"bounds", "undecided", []string{study, "--bounds", "lp"}},
				{"maximise", "unfair", []string{study, "--maximize", "--set", "from=2"}},
				{"many bins", "undecided", []string{six, "--k", "3"}},
				{"most bins", "unfair", []string{six, "--max-k", "--set", "from=2"}},
			} {
				if c.name == "bounds" && form != "bigm" || !tier.Long() && mode != "exit" && c.name != "maximise" {
					continue
				}
				t.Run(form+"/"+mode+"/"+c.name, func(t *testing.T) {
					args := append([]string{"certify", "--solver", "rogue", "--climb=false", "--encoding", form, "--set", "mode=" + mode, "--json"}, c.args...)
					code, stdout, stderr := command(t, plugins, args...)
					out := oneObject(t, stdout)
					if code != ExitDone || stderr != "" || out.Verdict != c.verdict || (out.Witness != nil) != (c.verdict == "unfair") || len(out.Faults) == 0 || out.Closed {
						t.Errorf("exit code %d, %+v: %s", code, out, stderr)
					}
					if most := c.name == "most bins"; !most && !strings.HasPrefix(out.Reason, "the solver failed: solver rogue") || strings.Contains(out.Reason, "\n") {
						t.Errorf("reason %q", out.Reason)
					}
				})
			}
		}
	}
	code, stdout, stderr := command(t, plugins, "certify", study, "--solver", "rogue", "--climb=false", "--set", "mode=exit")
	if code != ExitDone || !strings.Contains(stdout, "UNDECIDED: the solver failed: solver rogue exited while solving") || strings.Count(stderr, "last words") != 1 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, _ := command(t, plugins, "certify", study, "--solver", "rogue", "--climb=false", "--set", "mode=exit", "--check", "fair"); code != ExitCheck {
		t.Errorf("--check: exit code %d", code)
	}
	code, stdout, stderr = command(t, plugins, "quantify", study, "--solver", "rogue", "--set", "mode=exit")
	if code != ExitDone || !strings.Contains(stdout, "the solver failed: solver rogue exited while solving") || !strings.Contains(stdout, "all 30 individuals, evaluated exactly: 80.00 %") || strings.Count(stderr, "last words") != 1 {
		t.Errorf("quantify: exit code %d: %s%s", code, stdout, stderr)
	}
}

// Mistakes are one line with the remedy, with exit code 2 and an empty standard output.
func TestCertifyUsage(t *testing.T) {
	plugins, study := rogueFolder(t, "rogue"), tenureStudy(t)
	dir := filepath.Dir(study)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text, err := os.ReadFile(study)
	if err != nil {
		t.Fatal(err)
	}
	malformed := write("malformed.yaml", strings.Replace(string(text), "integer: 0..9", "integer: nine", 1))
	elsewhere := write("elsewhere.yaml", strings.Replace(string(text), "model: model.json", "model: data:nets/A-1.h5", 1))
	model, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	nan := write("nan.json", strings.Replace(string(model), "-20", "NaN", 1))
	huge := write("huge.json", strings.Replace(string(model), "-20", "1e999", 1))
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"no study":              {nil, []string{"STUDY", "--help"}},
		"two studies":           {[]string{study, study}, []string{"STUDY"}},
		"study missing":         {[]string{filepath.Join(dir, "absent.yaml")}, []string{"absent.yaml"}},
		"malformed study":       {[]string{malformed}, []string{"malformed.yaml:", "nine"}},
		"unknown flag":          {[]string{study, "--maximum"}, []string{"--maximum"}},
		"unknown feature":       {[]string{study, "--where", "yers=1..2"}, []string{"--where", "yers", "years"}},
		"unknown category":      {[]string{study, "--where", "job=butcher"}, []string{"--where", "butcher", "baker"}},
		"empty cut":             {[]string{study, "--where", "years=12..20"}, []string{"--where", "years"}},
		"empty range":           {[]string{study, "--where", "years=5..2"}, []string{"--where", "years"}},
		"unknown protected":     {[]string{study, "--protected", "sex"}, []string{"--protected", "sex"}},
		"model missing":         {[]string{study, "--model", "absent.h5"}, []string{"absent.h5"}},
		"bare model name":       {[]string{study, "--model", "absent"}, []string{"absent", "model"}},
		"no data root":          {[]string{elsewhere, "--model", "A-2"}, []string{"A-2", "data root", "not set", "--data"}},
		"NaN weight":            {[]string{study, "--model", nan}, []string{"nan.json"}},
		"infinite weight":       {[]string{study, "--model", huge}, []string{"huge.json"}},
		"unknown notion":        {[]string{study, "--notion", "fair"}, []string{"--notion", "score"}},
		"unknown encoding":      {[]string{study, "--encoding", "small-m"}, []string{"small-m", "bigm"}},
		"epsilon above one":     {[]string{study, "--epsilon", "1.5"}, []string{"--epsilon"}},
		"epsilon is no decimal": {[]string{study, "--epsilon", "NaN"}, []string{"--epsilon"}},
		"unknown check":         {[]string{study, "--check", "maybe"}, []string{"--check", "fair or unfair"}},
		"gap of one":            {[]string{study, "--gap", "1"}, []string{"--gap"}},
		"negative timeout":      {[]string{study, "--timeout", "-1s"}, []string{"--timeout"}},
		"memory":                {[]string{study, "--memory", "much"}, []string{"--memory", "2GiB"}},
		"log level":             {[]string{study, "--log-level", "loud"}, []string{"--log-level"}},
		"unknown option":        {[]string{study, "--set", "color=red"}, []string{"color", "mode"}},
		"no option":             {[]string{study, "--set", "mode"}, []string{"key=value"}},
		"bad option value":      {[]string{study, "--set", "from=now", "--climb=false"}, []string{"option from"}},
		"unknown solver":        {[]string{study, "--solver", "absent"}, []string{"absent", "rogue"}},
		"journal in no folder":  {[]string{study, "--journal", filepath.Join(study, "journal.db")}, []string{"journal"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HYFAIR_DATA", "")
			args := append([]string{"certify"}, c.args...)
			if name != "unknown solver" {
				args = append(args, "--solver", "rogue")
			}
			code, stdout, stderr := command(t, plugins, args...)
			if code != ExitUsage {
				t.Errorf("exit code %d", code)
			}
			if stdout != "" && name != "bad option value" {
				t.Errorf("standard output: %s", stdout)
			}
			for _, want := range c.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("does not say %q: %s", want, stderr)
				}
			}
			t.Log(stderr)
		})
	}
}

// A third party's plugin is found by its file's name alone.
func TestThirdPartySolver(t *testing.T) {
	plugins, study := rogueFolder(t, "rogue", "acme"), tenureStudy(t)
	code, stdout, _ := command(t, plugins, "plugins")
	if code != ExitDone || !strings.Contains(stdout, "solver acme 1.0.0") || !strings.Contains(stdout, "solver rogue 1.0.0") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	code, stdout, stderr := command(t, plugins, "certify", study, "--solver", "acme", "--climb=false", "--json")
	if code != ExitDone || oneObject(t, stdout).Solver.Name != "acme" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestVerdictsBeyondFloat64: a network whose logits float64 cannot hold, by 10⁶⁰⁰
// for each of p and a, gets its verdict, in JSON and in the journal as well.
func TestVerdictsBeyondFloat64(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid", "layers": [
			{"name": "h", "inputs": 2, "units": 2, "activation": "relu", "weights": [[1e300, 0], [0, 1e300]], "bias": [0, 0]},
			{"name": "o", "inputs": 2, "units": 1, "activation": "linear", "weights": [[1e300, -1e300]], "bias": [0]}]}`,
		"study.yaml": "model: net.json\ndata: {files: [rows.csv]}\nfeatures:\n  a: {integer: 0..9}\n  p: {integer: 0..1}\nprotected: {p: all}\nepsilon: 0.1\n",
		"rows.csv":   "a,p\n0,0\n1,1\n2,0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plugins := rogueFolder(t, "rogue")
	for _, c := range []struct {
		args []string
		gap  float64
	}{
		{[]string{"--climb"}, 0.5},
		{[]string{"--partition", "adaptive", "--all"}, 0.5},
		{[]string{"--notion", "logit", "--epsilon", "1", "--maximize"}, math.MaxFloat64},
	} {
		ask := append([]string{"certify", dir, "--solver", "rogue"}, c.args...)
		kept := filepath.Join(t.TempDir(), "journal.db")
		code, stdout, stderr := command(t, plugins, append(ask, "--json", "--journal", kept)...)
		out := oneObject(t, stdout)
		if code != ExitDone || stderr != "" || out.Verdict != "unfair" || *out.Gap != c.gap || *out.Witness.Logit2 != -math.MaxFloat64 || out.Bound != nil && *out.Bound > 1 {
			t.Errorf("%v: exit code %d, %s\n%s", c.args, code, stderr, stdout)
		}
		witnesses := 0
		for _, e := range journalled(t, kept, "") {
			if e.Witness != nil {
				witnesses++
			}
		}
		if witnesses == 0 {
			t.Errorf("%v: the journal has no witness", c.args)
		}
		if code, stdout, stderr := command(t, plugins, ask...); code != ExitDone || strings.Contains(stdout, "Inf") || !strings.Contains(stdout, "UNFAIR") {
			t.Errorf("%v: exit code %d, %s\n%s", c.args, code, stderr, stdout)
		}
	}
	// The copies' scores are ½ and 0, 1 and ½, 1 and 1.
	for _, row := range auditJSON(t, dir).Rows {
		want := [][3]float64{{0.5, 0.5, 0}, {0.5, 1, 0.5}, {1, 1, 1}}[row.Index]
		if want != [3]float64{row.Score, row.High.Score, row.Low.Score} || row.Unfair != (row.Index < 2) || row.Flips != (row.Index == 1) || row.Attributes[0].BestScore != want[1] {
			t.Errorf("%+v", row)
		}
	}
}
