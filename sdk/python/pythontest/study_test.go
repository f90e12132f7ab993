//go:build unix

package pythontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestStudies runs the tests of hyfair.Study, of models that are read and that are asked, in the environment that has data frames, with the
// program and the solver as make builds them.
func TestStudies(t *testing.T) {
	tier.NeedLong(t)
	models := filepath.Join(program.Root(), ".deps", "models", "bin", "python")
	if out, err := exec.Command(models, "-c", "import grpc, narwhals, pandas, polars, pyarrow").CombinedOutput(); err != nil {
		t.Fatalf("no data frames in .deps/models: make setup-models brings them\n%v\n%s", err, out)
	}
	built := "HYFAIR=" + builtPrograms(t)
	runStudies(t, models, "test_study", built)
	runStudies(t, models, "test_asked", built)
}

// TestNotebooks runs the notebooks in the environments that have their libraries.
func TestNotebooks(t *testing.T) {
	tier.NeedLong(t)
	built := builtPrograms(t)
	for notebook, env := range map[string]string{"scikit-learn.ipynb": "models", "xgboost.ipynb": "models", "pytorch.ipynb": "torch"} {
		t.Run(notebook, func(t *testing.T) {
			environment := filepath.Join(program.Root(), ".deps", env, "bin", "python")
			if _, err := os.Stat(environment); err != nil {
				t.Fatalf("make setup-%s: %v", env, err)
			}
			runStudies(t, environment, "test_notebooks", "HYFAIR="+built, "HYFAIR_NOTEBOOK="+notebook)
		})
	}
}

// runStudies runs one of the modules in tests by unittest, and fails the test with its output.
func runStudies(t *testing.T, environment, module string, env ...string) {
	t.Helper()
	cmd := exec.Command(environment, "-W", "ignore", "-m", "unittest", module)
	cmd.Dir = "../tests"
	cmd.Env = append(os.Environ(), append(env, "HYFAIR_RUNS_DIR="+t.TempDir())...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// builtPrograms returns the path of hyfair in a folder with the plugins that studies use.
func builtPrograms(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for folder, name := range map[string]string{"host": "hyfair", "plugins/solver-bnb": "plugins/hyfair-solver-bnb", "plugins/search-sa": "plugins/hyfair-search-sa"} {
		if err := program.Build(folder, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(bin, "hyfair")
}
