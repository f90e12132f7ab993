package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// climbAnd links the strategy of explain's search into a folder of plugins.
func climbAnd(t *testing.T, plugins string) string {
	t.Helper()
	if err := os.Symlink(plugintest.Build(t, "search-climb"), filepath.Join(plugins, "hyfair-search-climb")); err != nil {
		t.Fatal(err)
	}
	return plugins
}

// The planted cluster's floor and ceiling are those that enumeration of the whole
// space found, docs/user/loan.md: k is never below 9 inside, and never above 11 outside.
func TestExplainBound(t *testing.T) {
	tier.NeedLong(t)
	plugins := climbAnd(t, bnbFolder(t))
	args := []string{"explain", loanStudy, "--budget", "20000ev", "--samples", "2000", "--bound", "60s"}
	code, stdout, stderr := command(t, plugins, append(args, "--json")...)
	var out explain.Result
	if err := json.Unmarshal([]byte(stdout), &out); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(out.Predicates) != 1 || out.Predicates[0].Text != plantedText || out.Predicates[0].Floor == nil || out.Ceiling == nil || out.Prover == nil {
		t.Fatalf("%s", stdout)
	}
	floor, ceiling := out.Predicates[0].Floor, out.Ceiling
	if k := floor.K; k == nil || k.Proved != 9 || *k.Found != 9 || !k.Certified || k.Grade != "rigorous" {
		t.Errorf("floor %+v", k)
	}
	if k := ceiling.K; k == nil || k.Proved != 11 || *k.Found != 11 || !k.Certified || k.Grade != "rigorous" {
		t.Errorf("ceiling %+v", k)
	}
	// k bins are at least k−2 of ε apart, and at most k.
	if g := floor.Gap; g == nil || g.Proved < 0.35-1e-9 || g.Proved > *g.Found+1e-9 {
		t.Errorf("floor %+v", g)
	}
	if g := ceiling.Gap; g == nil || g.Proved > 0.55+1e-9 || g.Proved < *g.Found-1e-9 {
		t.Errorf("ceiling %+v", g)
	}
	if p := out.Prover; p.Solver != "bnb" || p.Seconds <= 0 || p.Error != "" || out.Interrupted {
		t.Errorf("%+v", p)
	}

	code, stdout, stderr = command(t, plugins, args...)
	if code != ExitDone || !strings.Contains(stdout, "Proved for every individual, by bnb") || !strings.Contains(stdout, "inside 1   = 9      9") || !strings.Contains(stdout, "outside   = 11     11") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}

	file := filepath.Join(t.TempDir(), "file.yaml")
	study, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("studies: [{study: "+study+"}]\nbudget: 20000ev\nsamples: 2000\nbound: 60s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = command(t, plugins, "explain", file)
	if code != ExitDone || !strings.Contains(stdout, "k inside  k outside") || !strings.Contains(stdout, "= 9       = 11") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr = command(t, plugins, "explain", loanStudy, "--bound", "-1s"); code != ExitUsage || !strings.Contains(stderr, "--bound -1s is negative") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// Without a solver that can prove it, the explanation is shown nevertheless.
func TestExplainWithoutAProof(t *testing.T) {
	tier.NeedUsual(t)
	plugins := climbAnd(t, t.TempDir())
	code, stdout, stderr := command(t, plugins, "explain", loanStudy, "--budget", "20000ev", "--samples", "2000", "--bound", "5s")
	if code != ExitFailed || !strings.Contains(stdout, plantedText) || strings.Contains(stdout, "Proved") || !strings.Contains(stderr, "--bound: no solver to use") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
