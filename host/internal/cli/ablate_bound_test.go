package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// A network's bound is computed once, after its searches, kept in the journal, and
// shown next to what each search found.
func TestAblateBound(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins := program(t), bnbFolder(t)
	if err := os.Symlink(plugintest.Build(t, "search-rw"), filepath.Join(plugins, "hyfair-search-rw")); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(t.TempDir(), "journal.db")
	file := grid(t, tenureStudy(t), "solver: none\nstrategies: [{name: slow, strategy: rw}, {name: fast, strategy: rw, mode: fast}]\nbudget: 60it\nruns: 2\nepsilon: 0.1\nbound: 20s\n")
	code, stdout, stderr := startWith(t, binary, plugins, journal, "ablate", file, "--json").wait(t)
	if code != ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	a := ablated(t, stdout)
	if len(a.Bounds) != 1 || a.Tasks != 4 || a.Done != 4 {
		t.Fatalf("%s", stdout)
	}
	if b := a.Bounds[0]; b.Study != "tenure" || b.Model != "model" || b.Found != 2 || b.MaxK != 2 || !b.Certified || b.Solver != "bnb" || b.Grade == "" || b.Error != "" {
		t.Errorf("%+v", b)
	}
	code, stdout, stderr = startWith(t, binary, plugins, journal, "ablate", "--from", a.Run).wait(t)
	if code != ExitDone || strings.Count(stdout, " = 2 ") != 2 || !strings.Contains(stdout, "proved: k that no individual") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}

	if err := os.Remove(filepath.Join(plugins, "hyfair-solver-bnb")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = startWith(t, binary, plugins, journal, "ablate", file).wait(t)
	if code != ExitFailed || stdout != "" || !strings.Contains(stderr, "--bound: no solver to use") {
		t.Errorf("without the solver, exit code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = startWith(t, binary, plugins, journal, "ablate", file, "--bound", "0s").wait(t)
	if code != ExitDone || strings.Contains(stdout, "proved") {
		t.Errorf("without a bound, exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr = startWith(t, binary, plugins, journal, "ablate", file, "--bound", "-2s").wait(t); code != ExitUsage || !strings.Contains(stderr, "--bound -2s is negative") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
