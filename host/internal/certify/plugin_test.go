package certify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

var plugins struct {
	sync.Mutex
	dir   string
	built map[string]string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if plugins.dir != "" {
		os.RemoveAll(plugins.dir)
	}
	os.Exit(code)
}

// build compiles a plugin of this repository once.
func build(t *testing.T, name string) string {
	t.Helper()
	plugins.Lock()
	defer plugins.Unlock()
	if plugins.dir == "" {
		dir, err := os.MkdirTemp("", "hyfair-plugins-")
		if err != nil {
			t.Fatal(err)
		}
		plugins.dir, plugins.built = dir, map[string]string{}
	}
	if path := plugins.built[name]; path != "" {
		return path
	}
	path := filepath.Join(plugins.dir, "hyfair-"+name)
	out, err := exec.Command("go", "build", "-o", path, "../../../plugins/"+name).CombinedOutput()
	if err != nil {
		t.Fatalf("building plugins/%s: %v\n%s", name, err, out)
	}
	plugins.built[name] = path
	return path
}

// highs launches the real solver-highs plugin.
func highs(t *testing.T) (sdk.Incremental, sdk.Description) {
	t.Helper()
	if os.Getenv("HYFAIR_LIB_DIR") == "" {
		if dir, err := filepath.Abs("../../../.deps/lib"); err == nil {
			t.Setenv("HYFAIR_LIB_DIR", dir)
		}
	}
	p, err := client.Launch(t.Context(), client.Config{Path: build(t, "solver-highs"), Kind: client.Solver})
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
