//go:build linux

package native

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk"
)

// The C library's mathematics is on every Linux machine.
var libm = Spec{Name: "libm", Files: []string{"libm.so.6"}, Hint: "apt-get install libc6"}

type functions struct {
	cos func(float64) float64 `symbol:"cos"`
}

func TestOpenThroughTheLoader(t *testing.T) {
	var f functions
	l, err := Open(libm, &f)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.cos(0); got != 1 {
		t.Errorf("cos(0) = %v", got)
	}
	if !filepath.IsAbs(l.path) || !strings.Contains(l.path, "libm") {
		t.Errorf("path %q, want the file the loader chose", l.path)
	}
	l.Version = "6"
	want := sdk.Library{Name: "libm", Found: true, Version: "6", Path: l.path}
	if diff := cmp.Diff(want, l.Report(nil)); diff != "" {
		t.Error(diff)
	}
}

func TestEnvironmentComesFirst(t *testing.T) {
	loaded, err := Open(libm, &functions{})
	if err != nil {
		t.Fatal(err)
	}
	empty, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(loaded.path, filepath.Join(dir, "libm.so.6")); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvDir, empty+string(os.PathListSeparator)+dir)
	l, err := Open(libm, &functions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "libm.so.6"); l.path != want {
		t.Errorf("path %q, want %q", l.path, want)
	}
}

func TestMissingLibraryTellsAll(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvDir, dir)
	spec := Spec{Name: "Nothing", Files: []string{"libnothing-of-the-kind.so", "libnothing.so.1"}, Hint: "make setup"}
	_, err := Open(spec, &functions{})
	if err == nil {
		t.Fatal("found")
	}
	if got, want := err.Error(), "Nothing was not found; to install it: make setup"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	var none *NotFoundError
	if !errors.As(err, &none) {
		t.Fatalf("error %v", err)
	}
	lib := none.Report()
	if lib.Found || lib.Name != "Nothing" || lib.Hint != "make setup" {
		t.Errorf("described as %+v", lib)
	}
	for _, part := range []string{"libnothing-of-the-kind.so, libnothing.so.1", dir, ".deps/lib", "loader", "/usr/lib/lp_solve"} {
		if !strings.Contains(lib.Problem, part) {
			t.Errorf("problem does not mention %q: %s", part, lib.Problem)
		}
	}
}

func TestBrokenFileIsNamedAndPassedOver(t *testing.T) {
	broken := t.TempDir()
	path := filepath.Join(broken, "libm.so.6")
	if err := os.WriteFile(path, []byte("this is no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvDir, broken)
	if _, err := Open(libm, &functions{}); err != nil {
		t.Errorf("the next place was not tried: %v", err)
	}
	// A unique name, so that only the broken file is found.
	odd := filepath.Join(broken, "libodd-one-out.so")
	if err := os.Rename(path, odd); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Spec{Name: "Odd", Files: []string{"libodd-one-out.so"}, Hint: "make setup"}, &functions{})
	if err == nil || !strings.Contains(err.Error(), "cannot be loaded") || !strings.Contains(err.Error(), odd) {
		t.Errorf("error %v, want the file and the loader's word", err)
	}
}

func TestMissingSymbolIsNamedAndNothingBound(t *testing.T) {
	var f struct {
		cos func(float64) float64 `symbol:"cos"`
		odd func(float64) float64 `symbol:"cosine_of_the_times"`
	}
	l, err := Open(libm, &f)
	if err == nil || !strings.Contains(err.Error(), "cosine_of_the_times") || !strings.Contains(err.Error(), libm.Hint) {
		t.Errorf("error %v, want the symbol and the hint", err)
	}
	if f.cos != nil {
		t.Error("a symbol was bound although another is missing")
	}
	if un := l.Report(err); un.Found || un.Path == "" || un.Hint != libm.Hint || un.Problem != err.Error() {
		t.Errorf("described as %+v", un)
	}
}

func TestBesideExecutable(t *testing.T) {
	got := besideExecutable("/home/me/hyfair/bin/plugins/hyfair-solver-highs")
	want := []string{"/home/me/hyfair/.deps/lib", "/home/me/hyfair/bin/.deps/lib", "/home/me/hyfair/bin/lib"}
	if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
		t.Error(diff)
	}
	got = besideExecutable("/venv/site-packages/hyfair/_bin/plugins/hyfair-solver-highs")
	for _, want := range []string{"/venv/site-packages/highspy", "/venv/site-packages/highsbox/highs_dist/bin", "/venv/site-packages/z3/lib"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %s", got, want)
		}
	}
}
