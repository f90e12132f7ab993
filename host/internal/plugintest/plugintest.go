// Package plugintest builds and launches this repository's real plugins for
// tests of the host.
package plugintest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

var built struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

// Main runs a package's tests and removes what they built: call it from
// TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// root is the repository's.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// Build compiles plugins/<name> once and returns the file.
func Build(t testing.TB, name string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "hyfair-plugins-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir, built.paths = dir, map[string]string{}
	}
	if path := built.paths[name]; path != "" {
		return path
	}
	path := filepath.Join(built.dir, "hyfair-"+name)
	build := exec.Command("go", "build", "-o", path, "./plugins/"+name)
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building plugins/%s: %v\n%s", name, err, out)
	}
	built.paths[name] = path
	return path
}

// Solver launches the real plugin solver-<name>. A missing native library skips
// the test by name, and fails it where CI is set.
func Solver(t testing.TB, name string) (sdk.Incremental, sdk.Description) {
	t.Helper()
	if os.Getenv("HYFAIR_LIB_DIR") == "" {
		t.Setenv("HYFAIR_LIB_DIR", filepath.Join(root(), ".deps", "lib"))
	}
	p, err := client.Launch(t.Context(), client.Config{Path: Build(t, "solver-"+name), Kind: client.Solver})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	d := p.Description()
	for _, lib := range d.Libraries {
		if !lib.Found {
			if os.Getenv("CI") != "" {
				t.Fatalf("library %s is missing: %s", lib.Name, lib.Problem)
			}
			t.Skipf("SKIPPED: library %s is missing (%s); %s brings it", lib.Name, lib.Problem, lib.Hint)
		}
	}
	return p.Solver(), d
}
