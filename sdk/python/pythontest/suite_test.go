//go:build unix

package pythontest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
)

// TestPytest runs the package's and the examples' own tests.
func TestPytest(t *testing.T) {
	tier.NeedUsual(t)
	needModule(t, "pytest")
	cmd := exec.Command(python, "-m", "pytest", "-p", "no:cacheprovider")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func TestExamplesConform(t *testing.T) {
	tier.NeedUsual(t)
	for name, c := range map[string]struct {
		kind    client.Kind
		modules []string
	}{
		"minimal":             {client.Strategy, nil},
		"hyfair-search-cem":   {client.Strategy, nil},
		"hyfair-solver-scipy": {client.Solver, []string{"numpy", "scipy"}},
	} {
		t.Run(name, func(t *testing.T) {
			need(t)
			for _, m := range c.modules {
				needModule(t, m)
			}
			config := example(t, name, c.kind, c.modules...)
			p := launch(t, config)
			o := conformance.Options{
				NewStrategy: func(context.Context) (sdk.Strategy, error) { return launch(t, config).Strategy(), nil },
				NewSolver:   func(context.Context) (sdk.Solver, error) { return launch(t, config).Solver(), nil },
			}
			if c.kind == client.Strategy {
				conformance.Strategy(t, p.Strategy(), o)
			} else {
				if !tier.Long() {
					const why = "make test-long asks; it takes long"
					o.Exclude = map[string]string{"milp/twice": why, "milp/work-limit": why}
				}
				conformance.Solver(t, p.Solver(), o)
			}
		})
	}
}

// The first thing that an author reads works as it stands.
func TestReadmeConforms(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(text), "```python\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("README.md has no program")
	}
	path := filepath.Join(t.TempDir(), "lucky.py")
	write(t, path, code)
	p := launch(t, client.Config{Path: python, Args: []string{path}, Kind: client.Strategy, NoTLS: true})
	conformance.Strategy(t, p.Strategy(), conformance.Options{})
}

// A plugin that was written for version 1.0 of the package runs unchanged, and standard error
// says what has moved.
func TestOldNamesConform(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	old := client.Config{Path: python, Args: []string{"-W", "default::DeprecationWarning", filepath.Join("testdata", "old.py")}, Kind: client.Strategy, NoTLS: true}
	conformance.Strategy(t, launch(t, old).Strategy(), conformance.Options{})
	cmd := exec.Command(old.Path, old.Args...)
	out, _ := cmd.CombinedOutput()
	for _, want := range []string{"hyfair.serve has moved to hyfair.plugin.serve", "hyfair.Strategy has moved to hyfair.plugin.Strategy"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

// The examples are copied to become plugins, so each has its own way to find a
// Python; it is the same one.
func TestExamplesStartAlike(t *testing.T) {
	paths, err := filepath.Glob("../examples/*/run")
	if err != nil || len(paths) < 3 {
		t.Fatalf("%v, %v", paths, err)
	}
	first, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths[1:] {
		text, err := os.ReadFile(path)
		if err != nil || string(text) != string(first) {
			t.Errorf("%s and %s differ (%v)", paths[0], path, err)
		}
	}
}

// Where nothing says that a plugin cannot do TLS, it is found out.
func TestRelaunchedWithoutTLS(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	c := script(client.Strategy)
	c.NoTLS = false
	if d := launch(t, c).Description(); d.Name != "trouble" || d.Version != "1.2.3" || d.Lag != 3 || len(d.Presets) != 1 || !d.NeedsRows {
		t.Errorf("%+v", d)
	}
}
