//go:build unix

// Package pythontest runs the Python side's own tests, and holds plugins in
// Python against the host's side of the wire: they must be as good as those in
// Go, and as clear about what is wrong with them.
package pythontest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/space"
)

// python is the interpreter of .deps/python; empty where there is none.
var python string

func TestMain(m *testing.M) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		panic(err)
	}
	if path := filepath.Join(root, ".deps", "python", "bin", "python"); exec.Command(path, "-c", "import grpc, google.protobuf").Run() == nil {
		python = path
	}
	os.Setenv("PYTHONPATH", filepath.Join(root, "sdk", "python"))
	os.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	os.Setenv("HYFAIR_PYTHON", python)
	os.Exit(m.Run())
}

// need skips a test where there is no Python to run it, and fails it where
// CI=true promises one.
func need(t testing.TB) {
	t.Helper()
	if python != "" {
		return
	}
	const missing = "no Python with grpcio and protobuf in .deps/python: make setup-python brings it"
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip("SKIPPED, " + missing)
}

// needModule is need for a test that takes a package besides.
func needModule(t testing.TB, module string) {
	t.Helper()
	need(t)
	if out, err := exec.Command(python, "-c", "import "+module).CombinedOutput(); err != nil {
		t.Fatalf("%s has no %s: scripts/setup.sh --force python brings it\n%s", python, module, out)
	}
}

// script is a plugin in testdata, in the mode that its environment asks for.
func script(kind client.Kind, env ...string) client.Config {
	return client.Config{
		Path: python, Args: []string{filepath.Join("testdata", map[client.Kind]string{client.Solver: "solver.py", client.Strategy: "strategy.py"}[kind])},
		Kind: kind, Env: env, NoTLS: true, KillGrace: 400 * time.Millisecond,
	}
}

// example is an example's folder, started as the host does.
func example(t testing.TB, name string, kind client.Kind, args ...string) client.Config {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return client.Config{Path: filepath.Join(dir, "run"), Args: args, Dir: dir, Kind: kind, NoTLS: true}
}

func launch(t testing.TB, c client.Config) *client.Plugin {
	t.Helper()
	p, err := client.Launch(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// people is a space of two features.
func people() *space.Space {
	return &space.Space{
		Features: []space.Feature{
			{Name: "age", Kind: space.Integer, Lo: 10, Hi: 100, Inputs: []space.Input{{Index: 0, Scale: 0.5, Offset: -1}}},
			{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		},
		Inputs: 2,
	}
}

// rows is n rows of people.
func rows(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = []float64{float64(10 + i%91), float64(i % 2)}
	}
	return out
}

// begin opens a session with the strategy in testdata.
func begin(ctx context.Context, p *client.Plugin, trouble string) (sdk.Session, error) {
	return p.Strategy().Start(ctx, people(), sdk.StartOptions{
		Seed: 1, Rows: rows(10), Chains: 4, Options: map[string]string{"trouble": trouble},
	})
}

// errorIs fails unless err is one of the SDK's and says what is wanted.
func errorIs(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v; want an error that is %q", err, want)
	}
}

var errNone = fmt.Errorf("none of the SDK's")
