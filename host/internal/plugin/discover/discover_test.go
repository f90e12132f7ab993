package discover

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// binary is the test plugin; its name decides what it is.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "discover")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "chameleon")
	if err := program.Build("host/internal/plugin/discover/testdata/chameleon", binary); err != nil {
		panic(err)
	}
	return m.Run()
}

// folder holds the test plugin under the names given.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		if err := os.Symlink(binary, filepath.Join(dir, n)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// only makes a catalogue of the folders given and of nothing else.
func only(t *testing.T, dirs ...string) *Catalogue {
	t.Helper()
	var places []Place
	for _, d := range dirs {
		places = append(places, Place{Path: d, Source: "test", Exists: true})
	}
	c, err := scan(places, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one that says %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the error does not say %q: %v", p, err)
		}
	}
}

func TestPlacesInOrder(t *testing.T) {
	flag, env, data := folder(t, "hyfair-solver-a"), folder(t, "hyfair-solver-b"), t.TempDir()
	write(t, filepath.Join(data, "hyfair", "plugins", "hyfair-search-c"), "#!/bin/sh\n", 0o755)
	t.Setenv(EnvDir, env)
	t.Setenv("XDG_DATA_HOME", data)
	c, err := New(flag, nil)
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, p := range c.Places {
		sources = append(sources, p.Source)
	}
	if got := strings.Join(sources, ", "); got != "--plugin-dir, $HYFAIR_PLUGIN_DIR, beside hyfair, user's data folder" {
		t.Errorf("places: %s", got)
	}
	var found []string
	for _, f := range c.Plugins {
		found = append(found, f.Kind.String()+" "+f.Name+" "+string(f.State))
	}
	if got := strings.Join(found, ", "); got != "solver a unpinned, solver b unpinned, strategy c unpinned" {
		t.Errorf("found: %s", got)
	}
	t.Setenv(EnvDir, flag)
	if c, err = New(flag, nil); err != nil || len(c.Plugins) != 2 {
		t.Errorf("the same folder in two places: %v, %+v", err, c.Plugins)
	}
	_, err = New(filepath.Join(flag, "nowhere"), nil)
	wantError(t, err, "--plugin-dir", "nowhere")
}

