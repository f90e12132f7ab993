package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// Two solvers answer one question together, in certify, in its parts, and as an arm of
// compare; what takes one solver says so.
func TestTwoSolversAtOnce(t *testing.T) {
	tier.NeedUsual(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb", "hyfair-solver-lpsolve": "plugins/solver-lpsolve"})
	if code, stdout, _ := hyfair("plugins", "--plugin-dir", plugins, "--json"); code != ExitDone || strings.Contains(stdout, `"usable": false`) {
		t.Skipf("SKIPPED %s: no lp_solve library; make setup brings it", t.Name())
	}
	study := tenureStudy(t)
	certify := func(args ...string) (out directly, settledBy, stdout string) {
		t.Helper()
		code, stdout, stderr := command(t, plugins, append([]string{"certify", study, "--solver", "bnb+lpsolve"}, args...)...)
		if code != ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		var by struct {
			SettledBy string `json:"settled_by"`
		}
		if strings.HasPrefix(stdout, "{") {
			if err := json.Unmarshal([]byte(stdout), &out); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(stdout), &by); err != nil {
				t.Fatal(err)
			}
		}
		return out, by.SettledBy, stdout
	}
	out, by, _ := certify("--json", "--notion", "logit", "--epsilon", "6.5", "--where", "years=..6", "--maximize")
	if out.Solver.Name != "bnb+lpsolve" || out.Encoding != "network+bigm" || by != "bnb" && by != "lpsolve" {
		t.Errorf("%q settled it: %+v", by, out)
	}
	if out.Verdict != "fair" || out.Grade == "" || *out.Gap != 6 || *out.Bound < 6 || *out.Bound > 6.0001 || !out.Closed {
		t.Errorf("%+v", out)
	}
	out, _, _ = certify("--json", "--max-k")
	if out.MaxK == nil || !out.MaxK.Certified {
		t.Errorf("%+v", out.MaxK)
	}
	out, _, _ = certify("--json", "--partition", "3", "--all", "--jobs", "2", "--soft-timeout", "10s")
	if out.Verdict != "unfair" {
		t.Errorf("in parts: %+v", out)
	}
	if _, _, text := certify("--certificate", filepath.Join(t.TempDir(), "c"), "--epsilon", "0.999"); !strings.Contains(text, "solver bnb+lpsolve") || !strings.Contains(text, ", settled by ") || !strings.Contains(text, "hyfair check verifies it") {
		t.Error(text)
	}

	code, stdout, stderr := command(t, plugins, "compare", study, "--arm", "both=solver:bnb+lpsolve", "--arm", "one=solver:bnb", "--budget", "5s", "--runs", "1", "--json")
	var table compare.Comparison
	if err := json.Unmarshal([]byte(stdout), &table); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	if a := table.Arms[0]; a.Solver != "bnb+lpsolve" || !regexp.MustCompile(`^1\.0\.0 [0-9a-f]{12}\+1\.0\.0 [0-9a-f]{12}$`).MatchString(a.Version) || !strings.Contains(a.Library, "lp_solve") {
		t.Errorf("%+v", a)
	}
	for _, r := range table.Rows {
		if r.Found < 1 {
			t.Errorf("%s found nobody: %+v", r.Arm, r)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"certify --solver bnb+bnb", "bnb is named twice"},
		{"certify --solver bnb+nobody", "nobody"},
		{"certify --solver bnb+lpsolve --set depth=3", "no plugin of this run has it"},
		{"quantify --solver bnb+lpsolve", "name a single solver"},
	} {
		words := strings.Fields(c.args)
		if code, _, stderr := command(t, plugins, append([]string{words[0], study}, words[1:]...)...); code == ExitDone || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d: %s", c.args, code, stderr)
		}
	}
}
