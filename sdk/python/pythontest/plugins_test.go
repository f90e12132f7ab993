//go:build unix

package pythontest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
)

// TestPluginsConform holds the plugins of this tree that are written in Python
// against the suite, those whose packages are there. Without them each says so.
func TestPluginsConform(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	folders, err := filepath.Glob("../../../plugins/*/plugin.yaml")
	if err != nil || len(folders) == 0 {
		t.Fatalf("%v, %v", folders, err)
	}
	for _, path := range folders {
		dir, err := filepath.Abs(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			config := client.Config{Path: python, Args: []string{"main.py"}, Dir: dir, Kind: client.Solver, NoTLS: true}
			if strings.HasPrefix(filepath.Base(dir), "search-") {
				config.Kind = client.Strategy
			}
			p := launch(t, config)
			if i := p.Description().Interpreter; i == nil || i.Version == "" || !filepath.IsAbs(i.Path) || !slices.ContainsFunc(i.Folders, holdsSDK) {
				t.Errorf("interpreter %+v", i)
			}
			for _, lib := range p.Description().Libraries {
				if lib.Found {
					continue
				}
				if !strings.HasPrefix(lib.Hint, "scripts/setup.sh ") || lib.Problem == "" {
					t.Errorf("%+v is missing, and nothing says what brings it", lib)
				}
				if os.Getenv("CI") == "true" && tier.Long() {
					t.Fatalf("%s is missing: %s", lib.Name, lib.Hint)
				}
				t.Skipf("SKIPPED: %s is missing (%s); %s brings it", lib.Name, lib.Problem, lib.Hint)
			}
			tier.NeedLong(t)
			if config.Kind == client.Strategy {
				conformance.Strategy(t, p.Strategy(), conformance.Options{
					NewStrategy: func(context.Context) (sdk.Strategy, error) { return launch(t, config).Strategy(), nil },
				})
				return
			}
			conformance.Solver(t, p.Solver(), conformance.Options{
				NewSolver: func(context.Context) (sdk.Solver, error) { return launch(t, config).Solver(), nil },
			})
		})
	}
}

// holdsSDK: the package hyfair is in the folder.
func holdsSDK(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "hyfair", "__init__.py"))
	return err == nil
}