func TestFilesThatCannotBeStarted(t *testing.T) {
	dir := folder(t, "hyfair-solver-good", "hyfair-solver-", "unrelated")
	write(t, filepath.Join(dir, "hyfair-solver-plain"), "text", 0o644)
	write(t, filepath.Join(dir, "hyfair-search-folder", "README"), "text", 0o644)
	if err := os.Symlink("nowhere", filepath.Join(dir, "hyfair-solver-dangling")); err != nil {
		t.Fatal(err)
	}
	c := only(t, dir)
	want := map[string]State{"good": Unpinned, "plain": NotExecutable, "folder": Invalid, "dangling": Invalid}
	for _, f := range c.Plugins {
		if f.State != want[f.Name] || (f.Problem == nil) != (f.State == Unpinned) {
			t.Errorf("%s is %s (%v), want %s", f.Name, f.State, f.Problem, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	_, err := c.Open(t.Context(), client.Solver, "plain", nil)
	wantError(t, err, "not executable", "chmod +x")
	_, err = c.Open(t.Context(), client.Solver, "absent", nil)
	wantError(t, err, `solver "absent"`, "good", dir)
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("want ErrNotFound: %v", err)
	}
}

func TestNameOfferedTwice(t *testing.T) {
	one, two := folder(t, "hyfair-solver-a", "hyfair-search-a"), folder(t, "hyfair-solver-a")
	_, err := only(t, one, two).Open(t.Context(), client.Solver, "a", nil)
	wantError(t, err, filepath.Join(one, "hyfair-solver-a"), filepath.Join(two, "hyfair-solver-a"))
	p, err := only(t, one, two).Open(t.Context(), client.Strategy, "a", nil)
	if err != nil {
		t.Fatalf("a strategy of the same name: %v", err)
	}
	p.Close()
}

// A plugin in --plugin-dir wins over others of its name.
func TestPluginDirGoesFirst(t *testing.T) {
	flag, env, data := folder(t, "hyfair-solver-a"), folder(t, "hyfair-solver-a", "hyfair-solver-b"), t.TempDir()
	write(t, filepath.Join(data, "hyfair", "plugins", "hyfair-solver-b"), "#!/bin/sh\n", 0o755)
	t.Setenv(EnvDir, env)
	t.Setenv("XDG_DATA_HOME", data)
	c, err := New(flag, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := c.Find(client.Solver, "a"); err != nil || f.Path != filepath.Join(flag, "hyfair-solver-a") {
		t.Errorf("%s, %v", f.Path, err)
	}
	_, err = c.Find(client.Solver, "b")
	wantError(t, err, "offered 2 times", env, data)
	if c, err = New("", nil); err != nil {
		t.Fatal(err)
	}
	if f, err := c.Find(client.Solver, "a"); err != nil || f.Path != filepath.Join(env, "hyfair-solver-a") {
		t.Errorf("without the flag: %s, %v", f.Path, err)
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	program := func(text string) string {
		write(t, filepath.Join(dir, "hyfair-search-y", manifestName), text, 0o644)
		_, err := only(t, dir).Find(client.Strategy, "y")
		if err == nil {
			return ""
		}
		return err.Error()
	}
	write(t, filepath.Join(dir, "hyfair-search-y", "run.sh"), "#!/bin/sh\n", 0o644)
	for text, want := range map[string]string{
		"kind: strategy\ncommand: [sh, run.sh]\n":         "",
		"kind: strategy\nlanguage: python\ncommand: [sh]": "",
		"command: [sh]\n": "plugin.yaml:1: kind is missing",
		"# a comment\n\nkind: solver\ncommand: [sh]\n": `plugin.yaml:3: kind is "solver"; the folder's name says strategy`,
		"kind: strategy\n":                                                    "plugin.yaml:1: command is missing",
		"kind: strategy\ncommand: []\n":                                       "plugin.yaml:2: command is missing",
		"kind: strategy\nlanguage: go\ncomand: [sh]\n":                        "plugin.yaml:3: ",
		"kind: strategy\ncommand: {a: b}\n":                                   "plugin.yaml:2: ",
		"kind: [\n":                                                           "plugin.yaml:1: ",
		"kind: strategy\ncommand: [./run.sh]\n":                               "plugin.yaml:2: command:",
		"kind: strategy\ncommand: [./absent.sh]\n":                            "plugin.yaml:2: command:",
		"kind: strategy\ncommand: [no-such-program-anywhere]\n":               "plugin.yaml:2: command:",
		"kind: strategy\ncommand: [sh]\n#" + strings.Repeat("x", maxManifest): "larger than",
	} {
		if got := program(text); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%.60q gives %q, want %q", text, got, want)
		}
	}
}

func TestFolderPluginStarts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "hyfair-solver-packed", manifestName), "kind: solver\nlanguage: go\ncommand: [bin/it, hyfair-solver-packed]\n", 0o644)
	write(t, filepath.Join(dir, "hyfair-solver-packed", "bin", "note"), "", 0o644)
	if err := os.Symlink(binary, filepath.Join(dir, "hyfair-solver-packed", "bin", "it")); err != nil {
		t.Fatal(err)
	}
	p, err := only(t, dir).Open(t.Context(), client.Solver, "packed", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.Found.Language != "go" || p.Description().Name != "packed" {
		t.Errorf("%+v", p.Found)
	}
}

func TestPluginsThatAreNotWhatTheySay(t *testing.T) {
	dir := folder(t, "hyfair-solver-liar", "hyfair-solver-broken", "hyfair-solver-good")
	script := filepath.Join(dir, "hyfair-solver-strategy")
	if err := os.Symlink("/bin/true", script); err != nil {
		t.Fatal(err)
	}
	c := only(t, dir)
	_, err := c.Open(t.Context(), client.Solver, "liar", nil)
	wantError(t, err, "somebody-else", "liar")
	_, err = c.Open(t.Context(), client.Solver, "broken", nil)
	wantError(t, err, "hyfair-solver-broken", "the plugin's own last words")

	usable := map[string]bool{}
	for _, l := range c.List(t.Context()) {
		usable[l.Name] = l.Usable()
		if (l.Err == nil) != l.Usable() {
			t.Errorf("%s: usable %v, error %v", l.Name, l.Usable(), l.Err)
		}
	}
	if len(usable) != 4 || !usable["good"] || usable["liar"] || usable["broken"] || usable["strategy"] {
		t.Errorf("usable: %v", usable)
	}
}

func TestStrategiesAndPresets(t *testing.T) {
	tier.NeedUsual(t)
	c := only(t, folder(t, "hyfair-search-sa", "hyfair-search-rw", "hyfair-search-plain", "hyfair-search-broken"))
	for _, k := range []struct {
		name, plugin, preset, rounds string
		set                          map[string]string
	}{
		{name: "sa", plugin: "sa", preset: "sa"},
		{name: "sa+short", plugin: "sa", preset: "sa+short", rounds: "3"},
		{name: "sa+short", plugin: "sa", preset: "sa+short", rounds: "5", set: map[string]string{"rounds": "5"}},
		{name: "rw+short", plugin: "rw", preset: "rw+short", rounds: "7", set: map[string]string{"rw.rounds": "7"}},
		{name: "plain", plugin: "plain"},
	} {
		p, err := c.Open(t.Context(), client.Strategy, k.name, k.set)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		if p.Found.Name != k.plugin || p.Preset != k.preset || p.Options["rounds"] != k.rounds {
			t.Errorf("%s %v: plugin %s, preset %q, options %v", k.name, k.set, p.Found.Name, p.Preset, p.Options)
		}
		p.Close()
	}
	_, err := c.Open(t.Context(), client.Strategy, "sa+knn", nil)
	wantError(t, err, `strategy "sa+knn"`, "sa+short", "rw", "plain", "the plugin's own last words")
	_, err = c.Open(t.Context(), client.Strategy, "broken", nil)
	wantError(t, err, "hyfair-search-broken", "ended at its start")
	_, err = c.Open(t.Context(), client.Strategy, "sa", map[string]string{"speed": "9"})
	wantError(t, err, "--set speed", "rounds=0", "rounds until the search ends")
	if !errors.Is(err, sdk.ErrInvalidOption) {
		t.Errorf("want ErrInvalidOption: %v", err)
	}
	thieves := only(t, folder(t, "hyfair-search-sa", "hyfair-search-thief"))
	p, err := thieves.Open(t.Context(), client.Strategy, "sa", nil)
	if err != nil || p.Found.Name != "sa" { // its own name
		t.Fatal(err)
	}
	p.Close()
	_, err = thieves.Open(t.Context(), client.Strategy, "sa+short", nil)
	wantError(t, err, "hyfair-search-sa", "hyfair-search-thief")
}

func TestOptionsAreShared(t *testing.T) {
	c := only(t, folder(t, "hyfair-solver-highs", "hyfair-search-sa"))
	solver, err := c.Launch(t.Context(), client.Solver, "highs")
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	strategy, err := c.Launch(t.Context(), client.Strategy, "sa")
	if err != nil {
		t.Fatal(err)
	}
	defer strategy.Close()
	if err := Configure(map[string]string{"rounds": "4", "highs.order": "down"}, solver, strategy); err != nil {
		t.Fatal(err)
	}
	if len(solver.Options) != 1 || solver.Options["order"] != "down" || len(strategy.Options) != 1 || strategy.Options["rounds"] != "4" {
		t.Errorf("solver %v, strategy %v", solver.Options, strategy.Options)
	}
	wantError(t, Configure(map[string]string{"sa.order": "down"}, solver, strategy), "--set sa.order", "order=up", "rounds=0")
}

func TestDefaultSolver(t *testing.T) {
	c := only(t, folder(t, "hyfair-solver-z3", "hyfair-solver-bnb", "hyfair-solver-highs", "hyfair-solver-aaa"))
	choose := func(form problem.Form, goals ...problem.Goal) string {
		t.Helper()
		p, err := c.DefaultSolver(context.Background(), nil, form, goals...)
		if err != nil {
			return err.Error()
		}
		defer p.Close()
		return p.Found.Name
	}
	if got := choose(problem.FormNetwork, problem.Decide); got != "bnb" {
		t.Errorf("network: %s", got)
	}
	if got := choose(problem.FormMILP, problem.Decide, problem.Maximise); got != "highs" {
		t.Errorf("milp: %s", got)
	}
	t.Setenv("TESTPLUGIN_NOLIB", "highs")
	if got := choose(problem.FormMILP, problem.Decide); got != "z3" {
		t.Errorf("milp without the library of highs: %s", got)
	}
	t.Setenv("TESTPLUGIN_NOLIB", "highs,z3")
	wantError(t, errors.New(choose(problem.FormMILP, problem.Decide)),
		"bnb: does not serve decide in the milp form", "highs: library libexample was not found; to install it: apt-get install libexample", "lpsolve: not installed")
	_, err := c.DefaultSolver(t.Context(), map[string]string{"nonsense": "1"}, problem.FormNetwork, problem.Decide)
	wantError(t, err, "--set nonsense")
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte("kind: solver\nlanguage: python\ncommand: [python3, main.py]\n"))
	f.Add([]byte("kind: &a [*a]\n"))
	f.Add([]byte("{"))
	f.Add([]byte("kind: solver\ncommand: !tag "))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text, client.Solver)
		if err == nil && (m.Kind != "solver" || len(m.Command) == 0) {
			t.Errorf("taken: %+v", m)
		}
	})
}
