//go:build unix

package pythontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// A plugin that cannot start gives one error that says why.
func TestStartErrors(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	bare := filepath.Join(t.TempDir(), "bare")
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", bare).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bare = filepath.Join(bare, "bin", "python")
	// A Python that takes itself for an old one.
	old := t.TempDir()
	write(t, filepath.Join(old, "sitecustomize.py"), "import sys\nsys.version_info = (3, 8, 18)\n")

	direct := func(python string) client.Config {
		c := script(client.Strategy)
		c.Path = python
		return c
	}
	run := func(env ...string) client.Config {
		c := example(t, "minimal", client.Strategy)
		c.Env = env
		return c
	}
	for name, c := range map[string]struct {
		config client.Config
		is     error
		want   []string
	}{
		"exception while loading":     {script(client.Strategy, "TROUBLE=import"), sdk.ErrPluginExited, []string{"ended at its start (exit status 1)", "No module named 'no_such_module_anywhere'"}},
		"exception in describe":       {script(client.Strategy, "TROUBLE=describe"), sdk.ErrIncompatible, []string{"failed to describe itself: incompatible: no licence"}},
		"plugin of the other kind":    {client.Config{Path: python, Args: []string{"testdata/strategy.py"}, Kind: client.Solver, NoTLS: true}, sdk.ErrIncompatible, []string{"does not serve the solver interface"}},
		"interpreter that is none":    {direct(filepath.Join(bare, "..", "no-such-python")), sdk.ErrPluginExited, []string{"could not be started", "no-such-python"}},
		"no grpcio":                   {direct(bare), sdk.ErrPluginExited, []string{bare + " cannot load what a plugin of hyfair needs (No module named 'grpc')", bare + " -m pip install"}},
		"no hyfair":                   {client.Config{Path: python, Args: []string{"-I", "-S", "testdata/strategy.py"}, Kind: client.Strategy, NoTLS: true}, sdk.ErrPluginExited, []string{"No module named 'hyfair'"}},
		"old Python":                  {script(client.Strategy, "PYTHONPATH="+old+":"+os.Getenv("PYTHONPATH")), sdk.ErrPluginExited, []string{"hyfair needs Python 3.9 or newer", "is Python 3.8"}},
		"run: no such Python":         {run("HYFAIR_PYTHON=/no/such/python"), sdk.ErrPluginExited, []string{"no Python can run this plugin", "/no/such/python is not there"}},
		"run: no such Python by name": {run("HYFAIR_PYTHON=no-such-python"), sdk.ErrPluginExited, []string{"no-such-python is not there"}},
		"run: no grpcio":              {run("HYFAIR_PYTHON=" + bare), sdk.ErrPluginExited, []string{bare + " has no module grpc, google.protobuf", "install with pip"}},
		"run: old Python":             {run("PYTHONPATH=" + old), sdk.ErrPluginExited, []string{"is Python 3.8; 3.9 or newer is needed"}},
		"run: no program at all":      {run("HYFAIR_PYTHON=", "PATH=/no/such/folder:/usr/bin:/bin", "VIRTUAL_ENV=", "PYTHONPATH="+old), sdk.ErrPluginExited, []string{"is Python 3.8"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := client.Launch(t.Context(), c.config)
			if err == nil {
				p.Close()
				t.Fatal("it was launched")
			}
			errorIs(t, err, c.is)
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\ndoes not say %q", err, want)
				}
			}
			if lines := strings.Count(err.Error(), "\n"); lines > 20 {
				t.Errorf("%d lines:\n%v", lines, err)
			}
		})
	}
}

func TestByHand(t *testing.T) {
	need(t)
	cmd := exec.Command(python, "testdata/solver.py")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v; want exit code 1", err)
	}
	if stdout.Len() > 0 || !strings.Contains(stderr.String(), "solver.py is a solver plugin of hyfair and is started by hyfair, not by hand") {
		t.Errorf("it printed %q and %q", stdout.String(), stderr.String())
	}
}

// Of several Pythons, the first that will do is taken.
func TestRunLooksOn(t *testing.T) {
	need(t)
	dir := t.TempDir()
	bare := filepath.Join(dir, "bare")
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", bare).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The active environment lacks grpcio; the tree's own has it.
	c := example(t, "minimal", client.Strategy)
	c.Env = []string{"HYFAIR_PYTHON=", "VIRTUAL_ENV=" + bare, "PYTHONPATH="}
	if d := launch(t, c).Description(); d.Name != "minimal" {
		t.Errorf("%+v", d)
	}

	// A copy elsewhere, whose path has blanks, in the hands of its own .venv.
	copied := filepath.Join(dir, "my plugins", "hyfair-search-minimal")
	if err := os.CopyFS(copied, os.DirFS("../examples/minimal")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(copied, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(copied, ".venv", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(copied, ".venv", "bin", "python"), "#!/bin/sh\nexec "+python+" \"$@\"\n")
	c = client.Config{Path: filepath.Join(copied, "run"), Dir: copied, Kind: client.Strategy, NoTLS: true,
		Env: []string{"HYFAIR_PYTHON=", "VIRTUAL_ENV=" + bare, "PATH=/usr/bin:/bin"}}
	if d := launch(t, c).Description(); d.Name != "minimal" {
		t.Errorf("%+v", d)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
