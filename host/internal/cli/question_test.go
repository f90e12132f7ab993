package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// loanWith is a study that says of the loan example what differs.
func loanWith(t *testing.T, text string) string {
	t.Helper()
	loan, err := filepath.Abs(filepath.Join(loanStudy, "study.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "loan.yaml")
	if err := os.WriteFile(path, []byte("extends: "+loan+"\nname: loan\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// No command takes a study's ε in logits for a score difference, 0.5 neither,
// which could be either.
func TestLogitsAreNoScores(t *testing.T) {
	study := loanWith(t, "notion: logit\nepsilon: 0.5\n")
	grid := filepath.Join(t.TempDir(), "grid.yml")
	if err := os.WriteFile(grid, []byte("studies: [{study: "+study+"}]\nsolver: none\nstrategies: [{name: rw}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"certify", study, "--notion", "score"},
		{"certify", study, "--notion", "score", "--partition", "10"},
		{"certify", study, "--notion", "score", "--max-k"},
		{"quantify", study, "--notion", "score"},
		{"export", study, "--notion", "score", "--format", "mps"},
		{"search", study},
		{"audit", study},
		{"explain", study},
		{"mitigate", study},
		{"compare", study, "--solvers", "highs"},
		{"compare", study, "--arm", "a=solver:highs,notion:score"},
		{"ablate", grid},
	} {
		code, stdout, stderr := hyfair(args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, "the study's ε = 0.5 is a difference of logits") || !strings.Contains(stderr, "--epsilon") {
			t.Errorf("%s: exit code %d: %s%s", strings.Join(args, " "), code, stdout, stderr)
		}
	}
}

// Every report and file has exactly the ε of the question.
func TestEpsilonIsWrittenExactly(t *testing.T) {
	tier.NeedLong(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb", "hyfair-search-rw": "plugins/search-rw"})
	journal, model := filepath.Join(t.TempDir(), "journal.db"), filepath.Join(t.TempDir(), "model.mps")
	for asked, want := range map[string]string{
		"2/6": "1/3", "0.1234567890123456789012345678901234567890": "0.123456789012345678901234567890123456789",
	} {
		study := loanWith(t, "epsilon: "+asked+"\n")
		for _, c := range []struct {
			args []string
			text string
		}{
			{[]string{"certify", study, "--journal", journal}, "more than ε = " + want + " apart"},
			{[]string{"quantify", study, "--where", "credit_rating=8,purpose=car", "--samples", "0"}, "more than ε = " + want + " apart"},
			{[]string{"search", study, "--strategy", "rw", "--solver", "none", "--budget", "5it"}, "ε = " + want + ", "},
			{[]string{"audit", study}, "a score gap above " + want + ":"},
			{[]string{"explain", study, "--row", "0", "--samples", "100", "--test", "50"}, "ε = " + want + "\n"},
			{[]string{"inspect", study}, "ε = " + want + ", "},
			{[]string{"export", study, "--format", "mps", "--out", model}, ""},
		} {
			if code, stdout, stderr := command(t, plugins, c.args...); code != ExitDone || !strings.Contains(stdout, c.text) {
				t.Errorf("%s: exit code %d, does not say %q: %s%s", c.args[0], code, c.text, stdout, stderr)
			}
			if code, stdout, stderr := command(t, plugins, append(c.args, "--json")...); code != ExitDone || !strings.Contains(stdout, `"epsilon": "`+want+`"`) {
				t.Errorf("%s --json: exit code %d, does not say %s: %s%s", c.args[0], code, want, stdout, stderr)
			}
		}
		if text, err := os.ReadFile(model); err != nil || !strings.Contains(string(text), ", epsilon "+want+",") {
			t.Errorf("%v: the exported file does not say %s: %.300s", err, want, text)
		}
		_, runs, _ := command(t, plugins, "runs", "--journal", journal)
		run := strings.Fields(strings.Split(runs, "\n")[1])[0]
		if code, stdout, stderr := command(t, plugins, "runs", "show", run, "--journal", journal); code != ExitDone || !strings.Contains(stdout, " "+want+"\n") {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
	}
}

// A study's clustering by linkage is not passed over in silence where k, which
// counts bins, is part of the answer.
func TestClusteringIsNotPassedOver(t *testing.T) {
	tier.NeedUsual(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb", "hyfair-search-rw": "plugins/search-rw"})
	study := loanWith(t, "clustering: linkage\n")
	grid := filepath.Join(t.TempDir(), "grid.yml")
	if err := os.WriteFile(grid, []byte("studies: [{study: "+study+"}]\nsolver: none\nstrategies: [{name: rw}, {name: absent}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	said := "hyfair: k counts bins; the study's clustering, linkage, is not used\n"
	small := []string{"--where", "credit_rating=8,purpose=car"}
	for _, c := range []struct {
		args  []string
		times int
	}{
		{append([]string{"certify", study, "--protected", "each"}, small...), 1},
		{append([]string{"certify", study, "--k", "3"}, small...), 1},
		{append([]string{"certify", study, "--notion", "decision"}, small...), 0},
		{append([]string{"quantify", study, "--k", "3", "--samples", "0", "--json"}, small...), 1},
		{[]string{"search", study, "--strategy", "rw", "--solver", "none", "--budget", "5it", "--runs", "2"}, 1},
		{[]string{"audit", study}, 1},
		{[]string{"explain", study, "--row", "0", "--samples", "100", "--test", "50"}, 1},
		{[]string{"mitigate", study, "--arms", "original,original+guards", "--strategy", "rw", "--solver", "none", "--budget", "5it"}, 1},
		{[]string{"compare", study, "--solvers", "absent"}, 1},
		{[]string{"ablate", grid}, 1},
		{[]string{"inspect", study}, 0},
	} {
		if _, _, stderr := command(t, plugins, c.args...); strings.Count(stderr, said) != c.times || strings.Count(stderr, "linkage") != c.times {
			t.Errorf("%s: said %d times, want %d: %s", strings.Join(c.args, " "), strings.Count(stderr, said), c.times, stderr)
		}
	}
}
