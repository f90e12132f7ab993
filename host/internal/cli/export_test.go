package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/export"
)

// TestExportWritesEveryFormat exports the shipped example in each format.
func TestExportWritesEveryFormat(t *testing.T) {
	for _, f := range export.Formats {
		out := filepath.Join(t.TempDir(), "new") + "/"
		code, stdout, stderr := hyfair("export", loanStudy, "--format", f.Name, "--notion", "logit", "--epsilon", "1.5", "--out", out, "--json")
		if code != ExitDone || stderr != "" {
			t.Fatalf("%s: exit code %d, %s", f.Name, code, stderr)
		}
		var rep export.Result
		if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
			t.Fatal(err)
		}
		if rep.Study != "loan" || rep.Epsilon != "1.5" || rep.Notion != "logit" || len(rep.Meaning) == 0 {
			t.Errorf("%s: %+v", f.Name, rep)
		}
		want := []string{"loan-network-logit" + f.Extension}
		if f.Name == "vnnlib" {
			want = []string{"loan-network-logit.onnx", want[0]}
		}
		if len(rep.Files) != len(want) {
			t.Fatalf("%s: files %+v", f.Name, rep.Files)
		}
		for i, file := range rep.Files {
			text, err := os.ReadFile(file.Path)
			if err != nil || file.Path != out+want[i] || int64(len(text)) != file.Bytes || file.Bytes == 0 {
				t.Errorf("%s: %+v, %v; want %s", f.Name, file, err, want[i])
			}
			if strings.HasSuffix(file.Path, f.Extension) && !strings.Contains(string(text), "hyfair: study loan, model network.json, notion logit, protected sex age origin, epsilon 1.5") {
				t.Errorf("%s: the file does not say what it asks:\n%.300s", f.Name, text)
			}
		}
		entries, err := os.ReadDir(out)
		if err != nil || len(entries) != len(want) {
			t.Errorf("%s: the folder holds %v, %v", f.Name, entries, err)
		}
	}
}

func TestExportNamesAndQuestions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my.lp")
	code, stdout, stderr := hyfair("export", loanStudy, "--out", path, "--notion", "decision", "--maximize")
	if code != ExitDone || !strings.Contains(stdout, path) || !strings.Contains(stdout, "the optimum is the largest margin") {
		t.Errorf("format by name: exit code %d, %s%s", code, stdout, stderr)
	}
	code, _, stderr = hyfair("export", loanStudy, "--format", "mps", "--notion", "logit", "--protected", "each", "--out", dir)
	if code != ExitDone {
		t.Fatalf("one a protected attribute: exit code %d, %s", code, stderr)
	}
	for _, name := range []string{"loan-network-logit-sex.mps", "loan-network-logit-age.mps", "loan-network-logit-origin.mps"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no format":        {[]string{loanStudy}, ExitUsage, "--format is missing: want smt2, mps, lp or vnnlib"},
		"unknown":          {[]string{loanStudy, "--format", "nl"}, ExitUsage, `unknown format "nl"`},
		"foreign encoding": {[]string{loanStudy, "--format", "mps", "--encoding", "smt"}, ExitUsage, "does not write"},
		"vnnlib encoding":  {[]string{loanStudy, "--format", "vnnlib", "--encoding", "bigm"}, ExitUsage, "keeps the network as it is"},
		"score maximum":    {[]string{loanStudy, "--format", "lp", "--maximize"}, ExitUsage, "sequence"},
		"vnnlib maximum":   {[]string{loanStudy, "--format", "vnnlib", "--notion", "logit", "--maximize"}, ExitUsage, "no objective"},
		"k of two":         {[]string{loanStudy, "--format", "lp", "--k", "2"}, ExitUsage, "--k 2"},
		"no study":         {[]string{"nowhere.yaml", "--format", "lp"}, ExitUsage, "nowhere.yaml"},
		"no folder":        {[]string{loanStudy, "--out", filepath.Join("no", "such", "a.lp")}, ExitFailed, "--out"},
		"nothing to ask":   {[]string{loanStudy, "--format", "lp", "--protected", "sex", "--where", "sex=male"}, ExitFailed, "there is no problem to write"},
	} {
		args := append([]string{"export", "--out", t.TempDir()}, c.args...)
		code, _, stderr := hyfair(args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d; standard error %q, want %q", name, code, c.code, stderr, c.want)
		}
	}
}
