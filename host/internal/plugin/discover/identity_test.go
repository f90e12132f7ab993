package discover

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/sdk"
)

// TestInterpreter: a plugin in Python is another one where the interpreter, a package, or the
// SDK is another; not where another folder holds the same.
func TestInterpreter(t *testing.T) {
	write := func(text string, place ...string) {
		path := filepath.Join(place...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	place := func() (string, *sdk.Interpreter) {
		dir := t.TempDir()
		write("python", dir, "python3")
		write("numpy/core.so,sha256=a,3\n../../../bin/f2py,sha256=of "+dir+",9\nnumpy/core.pyc,,\n", dir, "packages", "numpy-2.0.dist-info", "RECORD")
		write("def serve", dir, "sdk", "hyfair", "__init__.py")
		write("compiled", dir, "sdk", "hyfair", "__pycache__", "x.pyc")
		return dir, &sdk.Interpreter{Version: "3.11", Path: filepath.Join(dir, "python3"),
			Folders: []string{filepath.Join(dir, "packages"), filepath.Join(dir, "sdk"), filepath.Join(dir, "none")}}
	}
	of := func(i *sdk.Interpreter) *Identity {
		r := &reader{all: sha256.New(), folders: map[string]bool{}}
		id, err := r.end("", r.interpreter(i))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	_, one := place()
	dir, other := place()
	was := of(other)
	if was.SHA256 != of(one).SHA256 {
		t.Error("the same packages in two places differ")
	}
	for _, c := range []struct {
		what, file, text string
		same             bool
	}{
		{"a cache", "sdk/hyfair/__pycache__/x.pyc", "compiled again", true},
		{"the interpreter", "python3", "another python", false},
		{"a package's file", "packages/numpy-2.0.dist-info/RECORD", "numpy/core.so,sha256=b,3\n", false},
		{"one package more", "packages/scipy-1.0.dist-info/RECORD", "scipy/core.so,sha256=a,3\n", false},
		{"the SDK", "sdk/hyfair/__init__.py", "def serve_better", false},
	} {
		write(c.text, dir, c.file)
		now := of(other)
		if (now.SHA256 == was.SHA256) != c.same {
			t.Errorf("after a change of %s: same is %t", c.what, !c.same)
		}
		was = now
	}
	if path, changed := was.Changed(); changed {
		t.Errorf("%s changed by itself", path)
	}
	write("one more python", dir, "python3")
	if path, changed := was.Changed(); !changed || path != filepath.Join(dir, "python3") {
		t.Errorf("changed: %t, %s", changed, path)
	}
	other.Version = "3.12"
	if of(other).SHA256 == was.SHA256 {
		t.Error("another version is the same")
	}
	if err := os.Remove(filepath.Join(dir, "python3")); err != nil {
		t.Fatal(err)
	}
	if err := (&reader{all: sha256.New(), folders: map[string]bool{}}).interpreter(other); err == nil {
		t.Error("no interpreter, and no error")
	}
}

// TestBuild: another file makes another version, whatever the plugin's description says.
func TestBuild(t *testing.T) {
	of := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "main.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return build(dir)
	}
	if a, b, c := of("one"), of("one"), of("two"); len(a) != 12 || a != b || a == c {
		t.Errorf("builds %q, %q and %q", a, b, c)
	}
	if b := build(filepath.Join(t.TempDir(), "none")); b != "" {
		t.Errorf("build %q of no file", b)
	}
}
