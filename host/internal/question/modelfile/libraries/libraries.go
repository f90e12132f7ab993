// Package libraries finds, for tests, a Python with the libraries whose models hyfair reads.
package libraries

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Sets of Python packages that tests need.
const (
	ONNX     = "onnxruntime numpy"
	Sklearn  = "sklearn skl2onnx pandas onnxruntime"
	Torch    = "torch onnx onnxscript onnxruntime pandas"
	Keras    = "keras pandas"
	XGBoost  = "xgboost sklearn pandas"
	LightGBM = "lightgbm sklearn pandas"
	TF       = "tensorflow tf2onnx keras onnxruntime"
)

// Command returns a command that runs the first Python with the packages: $HYFAIR_MODELS_PYTHON, an
// absolute path, then .deps/models/bin/python, then .deps/torch/bin/python. Without one it skips
// the test, or fails it with CI=true, except for TensorFlow, which no target of the Makefile
// installs.
func Command(t testing.TB, packages string, args ...string) *exec.Cmd {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	own := func(part string) string {
		return filepath.Join(filepath.Dir(here), "../../../../../.deps", part, "bin/python")
	}
	for _, python := range []string{os.Getenv("HYFAIR_MODELS_PYTHON"), own("models"), own("torch")} {
		if python == "" || !has(python, packages) {
			continue
		}
		cmd := exec.Command(python, args...)
		cmd.Env = append(os.Environ(), "KERAS_BACKEND=jax")
		if !has(python, "jax") {
			cmd.Env = append(os.Environ(), "KERAS_BACKEND=torch")
		}
		return cmd
	}
	missing := "no Python here has " + packages + "; make setup-models installs all but torch and tensorflow, make setup-torch installs torch, and HYFAIR_MODELS_PYTHON may name another Python"
	if os.Getenv("CI") == "true" && packages != TF {
		t.Fatal(missing)
	}
	t.Skipf("SKIPPED %s: %s", t.Name(), missing)
	return nil
}

func has(python, packages string) bool {
	const find = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
	return exec.Command(python, append([]string{"-c", find}, strings.Fields(packages)...)...).Run() == nil
}
