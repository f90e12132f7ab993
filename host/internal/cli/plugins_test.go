package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/plugins"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// pluginFolder holds discover/testdata/chameleon, which takes its kind and
// name from its file's name, under the names given; nothing else is found.
func pluginFolder(t *testing.T, names ...string) string {
	t.Helper()
	programs := map[string]string{}
	for _, n := range names {
		programs[n] = "host/internal/plugin/discover/testdata/chameleon"
	}
	dir := plugintest.Folder(t, programs)
	t.Setenv("HYFAIR_PLUGIN_DIR", "")
	t.Setenv("HYFAIR_DATA", "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	return dir
}

// hyfair runs the program.
func hyfair(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

func TestPluginsAreListedAndBrokenOnesToo(t *testing.T) {
	tier.NeedUsual(t)
	dir := pluginFolder(t, "hyfair-solver-good", "hyfair-solver-broken", "hyfair-search-walk")
	code, stdout, stderr := hyfair("plugins", "--json", "--plugin-dir", dir)
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var got struct {
		Plugins []struct {
			Name, Kind, Version, Path, State, Error string
			Forms                                   []string
			Options                                 []struct{ Name, Default, Help string }
			Presets                                 []struct {
				Name    string
				Options map[string]string
			}
			Libraries []struct{ Name, Version, Path string }
		}
		Searched []struct{ Path, Source string }
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(&got); err != nil || decoder.More() {
		t.Fatalf("not one JSON object (%v): %s", err, stdout)
	}
	if len(got.Plugins) != 3 || len(got.Searched) < 2 || got.Searched[0].Path != dir {
		t.Fatalf("%+v", got)
	}
	broken, good, walk := got.Plugins[0], got.Plugins[1], got.Plugins[2]
	if broken.Name != "broken" || !strings.Contains(broken.Error, "the plugin's own last words") || broken.State != "unpinned" {
		t.Errorf("broken plugin: %+v", broken)
	}
	if good.Name != "good" || good.Kind != "solver" || good.Version != "1.0.0" || good.Error != "" ||
		strings.Join(good.Forms, " ") != "network milp smt" || good.Path != filepath.Join(dir, "hyfair-solver-good") ||
		len(good.Options) != 1 || good.Options[0].Name != "order" || good.Options[0].Help == "" || good.Libraries[0].Version != "1.2" {
		t.Errorf("solver: %+v", good)
	}
	if walk.Kind != "strategy" || len(walk.Presets) != 2 || walk.Presets[1].Name != "walk+short" || walk.Presets[1].Options["rounds"] != "3" {
		t.Errorf("strategy: %+v", walk)
	}

	code, stdout, _ = hyfair("plugins", "--plugin-dir", dir)
	for _, want := range []string{"solver good 1.0.0", "milp: decide, maximise", "strategy walk", "walk+short", "rounds=0", "own last words", "--plugin-dir", "libexample 1.2"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the listing does not say %q:\n%s", want, stdout)
		}
	}
	if code != ExitDone {
		t.Errorf("exit code %d", code)
	}
}

func TestPluginsOfAnEmptyFolder(t *testing.T) {
	dir := pluginFolder(t)
	code, stdout, _ := hyfair("plugins", "--plugin-dir", dir)
	if code != ExitDone || !strings.Contains(stdout, dir) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if _, stdout, _ = hyfair("plugins", "--plugin-dir", dir, "--json"); !strings.Contains(stdout, `"plugins": []`) {
		t.Errorf("no plugins in JSON: %s", stdout)
	}
	if code, _, stderr := hyfair("plugins", "--plugin-dir", filepath.Join(dir, "absent")); code != ExitUsage || !strings.Contains(stderr, "absent") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, _, _ := hyfair("plugins", "surplus"); code != ExitUsage {
		t.Errorf("exit code %d for a surplus argument", code)
	}
}

func TestDoctor(t *testing.T) {
	dir, data := pluginFolder(t, "hyfair-solver-highs", "hyfair-solver-z3", "hyfair-search-walk"), t.TempDir()
	diagnose := func(args ...string) (code int, d plugins.Diagnosis, text string) {
		t.Helper()
		args = append(args, "--plugin-dir", dir)
		_, text, _ = hyfair(append([]string{"doctor"}, args...)...)
		code, out, _ := hyfair(append([]string{"doctor", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return code, d, text
	}
	code, d, text := diagnose("--data", data)
	if code != ExitDone || !d.OK || len(d.Advice) != 0 || !d.Data.Found || d.Machine.CPUs < 1 || !strings.Contains(text, "All is well.") {
		t.Errorf("exit code %d, %+v\n%s", code, d, text)
	}

	t.Setenv("TESTPLUGIN_NOLIB", "z3")
	code, d, text = diagnose("--data", filepath.Join(data, "absent"))
	advice := strings.Join(d.Advice, "\n")
	if code != ExitDone || !d.OK || d.Data.Found || !strings.Contains(advice, "apt-get install libexample") || !strings.Contains(advice, "absent") {
		t.Errorf("exit code %d, %+v", code, d)
	}
	if !strings.Contains(text, "MISSING  solver z3") || !strings.Contains(text, "ok       solver highs") {
		t.Errorf("%s", text)
	}

	t.Setenv("TESTPLUGIN_NOLIB", "z3,highs")
	code, d, text = diagnose()
	if code != ExitFailed || d.OK || !strings.Contains(text, "no solver can be used") || !strings.Contains(text, "not set") {
		t.Errorf("exit code %d, %+v\n%s", code, d, text)
	}

	dir = pluginFolder(t, "hyfair-solver-broken")
	code, d, text = diagnose()
	if code != ExitFailed || d.OK || !strings.Contains(text, "BROKEN") || !strings.Contains(text, "own last words") || !strings.Contains(text, "no strategy can be used") {
		t.Errorf("exit code %d, %+v\n%s", code, d, text)
	}
}
