package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestCertificatesOfCertifyAreAccepted has certify write what check reads.
func TestCertificatesOfCertifyAreAccepted(t *testing.T) {
	tier.NeedUsual(t)
	plugins := filepath.Dir(plugintest.Build(t, "solver-bnb"))
	dir := t.TempDir()
	certify := func(args ...string) (out certify.Result, stderr string, code int) {
		t.Helper()
		t.Setenv("HYFAIR_DATA", "")
		var stdout, errs bytes.Buffer
		code = Main(append([]string{
			"certify", "../../../studies/loan", "--solver", "bnb", "--plugin-dir", plugins, "--journal", filepath.Join(dir, "j.db"), "--json",
			"--where", "credit_rating=8..,housing=own",
		}, args...), strings.NewReader(""), &stdout, &errs)
		if stdout.Len() > 0 {
			if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
				t.Fatal(err)
			}
		}
		return out, errs.String(), code
	}
	for name, args := range map[string][]string{
		"fair.cert.gz":   {"--epsilon", "0.2"},
		"k.cert":         {"--k", "10"},
		"bound.cert":     {"--maximize"},
		"gap.cert":       {"--maximize", "--gap", "0.5"},
		"most.cert":      {"--max-k"},
		"logits.cert.gz": {"--maximize", "--notion", "logit"},
	} {
		if !tier.Long() && (name == "k.cert" || name == "logits.cert.gz") {
			continue
		}
		path := filepath.Join(dir, name)
		out, stderr, code := certify(append(args, "--certificate", path)...)
		if code != ExitDone || out.Certificate == nil || out.Certificate.File != path || out.Certificate.Leaves < 1 {
			t.Errorf("%s: exit code %d, %+v\n%s", name, code, out.Certificate, stderr)
			continue
		}
		stdout, stderr, code := checkRun(t, path, "--study", "../../../studies/loan", "--json")
		var got check.Result
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		if code != ExitDone || !got.Accepted || got.Claims[0] != out.Certificate.Claim || got.Leaves.Checked != out.Certificate.Leaves {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}

	path := filepath.Join(dir, "none.cert")
	if out, stderr, code := certify("--where", "credit_rating=..2", "--certificate", path); code != ExitDone || out.Certificate != nil || !strings.Contains(stderr, "no certificate: the verdict is unfair") {
		t.Errorf("unfair: exit code %d, %+v\n%s", code, out.Certificate, stderr)
	}
	if _, stderr, code := certify("--relax", "income=1", "--certificate", path); code != ExitUsage || !strings.Contains(stderr, "relaxed") {
		t.Errorf("relaxed: exit code %d\n%s", code, stderr)
	}
	if _, stderr, code := certify("--protected", "each", "--certificate", path); code != ExitUsage || !strings.Contains(stderr, "one question") {
		t.Errorf("several questions: exit code %d\n%s", code, stderr)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written all the same")
	}
}

// An unproved part makes a certificate impossible: the solver, which would continue without
// end, is interrupted at once.
func TestCertificateIsGivenUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.cert")
	code, stdout, stderr := command(t, rogueFolder(t, "rogue"), "certify", tenureStudy(t), "--solver", "rogue", "--set", "mode=patient-with-piece",
		"--encoding", "network", "--climb=false", "--epsilon", "0.99", "--certificate", path)
	if code != ExitFailed || !strings.Contains(stdout, "FAIR") || !strings.Contains(stderr, "no certificate: leaf 0: the solver calls a piece unfair") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written all the same")
	}
}
