// Package libraries finds, for tests, a Python with the libraries whose models are read.
package libraries

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The packages that tests ask for.
const (
	ONNX    = "onnxruntime numpy"
	Sklearn = "sklearn skl2onnx pandas onnxruntime"
	Torch   = "torch onnx onnxscript onnxruntime pandas"
	Keras   = "keras pandas"
)

// Python is an interpreter that has the packages: that of $HYFAIR_MODELS_PYTHON, which is
// an absolute path, or .deps/models/bin/python. Without one it skips the test, by name.
func Python(t testing.TB, packages string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	own := filepath.Join(filepath.Dir(here), "../../../../../.deps/models/bin/python")
	for _, python := range []string{os.Getenv("HYFAIR_MODELS_PYTHON"), own} {
		find := exec.Command(python, append([]string{"-c", "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"}, strings.Fields(packages)...)...)
		if python != "" && find.Run() == nil {
			return python
		}
	}
	t.Skipf("SKIPPED %s: no Python here has %s; make setup-models brings all but torch, and HYFAIR_MODELS_PYTHON names another Python", t.Name(), packages)
	return ""
}
