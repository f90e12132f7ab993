package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/plugins"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestMain lets the tests' own program stand for the workers of experiments.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "work" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	plugintest.Main(m)
}

// tested runs hyfair plugin test --json.
func tested(t *testing.T, args ...string) (out plugins.Tested, code int, stderr string) {
	t.Helper()
	args = append([]string{"plugin", "test", "--json"}, args...)
	code, stdout, stderr := hyfair(args...)
	validJSON(t, args, stdout)
	if code > ExitFailed || stdout == "" {
		return out, code, stderr
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(&out); err != nil || decoder.More() {
		t.Fatalf("not one JSON object (%v): %s", err, stdout)
	}
	return out, code, stderr
}

// Every plugin of this repository passes, from its file.
func TestPluginsPassTheSuite(t *testing.T) {
	tier.NeedUsual(t)
	libraries, err := filepath.Abs("../../../.deps/lib")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("HYFAIR_LIB_DIR") == "" {
		t.Setenv("HYFAIR_LIB_DIR", libraries)
	}
	for name, least := range map[string]int{"search-rw": 15, "search-sa": 15, "search-climb": 15, "search-ga": 15, "search-grad": 15, "solver-highs": 30, "solver-lpsolve": 30, "solver-z3": 15} {
		t.Run(name, func(t *testing.T) {
			if tier.NeedUsual(t); name != "search-rw" {
				tier.NeedLong(t) // the tests of each plugin ask the suite, too
			}
			out, code, stderr := tested(t, plugintest.Build(t, name))
			if code == ExitFailed && strings.Contains(stderr, "cannot be tested") && os.Getenv("CI") == "" {
				t.Skipf("SKIPPED %s: %s", t.Name(), stderr)
			}
			if code != ExitDone || !out.OK || out.Failed != 0 || out.Passed < least || len(out.Cases) != out.Passed+out.Skipped {
				t.Fatalf("exit code %d, %s: %+v", code, stderr, out)
			}
			t.Logf("%d passed, %d skipped in %.1f s", out.Passed, out.Skipped, out.Seconds)
		})
	}
}

// A solver is found out by its answers, whether it is named or pointed at.
func TestPluginThatLiesFails(t *testing.T) {
	dir := rogueFolder(t, "rogue")
	path := filepath.Join(dir, "hyfair-solver-rogue")
	if out, code, stderr := tested(t, path, "--case", "milp/feasible,milp/infeasible"); code != ExitDone || !out.OK || out.Passed != 2 {
		t.Errorf("the rogue that behaves: exit code %d, %s: %+v", code, stderr, out)
	}
	if out, code, stderr := tested(t, path, "--case", "milp/[fi]*", "--exclude", "milp/i*,milp/f*s"); code != ExitDone || !out.OK || out.Passed != 1 || out.Skipped < 1 ||
		out.Cases[0].Name != "milp/feasible" {
		t.Errorf("with patterns: exit code %d, %s: %+v", code, stderr, out)
	}
	out, code, stderr := tested(t, "rogue", "--plugin-dir", dir, "--set", "mode=infeasible", "--case", "milp/feasible", "--case", "milp/infeasible")
	if code != ExitFailed || stderr != "" || out.OK || out.Failed != 1 || out.Passed != 1 ||
		out.Cases[0].Verdict != "failed" || !strings.Contains(out.Cases[0].Why, "infeasible is claimed") {
		t.Errorf("exit code %d, %s: %+v", code, stderr, out)
	}
	code, stdout, _ := hyfair("plugin", "test", path, "--set", "mode=exit", "--case", "milp/feasible,milp/concurrent,smt/maximise")
	for _, want := range []string{"solver rogue 1.0.0, " + path, "\nFAIL  milp/feasible (", " s): ", "\nskip  smt/maximise: maximise of the smt form is not claimed\n", " failed, 1 skipped in ",
		"\nit declares its proofs exact: in the milp form their verdicts are numerical nevertheless"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("not printed: %q in\n%s", want, stdout)
		}
	}
	if lines := strings.Count(stdout, "\n"); code != ExitFailed || lines != 6 {
		t.Errorf("exit code %d, %d lines", code, lines)
	}
}

func TestPluginTestRefuses(t *testing.T) {
	dir := pluginFolder(t, "hyfair-solver-twin", "hyfair-search-twin", "hyfair-solver-bare", "hyfair-solver-broken", "hyfair-solver-liar")
	t.Setenv("TESTPLUGIN_NOLIB", "bare")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho hello\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "hyfair-solver-plain")
	if err := os.WriteFile(plain, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"bare"}, ExitFailed, "solver bare cannot be tested: libexample not found; to install it: apt-get install libexample"},
		{[]string{"broken"}, ExitFailed, "the plugin's own last words"},
		{[]string{"liar"}, ExitFailed, `calls itself "somebody-else"`},
		{[]string{script, "--kind", "solver"}, ExitFailed, `printed "hello" where its handshake should be`},
		{[]string{filepath.Join(dir, "hyfair-search-twin"), "--kind", "solver"}, ExitFailed, "it is a plugin of another kind"},
		{[]string{plain}, ExitFailed, "not executable"},
		{[]string{script}, ExitUsage, "--kind"},
		{[]string{"./nowhere"}, ExitUsage, "nowhere"},
		{[]string{"absent"}, ExitUsage, `"absent"`},
		{[]string{"twin"}, ExitUsage, "say which with --kind"},
		{[]string{"twin", "--kind", "both"}, ExitUsage, "want solver, search or model"},
		{[]string{"twin", "--kind", "solver", "--set", "colour=red"}, ExitUsage, "--set colour"},
		{[]string{"twin", "--kind", "solver", "--case", "milp/none"}, ExitUsage, "there is no such case"},
		{[]string{"twin", "--kind", "solver", "--exclude", "milp"}, ExitUsage, "there is no such case"},
		{nil, ExitUsage, "PATH|NAME"},
	} {
		code, stdout, stderr := hyfair(append([]string{"plugin", "test", "--plugin-dir", dir, "--json"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.says) || stdout != "" || strings.Count(stderr, "hyfair: ") != 1 {
			t.Errorf("%v: exit code %d, %q on standard error; want %d, %q", c.args, code, stderr, c.code, c.says)
		}
	}
	if out, code, stderr := tested(t, "twin", "--kind", "search", "--plugin-dir", dir, "--case", "describe"); code != ExitDone || out.Kind != "strategy" {
		t.Errorf("exit code %d, %s: %+v", code, stderr, out)
	}
	if code, _, stderr := hyfair("plugin", "fly"); code != ExitUsage || !strings.Contains(stderr, `"plugin fly"`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
