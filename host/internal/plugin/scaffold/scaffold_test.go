package scaffold

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
)

var kinds = []client.Kind{client.Strategy, client.Solver, client.Model}

// root is the repository's.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func written(t *testing.T, r Request) *Project {
	t.Helper()
	p, err := Write(r, "hyfair")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// offline runs the go command in the project, without a network and without
// leave to change go.mod.
func offline(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// A Go project builds without a network, is clean, passes its own tests, and
// its plugin is found and passes the suite.
func TestGoProjects(t *testing.T) {
	tier.NeedLong(t) // TestGuideCommands does most of this in each run
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			p := written(t, Request{Kind: kind, Name: "my-idea", Language: Go, Dir: filepath.Join(t.TempDir(), "new", "with space")})
			if p.SDK != root(t) || p.InTree || !p.Bundles() {
				t.Errorf("built against %q, in the tree: %v, with a copy: %v", p.SDK, p.InTree, p.Bundles())
			}
			// On a colleague's machine the folder stands elsewhere, and the tree is not there.
			moved := filepath.Join(t.TempDir(), "moved")
			if err := os.Rename(p.Path, moved); err != nil {
				t.Fatal(err)
			}
			if p.Path = moved; mentions(t, moved, root(t)) {
				t.Errorf("%s is named in the project's Go files", root(t))
			}
			if out, err := exec.Command("gofmt", "-l", p.Path).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("gofmt: %v %s", err, out)
			}
			offline(t, p.Path, strings.Fields(p.Build())[1:]...)
			offline(t, p.Path, "vet", ".")
			offline(t, p.Path, "test", ".")
			passes(t, filepath.Join(p.Path, "bin"), kind, "my-idea", discover.Unpinned)
		})
	}
}

