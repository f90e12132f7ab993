package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
)

// nobodysStudy is the study of tenure, with constraints that leave no individual.
func nobodysStudy(t *testing.T) string {
	t.Helper()
	path := tenureStudy(t)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("constraints:\n  nobody: {on: true, forbid: [\"group=a\", \"years=..3,group=b\", \"years=4..\"]}\n"); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNobody: what is said of a space without people is said in words, not in
// numbers.
func TestNobody(t *testing.T) {
	tier.NeedUsual(t)
	plugins, study := bnbFolder(t), nobodysStudy(t)
	proof := filepath.Join(t.TempDir(), "fair.cert")
	for _, args := range [][]string{
		{}, {"--maximize"}, {"--notion", "decision", "--maximize"}, {"--max-k"}, {"--k", "3"}, {"--partition", "2"},
		{"--relax", "years=1", "--maximize"}, {"--maximize", "--certificate", proof},
	} {
		code, stdout, stderr := command(t, plugins, append([]string{"certify", study}, args...)...)
		if code != ExitDone || !strings.Contains(stdout, "FAIR, grade exact, vacuously: the constraints leave no individual") || strings.Contains(stdout, "Inf") || strings.Contains(stdout, "largest") {
			t.Errorf("%v: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := command(t, plugins, "check", proof, "--study", study); code != ExitDone {
		t.Errorf("the certificate: exit code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr := command(t, plugins, "certify", study, "--maximize", "--json")
	if code != ExitDone || !strings.Contains(stdout, `"nobody": true`) || !strings.Contains(stdout, `"gap": null`) || !strings.Contains(stdout, `"bound": null`) {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	for _, notion := range []string{"score", "decision"} {
		code, stdout, stderr = command(t, plugins, "quantify", study, "--notion", notion)
		if code != ExitDone || !strings.Contains(stdout, "there is no individual in the space asked about: 0 of 0") || strings.Contains(stdout, "%") {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		code, stdout, stderr = command(t, plugins, "quantify", study, "--notion", notion, "--json")
		if code != ExitDone || !strings.Contains(stdout, `"unfair": null`) || !strings.Contains(stdout, `"interval": null`) || !strings.Contains(stdout, `"individuals": "0"`) {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
	}
	for _, bound := range []string{"fair", "unfair"} {
		if code, stdout, stderr = command(t, plugins, "certify", study, "--check", bound); code != ExitCheck || !strings.Contains(stdout, "--check "+bound+": undecided: the constraints leave no individual") {
			t.Errorf("a verdict on nobody against --check %s: exit code %d: %s%s", bound, code, stdout, stderr)
		}
	}
	if code, stdout, stderr = command(t, plugins, "quantify", study, "--max-unfair", "0"); code != ExitCheck || !strings.Contains(stdout, "--max-unfair 0: undecided") {
		t.Errorf("a share of nobody against a bound: exit code %d: %s%s", code, stdout, stderr)
	}
}
