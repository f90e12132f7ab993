package conformance_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
)

// build compiles a command of this module and returns its path.
func build(t *testing.T, path string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := program.Build(path, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func launch(t *testing.T, path string, kind client.Kind) *client.Plugin {
	t.Helper()
	p, err := client.Launch(context.Background(), client.Config{Path: path, Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// The fakes, and strategies of this repository, pass the suite over the wire, with two
// processes where two are compared. The other plugins' own tests ask the same.
func TestSolversOverTheWire(t *testing.T) {
	tier.NeedUsual(t)
	path := build(t, "sdk/conformance/internal/fakesolver")
	conformance.Solver(t, launch(t, path, client.Solver).Solver(), conformance.Options{
		NewSolver: func(context.Context) (sdk.Solver, error) { return launch(t, path, client.Solver).Solver(), nil },
	})
}

func TestStrategiesOverTheWire(t *testing.T) {
	tier.NeedUsual(t)
	for _, command := range []string{"sdk/conformance/internal/fakestrategy", "plugins/search-rw", "plugins/search-sa"} {
		t.Run(filepath.Base(command), func(t *testing.T) {
			path := build(t, command)
			conformance.Strategy(t, launch(t, path, client.Strategy).Strategy(), conformance.Options{
				NewStrategy: func(context.Context) (sdk.Strategy, error) { return launch(t, path, client.Strategy).Strategy(), nil },
			})
		})
	}
}