// mentions reports whether a file that Go builds the project from holds the text.
func mentions(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".mod", ".s"}, filepath.Ext(path)) {
			return err
		}
		content, err := os.ReadFile(path)
		found = found || strings.Contains(string(content), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A project in hyfair's own tree is part of its module.
func TestGoProjectInTheTree(t *testing.T) {
	tree := t.TempDir()
	for _, name := range []string{"sdk", "internal", "go.sum"} {
		if err := os.Symlink(filepath.Join(root(t), name), filepath.Join(tree, name)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "go.mod"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(tree)
	for _, r := range []Request{{Name: "one"}, {Name: "two", Dir: "plugins"}} {
		r.Kind, r.Language = client.Strategy, Go
		p := written(t, r)
		if want := filepath.Join(tree, "plugins", "search-"+r.Name); p.Path != want || !p.InTree || slices.Contains(p.Files, "go.mod") {
			t.Errorf("%+v; want it in %s", p, want)
		}
		if want := "go build -o bin/plugins/hyfair-search-" + r.Name + " ./plugins/search-" + r.Name; p.Build() != want {
			t.Errorf("built by %s, want %s", p.Build(), want)
		}
	}
	text, err = os.ReadFile(filepath.Join(tree, "plugins", "search-one", "compare.yaml"))
	if err != nil || !strings.Contains(string(text), "study: ../../studies/loan\n") {
		t.Errorf("%v: %s", err, text)
	}
	// Elsewhere in the tree it is a module of its own.
	if p := written(t, Request{Kind: client.Strategy, Name: "three", Language: Go, Dir: "mine"}); p.InTree || p.SDK != tree || !slices.Contains(p.Files, "go.mod") {
		t.Errorf("%+v", p)
	}
}

// passes runs the suite on the plugin as the host finds it.
func passes(t *testing.T, dir string, kind client.Kind, name string, state discover.State) {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv(discover.EnvDir, "")
	c, err := discover.New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	launch := func() *discover.Plugin {
		p, err := c.Open(t.Context(), kind, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	p := launch()
	if p.Found.State != state {
		t.Errorf("it is %s", p.Found.State)
	}
	var report *conformance.Report
	least := 19
	switch kind {
	case client.Strategy:
		report, err = conformance.CheckStrategy(t.Context(), p.Strategy(), conformance.Options{
			NewStrategy: strategies(launch)}, nil)
	case client.Solver:
		report, err = conformance.CheckSolver(t.Context(), p.Solver(), conformance.Options{NewSolver: solvers(launch)}, nil)
	case client.Model:
		least = len(conformance.ModelCases())
		report, err = conformance.CheckModel(t.Context(), p.Model(), conformance.Options{NewModel: models(launch)}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range report.Outcomes {
		if o.Verdict == conformance.Failed {
			t.Errorf("%s: %s", o.Case, o.Why)
		}
	}
	if n := report.Count(conformance.Passed); n < least {
		t.Errorf("only %d cases passed", n)
	}
	if d := report.Description; kind == client.Strategy && (d.Lag != 1 || len(d.Presets) != 2 || d.Presets[1].Name != name+"+strict") {
		t.Errorf("%+v", d)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	for language, name := range map[Language]string{Go: "search-mine", Python: "hyfair-search-mine"} {
		mine := filepath.Join(dir, name)
		if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(Request{Kind: client.Strategy, Name: "mine", Language: language, Dir: dir}, "hyfair"); err == nil || !strings.Contains(err.Error(), mine) {
			t.Errorf("%s: %v", language, err)
		}
		if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for says, r := range map[string]Request{
		"no template":                         {Kind: client.Strategy, Name: "a", Language: "perl", Dir: dir},
		"does not hold the sources of hyfair": {Kind: client.Solver, Name: "a", Language: Go, Dir: dir, SDK: dir},
		"lower-case letters":                  {Kind: client.Solver, Name: "A", Language: Go, Dir: dir},
	} {
		if _, err := Write(r, "hyfair"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "my-idea", "sa2", "x-1-y"} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "My-Idea", "2fast", "-a", "a-", "a--b", "a_b", "a.b", "sa+knn", "a b", "../a", "a/b", "ä", "none", "a\n", strings.Repeat("a", maxName+1)} {
		if err := CheckName(name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

// A Python project needs nothing built; its folder is the plugin. Installed,
// and so away from where it was made, it runs as well.
func TestPythonProjects(t *testing.T) {
	tier.NeedUsual(t)
	needPython(t)
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			if kind != client.Strategy {
				tier.NeedLong(t)
			}
			dir := filepath.Join(t.TempDir(), "with space")
			p := written(t, Request{Kind: kind, Name: "my-idea", Language: Python, Dir: dir})
			if out, err := exec.Command(filepath.Join(p.Path, "run"), "--test").CombinedOutput(); err != nil || !strings.Contains(string(out), "\nOK") {
				t.Errorf("its own tests: %v\n%s", err, out)
			}
			passes(t, dir, kind, "my-idea", discover.Unpinned)
			if step := p.Steps[1]; step.Command != "./"+p.File+"/run --test" {
				t.Errorf("after the first step comes %+v", step)
			}
			testsAsItRuns(t, p)
			installed := t.TempDir()
			if in, err := discover.Install(t.Context(), p.Path, installed, false, nil); err != nil || in.Files != len(p.Files) {
				t.Fatalf("%+v, %v", in, err)
			}
			passes(t, installed, kind, "my-idea", discover.Pinned)
			passes(t, installed, kind, "my-idea", discover.Pinned) // running it has changed nothing
		})
	}
}

// testsAsItRuns checks that run --test uses the modules that plugin.yaml lists, and passes
// its arguments on to unittest.
func testsAsItRuns(t *testing.T, p *Project) {
	t.Helper()
	manifest := filepath.Join(p.Path, "plugin.yaml")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	for command, lacking := range map[string]string{
		"command: [./run, json, 'absent.module']  # needs":            "absent.module",
		"command:\n  - ./run\n  # of two\n  - json\n  - absent_too\n": "absent_too",
		"command:\n- ./run\n- \"absent\"":                             "absent",
		"command: [\n  ./run,\n  json, decimal,\n]":                   "",
	} {
		changed := strings.Replace(string(text), "command: [./run]", command, 1)
		if err := os.WriteFile(manifest, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(filepath.Join(p.Path, "run"), "--test", "-v", "-k", "out_of_range", "-k", "infeasible", "-k", "more_income").CombinedOutput()
		if says := string(out); lacking == "" && (err != nil || !strings.Contains(says, "Ran 1 test ")) || lacking != "" && !strings.Contains(says, "has no module "+lacking+"\n") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	if err := os.WriteFile(manifest, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// What starts a Python project is what starts the SDK's examples, with one more
// place to look at.
func TestPythonIsLookedForAsInTheExamples(t *testing.T) {
	want, err := os.ReadFile(filepath.Join(root(t), "sdk", "python", "examples", "minimal", "run"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := fill("templates/common/run.tmpl", &Project{Request: Request{Language: Python}})
	if err != nil || got != string(want) {
		t.Errorf("%v: the template run.tmpl is no longer sdk/python/examples/minimal/run:\n%s", err, got)
	}
}

// Without a tree on the machine, Go needs a published version, and Python a
// package.
func TestWithoutTheSources(t *testing.T) {
	p := &Project{Request: Request{Kind: client.Strategy, Name: "x", Language: Python, Dir: "/d"}, File: "hyfair-search-x", Path: "/d/hyfair-search-x"}
	files, err := p.render("hyfair")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.name == "compare.yaml" && !strings.Contains(f.text, "study: STUDY.yaml") || f.name == "run" && strings.Contains(f.text, "tree=") {
			t.Errorf("%s:\n%s", f.name, f.text)
		}
	}
	p.Language, p.version = Go, "v1.2.3"
	module, sums, err := p.module()
	if err != nil || sums != "" || !strings.Contains(module, "require "+modulePath+" v1.2.3\n") || strings.Contains(module, "replace") {
		t.Errorf("%v, %q:\n%s", err, sums, module)
	}
}

// A project requires hyfair's version, which any machine can fetch. It has a replace, with the
// reason, only if --sdk is given or the version cannot be fetched. Then it leads to a copy in
// the project.
func TestGoProjectsBuildElsewhere(t *testing.T) {
	for _, c := range []struct {
		name, version string
		asked         bool
		want          []string
		not           string
	}{
		{"released", "v1.2.3", false, []string{"require " + modulePath + " v1.2.3\n"}, "replace"},
		{"released, with --sdk", "v1.2.3", true, []string{"require " + modulePath + " v1.2.3\n", "as given by", "\nreplace " + modulePath + " => " + root(t) + "\n"}, "development"},
		{"development", "", false, []string{"require " + modulePath + " v0.0.0\n", "// This hyfair is a development build", "\nreplace " + modulePath + " => ./hyfair\n"}, root(t)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Project{Request: Request{Kind: client.Strategy, Name: "x", Language: Go, Dir: "/d", SDK: root(t)}, File: "hyfair-search-x", Path: "/d/search-x", version: c.version, asked: c.asked}
			files, err := p.render("hyfair")
			if err != nil {
				t.Fatal(err)
			}
			text := map[string]string{}
			for _, f := range files {
				text[f.name] = f.text
			}
			for _, want := range c.want {
				if !strings.Contains(text["go.mod"], want) {
					t.Errorf("no %q in\n%s", want, text["go.mod"])
				}
			}
			if strings.Contains(text["go.mod"], c.not) {
				t.Errorf("%q in\n%s", c.not, text["go.mod"])
			}
			local := strings.Contains(text["go.mod"], "replace")
			if fetches := strings.Contains(text["README.md"], "go mod tidy"); fetches == local || strings.Contains(text["README.md"], "`replace`") != local {
				t.Errorf("the README does not go with it:\n%s", text["README.md"])
			}
		})
	}
}

func strategies(launch func() *discover.Plugin) func(context.Context) (sdk.Strategy, error) {
	return func(context.Context) (sdk.Strategy, error) { return launch().Strategy(), nil }
}

func models(launch func() *discover.Plugin) func(context.Context) (sdk.Model, error) {
	return func(context.Context) (sdk.Model, error) { return launch().Model(), nil }
}

func solvers(launch func() *discover.Plugin) func(context.Context) (sdk.Solver, error) {
	return func(context.Context) (sdk.Solver, error) { return launch().Solver(), nil }
}
