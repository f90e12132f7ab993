package libraries_test

import (
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/internal/tier"
)

// The readers of the Python package agree with the estimators that they read. Cases of
// libraries that are not here are skipped by name.
func TestPythonReaders(t *testing.T) {
	tier.NeedLong(t)
	sdk, err := filepath.Abs("../../../../../sdk/python")
	if err != nil {
		t.Fatal(err)
	}
	cmd := libraries.Command(t, "sklearn pandas", "-m", "unittest", "-v", "test_readers")
	cmd.Dir = filepath.Join(sdk, "tests")
	cmd.Env = append(cmd.Env, "PYTHONPATH="+sdk, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
