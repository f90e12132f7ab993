package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// loanBands is a decision of the loan study.
const loanBands = "A=0.8,B=0.6,C=0.4,D=0"

// TestBandsOfADecision: the commands that count bins count the bands of a study's decision, and those about decisions take
// them in place of yes and no.
func TestBandsOfADecision(t *testing.T) {
	tier.NeedUsual(t)
	plugins, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"solver-bnb", "search-rw"} {
		if err := os.Symlink(plugintest.Build(t, name), filepath.Join(plugins, "hyfair-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS("../../../studies/loan")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "study.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "\ndecision: {bands: {A: 0.8, B: 0.6, C: 0.4, D: 0}}\n"...)
	if err := os.WriteFile(filepath.Join(dir, "study.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, study := range [][]string{{dir}, {"../../../studies/loan", "--bands", loanBands}} {
		code, stdout, stderr := command(t, plugins, append([]string{"certify", "--json", "--max-k"}, study...)...)
		var out certify.Result
		if err := json.Unmarshal([]byte(stdout), &out); err != nil {
			t.Fatalf("%v\n%s%s", err, stdout, stderr)
		}
		if code != ExitDone || out.Verdict != "unfair" || out.Notion != "decision" || out.Epsilon != "" || len(out.Decision.Bands) != 4 || out.Decision.Bands[0].Name != "A" ||
			out.Witness.Band1 != "A" || out.Witness.Band2 != "D" || out.MaxK == nil || out.MaxK.Hi != 4 {
			t.Errorf("%s: exit code %d, %s\n%s", study, code, stdout, stderr)
		}
	}
	path := filepath.Join(t.TempDir(), "bands.cert")
	where := []string{"--where", "credit_rating=9..,income=8..,housing=own"}
	if code, stdout, stderr := command(t, plugins, append([]string{"certify", dir, "--certificate", path}, where...)...); code != ExitDone || !strings.Contains(stdout, "fall into more than 1 of the bands "+loanBands) {
		t.Errorf("certificate: exit code %d\n%s%s", code, stdout, stderr)
	}
	for study, want := range map[string]int{dir: ExitDone, "../../../studies/loan": ExitCheck} {
		if stdout, stderr, code := checkRun(t, path, "--study", study); code != want {
			t.Errorf("check against %s: exit code %d\n%s%s", study, code, stdout, stderr)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"quantify", dir, "--where", "credit_rating=9.."}, "in 2 or more of the bands A, B, C, D"},
		{[]string{"audit", dir, "--top", "0"}, "3,901 of them (57.2 %) would get another band with another sex, age or origin: 2,880 a better one, 2,261 a worse one"},
		{[]string{"diff", dir, filepath.Join(dir, "network.json"), "--prove=false"}, "\n\nboth models: a decision is a band of scores"},
		{[]string{"mitigate", dir, "--arms", "original", "--solver", "none", "--strategy", "rw", "--mode", "fast", "--budget", "2000ev"}, "whose copies are in different bands"},
		{[]string{"compare", dir, "--solvers", "bnb", "--runs", "1", "--budget", "1s"}, "individuals count whose copies are in different bands"},
		{[]string{"export", dir, "--out", filepath.Join(t.TempDir(), "x.smt2")}, "no individual reaches k bins"},
	} {
		if code, stdout, stderr := command(t, plugins, c.args...); code != ExitDone || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"certify", dir, "--maximize"}, "k = 2 bands has no gap to maximise"},
		{[]string{"certify", dir, "--epsilon", "0.1"}, "with bands there is no ε"},
		{[]string{"certify", dir, "--notion", "decision-strict"}, "the decision has bands"},
		{[]string{"certify", dir, "--threshold", "0.3", "--bands", loanBands}, "exclude each other"},
		{[]string{"certify", dir, "--partition", "100"}, "cannot be partitioned"},
		{[]string{"audit", dir, "--thresholds", "0.3"}, "whose borders are its thresholds"},
		{[]string{"audit", dir, "--favourable", "D"}, "not the worst"},
		{[]string{"quantify", dir, "--thresholds", "0.3", "--bands", loanBands}, "leave one of the two out"},
		{[]string{"certify", "../../../studies/loan", "--near", "0", "--relax", "income=1"}, "leave one of the two out"},
		{[]string{"quantify", "../../../studies/loan", "--near", "0", "--groups"}, "--near does not apply to --groups: rates compare different people"},
		{[]string{"search", "../../../studies/loan", "--near", "2"}, "--near: got the distance 2, want one from 0 to 1"},
		{[]string{"search", dir, "--population", "everybody"}, "--population: got population"},
		{[]string{"explain", dir, "--population", "everybody"}, "--population: got population"},
		{[]string{"diff", dir, filepath.Join(dir, "network.json"), "--epsilon", "0.1"}, "with bands there is no ε"},
		{[]string{"diff", dir, "../../../studies/loan"}, "decide by different bands"},
		{[]string{"report", "--study", dir, "--notion", "score"}, "is about bands"},
		{[]string{"compare", dir, "--solvers", "bnb", "--epsilon", "0.1"}, "have no ε"},
	} {
		if code, stdout, stderr := command(t, plugins, c.args...); code != ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, want %q\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
}
