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
	ONNX     = "onnxruntime numpy"
	Sklearn  = "sklearn skl2onnx pandas onnxruntime"
	Torch    = "torch onnx onnxscript onnxruntime pandas"
	Keras    = "keras pandas"
	XGBoost  = "xgboost sklearn pandas"
	LightGBM = "lightgbm sklearn pandas"
	TF       = "tensorflow tf2onnx keras onnxruntime"
)

// Command runs Python with the packages: that of $HYFAIR_MODELS_PYTHON, which is an
// absolute path, or .deps/models/bin/python, or .deps/torch's. Without one it skips the test, by name; with
// CI=true it fails, but for TensorFlow, which nothing here brings.
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
	missing := "no Python here has " + packages + "; make setup-models brings all but torch and tensorflow, make setup-torch torch, and HYFAIR_MODELS_PYTHON names another Python"
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
