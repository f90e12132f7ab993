package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{"bench", "evaluator", study},
	} {
		code, stdout, stderr := hyfair(args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, "the study's ε = 0.5 is a difference of logits") || !strings.Contains(stderr, "--epsilon") {
			t.Errorf("%s: exit code %d: %s%s", strings.Join(args, " "), code, stdout, stderr)
		}
	}
}
