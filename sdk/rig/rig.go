// Package rig holds what the tests of plugins share. The test program itself serves as
// the plugin, in a separate process, so that nothing has to be built first:
//
//	func TestMain(m *testing.M) { rig.Main(m, main) }
//
//	func TestConformance(t *testing.T) { rig.Conformance(t, client.Strategy) }
package rig

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

// serves is the environment variable that makes a test program serve the plugin.
const serves = "HYFAIR_TEST_SERVES"

// Main is a plugin's TestMain; plugin is its main function.
func Main(m *testing.M, plugin func()) {
	if os.Getenv(serves) != "" {
		plugin()
		return
	}
	os.Exit(m.Run())
}

// MainWithLibraries is Main for a plugin that binds native libraries. If the environment
// variable native.EnvDir is not set, the plugin looks for them in the given folder: a test
// program is not in the tree, so it would not find the tree's libraries.
func MainWithLibraries(m *testing.M, plugin func(), folder string) {
	if os.Getenv(native.EnvDir) == "" {
		if dir, err := filepath.Abs(folder); err == nil {
			os.Setenv(native.EnvDir, dir)
		}
	}
	Main(m, plugin)
}

// Launch starts the plugin as the host does, and ends it with the test. The test's
// package must call Main.
func Launch(t testing.TB, kind client.Kind) *client.Plugin {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.Launch(t.Context(), client.Config{Path: self, Kind: kind, Env: []string{serves + "=1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// Conformance runs the conformance suite on the plugin over the wire. Cases that compare
// the answers of two processes start a second one.
func Conformance(t *testing.T, kind client.Kind) {
	t.Helper()
	p := Launch(t, kind)
	o := conformance.Options{
		NewSolver:   func(context.Context) (sdk.Solver, error) { return Launch(t, kind).Solver(), nil },
		NewStrategy: func(context.Context) (sdk.Strategy, error) { return Launch(t, kind).Strategy(), nil },
		NewModel:    func(context.Context) (sdk.Model, error) { return Launch(t, kind).Model(), nil },
	}
	switch kind {
	case client.Solver:
		conformance.Solver(t, p.Solver(), o)
	case client.Strategy:
		conformance.Strategy(t, p.Strategy(), o)
	case client.Model:
		conformance.Model(t, p.Model(), o)
	}
}

// Step is one Solve of a loaded problem.
type Step struct {
	Delta   problem.Delta
	Options sdk.SolveOptions
	// Want is the status; 0: any.
	Want sdk.Status
}

// Walk takes the steps one after the other, fails if a status differs from the wanted
// one, and returns the results.
func Walk(t testing.TB, l sdk.Loaded, steps ...Step) []*sdk.Result {
	t.Helper()
	var results []*sdk.Result
	for i, s := range steps {
		r, err := l.Solve(t.Context(), s.Delta, s.Options)
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
		if s.Want != 0 && r.Status != s.Want {
			t.Errorf("step %d: %s, %s (%s); want %s", i+1, r.Status, r.Reason, r.Native, s.Want)
		}
		results = append(results, r)
	}
	return results
}

// Load loads a problem, and unloads it when the test ends.
func Load(t testing.TB, s sdk.Incremental, p *problem.Problem) sdk.Loaded {
	t.Helper()
	l, err := s.Load(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Options fails if parse accepts a value that bad lists under its option, if bad lists none
// for a described option, or if parse refuses the defaults.
func Options[T any](t testing.TB, described []sdk.Option, parse func(map[string]string) (T, error), bad map[string][]string) {
	t.Helper()
	for _, o := range described {
		if len(bad[o.Name]) == 0 {
			t.Errorf("option %s is not tested", o.Name)
		}
		for _, v := range bad[o.Name] {
			if _, err := parse(map[string]string{o.Name: v}); !errors.Is(err, sdk.ErrInvalidOption) {
				t.Errorf("%s=%q: error %v, want ErrInvalidOption", o.Name, v, err)
			}
		}
	}
	if _, err := parse(nil); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}
