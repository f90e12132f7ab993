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

// TestStudies runs the tests of hyfair.Study in the environment that has data frames, with the
// program and the solver as make builds them.
func TestStudies(t *testing.T) {
	tier.NeedLong(t)
	models := filepath.Join(program.Root(), ".deps", "models", "bin", "python")
	if out, err := exec.Command(models, "-c", "import narwhals, pandas, polars, pyarrow").CombinedOutput(); err != nil {
		t.Fatalf("no data frames in .deps/models: make setup-models brings them\n%v\n%s", err, out)
	}
	bin := t.TempDir()
	for folder, name := range map[string]string{"host": "hyfair", "plugins/solver-bnb": "plugins/hyfair-solver-bnb", "plugins/search-sa": "plugins/hyfair-search-sa"} {
		if err := program.Build(folder, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(models, "-W", "error", "-W", "ignore::DeprecationWarning", "-m", "unittest", "test_study")
	cmd.Dir = "../tests"
	cmd.Env = append(os.Environ(), "HYFAIR="+filepath.Join(bin, "hyfair"), "HYFAIR_RUNS_DIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
