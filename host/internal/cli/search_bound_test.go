package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
)

// A search with a bound certifies what it found where the two meet.
func TestSearchBound(t *testing.T) {
	plugins, study := bnbFolder(t), tenureStudy(t)
	if err := os.Symlink(plugintest.Build(t, "search-rw"), filepath.Join(plugins, "hyfair-search-rw")); err != nil {
		t.Fatal(err)
	}
	args := []string{"search", study, "--strategy", "rw", "--budget", "60it", "--epsilon", "0.1"}
	code, stdout, stderr := command(t, plugins, append(args, "--json", "--bound", "20s")...)
	var out search.Result
	if err := json.Unmarshal([]byte(stdout), &out); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if out.Solver != "bnb" || out.Best == nil || out.Best.K != 2 {
		t.Fatalf("solver %s, best %+v", out.Solver, out.Best)
	}
	if b := out.Bound; b == nil || b.MaxK != 2 || !b.Certified || b.Solver != "bnb" || b.Grade == "" || b.Error != "" {
		t.Errorf("two groups have two scores: %+v", out.Bound)
	}
	code, stdout, _ = command(t, plugins, append(args, "--bound", "20s")...)
	if code != ExitDone || !strings.Contains(stdout, "No individual reaches more than k = 2, proved (") || !strings.Contains(stdout, "Max.K = 2, certified") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	code, stdout, _ = command(t, plugins, append(args, "--json")...)
	if code != ExitDone || strings.Contains(stdout, `"bound"`) {
		t.Errorf("exit code %d, without --bound: %s", code, stdout)
	}
	if code, _, _ = command(t, plugins, append(args, "--bound", "-1s")...); code != ExitUsage {
		t.Errorf("exit code %d of a negative time", code)
	}
}

// Without a solver that can prove it, the search is reported nevertheless.
func TestSearchBoundWithoutASolver(t *testing.T) {
	plugins, study := t.TempDir(), tenureStudy(t)
	if err := os.Symlink(plugintest.Build(t, "search-rw"), filepath.Join(plugins, "hyfair-search-rw")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := command(t, plugins, "search", study, "--strategy", "rw", "--solver", "none", "--budget", "60it", "--epsilon", "0.1", "--bound", "5s")
	if code != ExitFailed || !strings.Contains(stdout, "The worst-treated individual") || !strings.Contains(stderr, "--bound: no solver to use") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
