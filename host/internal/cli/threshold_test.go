package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

const loan = "../../../studies/loan"

// told returns the output of a command that must end with code, with bnb as its only solver.
func told(t *testing.T, code int, args ...string) string {
	t.Helper()
	have, stdout, stderr := command(t, filepath.Dir(plugintest.Build(t, "solver-bnb")), args...)
	if have != code {
		t.Fatalf("%v: exit code %d, want %d:\n%s%s", args, have, code, stdout, stderr)
	}
	return stdout + stderr
}

// A certificate about decisions at a threshold is one about the study at that threshold only.
func TestThresholdOfACertificate(t *testing.T) {
	tier.NeedUsual(t)
	cert := filepath.Join(t.TempDir(), "loan.cert.gz")
	for threshold, c := range map[string]struct {
		says    string
		refused map[string]string // by another threshold
	}{
		"0.3":                    {"a decision is positive if the score is above 0.3", map[string]string{"0.30000001": "its decision is positive for a score above 0.3", "0.5": "positive for a score above 0.5"}},
		"sex:female=0.3,male=.4": {"above 0.3 for sex = female, above 0.4 for sex = male", map[string]string{"sex:female=0.3,male=0.3": "it is not about", "0.3": "it is not about"}},
	} {
		out := told(t, ExitDone, "certify", loan, "--notion", "decision", "--threshold", threshold, "--protected", "sex", "--solver", "bnb", "--certificate", cert,
			"--where", "income=8..9,credit_rating=6..7,debt_ratio=0..1")
		c.refused[threshold] = c.says
		for _, want := range []string{c.says, "FAIR, grade rigorous"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in:\n%s", want, out)
			}
		}
		for other, want := range c.refused {
			code := ExitCheck
			if other == threshold {
				code = ExitDone
			}
			if out := told(t, code, "check", cert, "--study", loan, "--threshold", other); !strings.Contains(out, want) {
				t.Errorf("at %s:\n%s", other, out)
			}
		}
	}
}

// All that decides about rows follows the threshold.
func TestThresholdOfRows(t *testing.T) {
	tier.NeedUsual(t)
	type audited struct {
		Summary  struct{ Positive, Flips int }
		Decision *struct{ Threshold string }
	}
	positive := map[string]int{}
	for _, threshold := range []string{"", "0.3", "0.7"} {
		args := []string{"audit", loan, "--top", "0", "--json"}
		if threshold != "" {
			args = append(args, "--threshold", threshold)
		}
		var a audited
		if err := json.Unmarshal([]byte(told(t, ExitDone, args...)), &a); err != nil {
			t.Fatal(err)
		}
		if positive[threshold] = a.Summary.Positive; (a.Decision != nil) != (threshold != "") || a.Decision != nil && a.Decision.Threshold != threshold {
			t.Errorf("at %q: decision %v", threshold, a.Decision)
		}
	}
	if !(positive["0.3"] > positive[""] && positive[""] > positive["0.7"] && positive["0.7"] > 0) {
		t.Errorf("positive decisions by threshold: %v", positive)
	}
	for _, c := range []struct{ args, want string }{
		{"audit " + loan + " --threshold 1", "--threshold: 1 is not between 0 and 1"},
		{"audit " + loan + " --threshold sex:male=0.5 --thresholds 0.3", "sex = female has no threshold"},
		{"audit " + loan + " --threshold sex:male=0.5,female=0.4 --thresholds 0.3", "--thresholds: ../../../studies/loan/study.yaml has thresholds by group"},
		{"certify " + loan + " --threshold 0.3 --notion decision-strict", "decision-strict has no threshold"},
	} {
		if out := told(t, ExitUsage, strings.Fields(c.args)...); !strings.Contains(out, c.want) {
			t.Errorf("%s:\n%s", c.args, out)
		}
	}
}
