package certify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
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
	return launch(t, "solver-highs")
}

// launch starts a solver of this repository and checks that it has its library.
func launch(t *testing.T, name string) (sdk.Incremental, sdk.Description) {
	t.Helper()
	if os.Getenv("HYFAIR_LIB_DIR") == "" {
		if dir, err := filepath.Abs("../../../.deps/lib"); err == nil {
			t.Setenv("HYFAIR_LIB_DIR", dir)
		}
	}
	p, err := client.Launch(t.Context(), client.Config{Path: build(t, name), Kind: client.Solver})
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

// panelist is a real solver and what it can be asked with.
type panelist struct {
	name        string
	solver      sdk.Incremental
	description sdk.Description
	encodings   []string
	bounds      []string
}

// solvers launches all three solvers of this repository that bind a library.
func solvers(t *testing.T) []panelist {
	t.Helper()
	var methods []string
	for _, m := range bound.Methods {
		methods = append(methods, m.Name)
	}
	var out []panelist
	for _, name := range []string{"highs", "lpsolve", "z3"} {
		s, d := launch(t, "solver-"+name)
		p := panelist{name: name, solver: s, description: d, bounds: methods}
		for _, e := range encode.Encodings {
			if d.Answers(e.Form, problem.Decide) && (d.Sets || !e.Sets) {
				p.encodings = append(p.encodings, e.Name)
			}
		}
		out = append(out, p)
	}
	return out
}
