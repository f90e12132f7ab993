package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/plugins"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// object decodes the one JSON object that a command printed.
func object[T any](t *testing.T, args ...string) (out T) {
	t.Helper()
	args = append(args, "--json")
	code, stdout, stderr := hyfair(args...)
	validJSON(t, args, stdout)
	if code != ExitDone {
		t.Fatalf("%v: exit code %d: %s", args, code, stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil || decoder.More() {
		t.Fatalf("not one JSON object (%v): %s", err, stdout)
	}
	return out
}

// nothingElse lets the host find only what a test installs or points at.
func nothingElse(t *testing.T) {
	t.Helper()
	t.Setenv("HYFAIR_PLUGIN_DIR", "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
}

// From an idea to a pinned plugin in use: what the commands print leads there.
func TestNewStrategyIsBuiltTestedUsedAndInstalled(t *testing.T) {
	tier.NeedLong(t) // the commands of the guide, tested in scaffold, do much of this in each run
	nothingElse(t)
	dir := t.TempDir()
	p := object[plugins.Written](t, "plugin", "new", "search", "my-idea", "--dir", dir)
	folder := filepath.Join(dir, "search-my-idea")
	if p.Name != "my-idea" || p.Kind != "strategy" || p.Language != "go" || p.Path != folder || len(p.Steps) != 4 || p.SDK == "" {
		t.Fatalf("%+v", p)
	}
	build := exec.Command("sh", "-c", p.Steps[0].Command+" && "+p.Steps[1].Command)
	build.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bin := filepath.Join(folder, "bin")
	searched := func(args ...string) search.Result {
		t.Helper()
		return object[search.Result](t, append([]string{"search", "../../../studies/loan", "--solver", "none", "--budget", "200it", "--journal", filepath.Join(dir, "journal.db")}, args...)...)
	}
	first := searched("--strategy", "my-idea+strict", "--plugin-dir", bin)
	if first.Strategy != "my-idea+strict" || *first.MaxK < 5 {
		t.Errorf("%+v", first)
	}
	if l := object[plugins.Listed](t, "plugins", "--plugin-dir", bin).Plugins; len(l) != 1 || l[0].State != "unpinned" || l[0].Lag != 1 || strings.Join(l[0].Needs, ",") != "rows" {
		t.Errorf("%+v", l)
	}

	in := object[plugins.Installed](t, "plugin", "install", filepath.Join(bin, "hyfair-search-my-idea"))
	if in.Name != "my-idea" || in.Version != "0.1.0" || in.State != "pinned" || in.Replaced || in.Files != 1 {
		t.Errorf("%+v", in)
	}
	if again := searched("--strategy", "my-idea+strict"); *again.MaxK != *first.MaxK || *again.ID != *first.ID {
		t.Errorf("installed, it finds something else: %+v", again)
	}
	if l := object[plugins.Listed](t, "plugins").Plugins; len(l) != 1 || l[0].State != "pinned" || l[0].Path != in.Path {
		t.Errorf("%+v", l)
	}
	if l := object[plugins.Listed](t, "plugins", "--plugin-dir", bin).Plugins; len(l) != 1 || l[0].State != "unpinned" || filepath.Dir(l[0].Path) != bin {
		t.Errorf("another of its name in --plugin-dir: %+v", l)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"plugin", "install", filepath.Join(bin, "hyfair-search-my-idea")}, ExitFailed, "--force"},
		{[]string{"plugin", "install", filepath.Join(bin, "hyfair-search-my-idea"), "--plugin-dir", bin}, ExitUsage, "offered twice"},
		{[]string{"plugin", "new", "search", "my-idea", "--dir", t.TempDir()}, ExitUsage, in.Path},
		{[]string{"plugin", "new", "solver", "my-idea", "--dir", dir, "--language", "perl"}, ExitUsage, "go or python"},
		{[]string{"plugin", "new", "both", "my-idea"}, ExitUsage, "search, solver or model"},
		{[]string{"plugin", "new", "search"}, ExitUsage, "NAME"},
		{[]string{"plugin", "new", "search", "My Idea"}, ExitUsage, "my-idea"},
		{[]string{"plugin", "new", "search", "x", "--dir", dir, "--sdk", dir}, ExitUsage, "--sdk"},
		{[]string{"plugin", "new", "search", "x", "--dir", filepath.Join(bin, "hyfair-search-my-idea")}, ExitFailed, "not a directory"},
		{[]string{"plugin", "install", dir}, ExitUsage, "rename it"},
		{[]string{"plugin", "install"}, ExitUsage, "PATH"},
		{[]string{"plugin", "uninstall", "other"}, ExitUsage, "no such plugin"},
		{[]string{"plugin", "uninstall", "my-idea", "--kind", "both"}, ExitUsage, "solver, search or model"},
	} {
		code, stdout, stderr := hyfair(c.args...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.says) || strings.Count(stderr, "hyfair: ") != 1 {
			t.Errorf("%v: exit code %d, %q; want %d, %q", c.args, code, stderr, c.code, c.says)
		}
	}

	if err := os.WriteFile(in.Path, []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := hyfair("search", "../../../studies/loan", "--strategy", "my-idea", "--solver", "none", "--budget", "10it")
	if code != ExitUsage && code != ExitFailed || !strings.Contains(stderr, "not what was installed") || !strings.Contains(stderr, in.Path) || strings.Count(stderr, "hyfair: ") != 1 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if l := object[plugins.Listed](t, "plugins").Plugins; l[0].State != "changed" || l[0].Usable || !strings.Contains(l[0].Error, "hyfair plugin uninstall") {
		t.Errorf("%+v", l)
	}
	if out := object[plugins.Uninstalled](t, "plugin", "uninstall", "my-idea"); out.Path != in.Path {
		t.Errorf("%+v", out)
	}
	if l := object[plugins.Listed](t, "plugins").Plugins; len(l) != 0 {
		t.Errorf("%+v", l)
	}
}

// Without --json the next commands are printed.
func TestNewPrintsTheNextCommands(t *testing.T) {
	nothingElse(t)
	dir := t.TempDir()
	code, stdout, stderr := hyfair("plugin", "new", "solver", "my-solver", "--language", "python", "--dir", dir)
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{
		"solver my-solver, in " + filepath.Join(dir, "hyfair-solver-my-solver") + ": ", "main.py", "plugin.yaml",
		"\nNext:\n  cd " + dir + "\n", " plugin test ./hyfair-solver-my-solver   # ", "studies/loan --solvers my-solver,highs ", " --plugin-dir .",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("not printed: %q in\n%s", want, stdout)
		}
	}
	code, stdout, _ = hyfair("plugin", "install", plugintest.Build(t, "search-rw"))
	if code != ExitDone || !strings.HasPrefix(stdout, "strategy rw 1.0.0 installed: ") || !strings.HasSuffix(stdout, ", 1 file, pinned\n") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	code, stdout, _ = hyfair("plugin", "install", "--force", plugintest.Build(t, "search-rw"))
	if code != ExitDone || !strings.Contains(stdout, "in place of another") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	code, stdout, _ = hyfair("plugin", "uninstall", "rw", "--kind", "search")
	if code != ExitDone || !strings.HasPrefix(stdout, "strategy rw uninstalled: ") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}
