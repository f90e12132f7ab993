//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
)

// TestAFullDiskIsNoMistake has every flag that names a file write to a full disk: exit code 1,
// one message that says which, and the result all the same.
func TestAFullDiskIsNoMistake(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	dir, study := t.TempDir(), tenureStudy(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-search-sa": "plugins/search-sa", "hyfair-solver-bnb": "plugins/solver-bnb"})
	for _, name := range []string{"f.csv", "f.jsonl", "f.json", "f.html", "f.xml", "f.cert", "f.svg", "f.md", "shares.svg"} {
		if err := os.Symlink("/dev/full", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "rows.csv"), []byte("years,group,job\n7,a,cook\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const explain = "explain STUDY --budget 50it --strategy sa --samples 100 --test 10"
	for _, c := range []struct{ line, flag, file string }{
		{"quantify STUDY", "--map", "f.csv"}, {"quantify STUDY", "--map", "f.jsonl"}, {"quantify STUDY", "--html", "f.html"}, {"quantify STUDY", "--plots", "."},
		{"certify STUDY --check fair", "--junit", "f.xml"}, {"certify STUDY", "--html", "f.html"}, {"certify STUDY --where years=0", "--certificate", "f.cert"},
		{"search STUDY --budget 50it", "--out", "f.csv"}, {"audit STUDY ROWS --encoded", "--out", "f.csv"}, {"audit STUDY ROWS --encoded", "--html", "f.html"},
		{explain, "--tree", "f.svg"}, {explain, "--rules-out", "f.json"},
		{"compare STUDY --solvers bnb --budget 1s --runs 1 --format csv", "--out", "f.csv"}, {"compare STUDY --solvers bnb --budget 1s --runs 1", "--tidy", "f.csv"},
	} {
		args := append(strings.Fields(strings.NewReplacer("STUDY", study, "ROWS", filepath.Join(dir, "rows.csv")).Replace(c.line)), c.flag, filepath.Join(dir, c.file), "--json", "--plugin-dir", plugins, "--journal", filepath.Join(dir, "journal.db"))
		t.Setenv("HYFAIR_PLUGIN_DIR", "")
		code, stdout, stderr := hyfair(args...)
		if code != ExitFailed || !strings.HasPrefix(stdout, "{") || strings.Count(stderr, "no space left on device") != 1 || !strings.Contains(stderr, strings.TrimPrefix(c.flag, "--")+": write "+dir) {
			t.Errorf("hyfair %s %s %s: exit code %d, %d bytes of result\n%s", c.line, c.flag, c.file, code, len(stdout), stderr)
		}
	}
}
