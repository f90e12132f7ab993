//go:build linux

package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk"
)

// The C library's mathematics is on every Linux machine.
var libm = Spec{Name: "libm", Files: []string{"libm.so.6"}, Hint: "apt-get install libc6"}

func TestOpenThroughTheLoader(t *testing.T) {
	l, err := Open(libm)
	if err != nil {
		t.Fatal(err)
	}
	var cos func(float64) float64
	if err := l.Bind(Symbol{Name: "cos", Func: &cos}); err != nil {
		t.Fatal(err)
	}
	if got := cos(0); got != 1 {
		t.Errorf("cos(0) = %v", got)
	}
	if !filepath.IsAbs(l.Path()) || !strings.Contains(l.Path(), "libm") {
		t.Errorf("path %q, want the file the loader chose", l.Path())
	}
	want := sdk.Library{Name: "libm", Found: true, Version: "6", Path: l.Path()}
	if diff := cmp.Diff(want, l.Describe("6")); diff != "" {
		t.Error(diff)
	}
}

func TestEnvironmentComesFirst(t *testing.T) {
	loaded, err := Open(libm)
	if err != nil {
		t.Fatal(err)
	}
	var cos func(float64) float64
	if err := loaded.Bind(Symbol{Name: "cos", Func: &cos}); err != nil {
		t.Fatal(err)
	}
	empty, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(loaded.Path(), filepath.Join(dir, "libm.so.6")); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvDir, empty+string(os.PathListSeparator)+dir)
	l, err := Open(libm)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "libm.so.6"); l.Path() != want {
		t.Errorf("path %q, want %q", l.Path(), want)
	}
}

func TestMissingLibraryTellsAll(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvDir, dir)
	spec := Spec{Name: "Nothing", Files: []string{"libnothing-of-the-kind.so", "libnothing.so.1"}, Hint: "make setup"}
	_, err := Open(spec)
	if err == nil {
		t.Fatal("found")
	}
	if got, want := err.Error(), "Nothing was not found; to install it: make setup"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	lib := Missing(err)
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
	if _, err := Open(libm); err != nil {
		t.Errorf("the next place was not tried: %v", err)
	}
	// A name nobody else has, so that the broken file is all there is.
	odd := filepath.Join(broken, "libodd-one-out.so")
	if err := os.Rename(path, odd); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Spec{Name: "Odd", Files: []string{"libodd-one-out.so"}, Hint: "make setup"})
	if err == nil || !strings.Contains(err.Error(), "cannot be loaded") || !strings.Contains(err.Error(), odd) {
		t.Errorf("error %v, want the file and the loader's word", err)
	}
}

func TestMissingSymbolIsNamedAndNothingBound(t *testing.T) {
	l, err := Open(libm)
	if err != nil {
		t.Fatal(err)
	}
	var cos, odd, spare func(float64) float64
	err = l.Bind(Symbol{Name: "cos", Func: &cos}, Symbol{Name: "cosine_of_the_times", Func: &odd})
	if err == nil || !strings.Contains(err.Error(), "cosine_of_the_times") || !strings.Contains(err.Error(), libm.Hint) {
		t.Errorf("error %v, want the symbol and the hint", err)
	}
	if cos != nil {
		t.Error("a symbol was bound although another is missing")
	}
	if un := l.Unusable(err); un.Found || un.Path == "" || un.Hint != libm.Hint || un.Problem != err.Error() {
		t.Errorf("described as %+v", un)
	}
	if err := l.Bind(Symbol{Name: "cosine_of_the_times", Func: &spare, Optional: true}); err != nil || spare != nil {
		t.Errorf("optional symbol: error %v, bound %v", err, spare != nil)
	}
}

func TestBesideExecutable(t *testing.T) {
	got := besideExecutable("/home/me/hyfair/bin/plugins/hyfair-solver-highs")
	want := []string{"/home/me/hyfair/.deps/lib", "/home/me/hyfair/bin/.deps/lib", "/home/me/hyfair/bin/lib"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// bound is a library as plugins bind theirs.
type bound struct{ file *Library }

func (b *bound) File() *Library  { return b.file }
func (b *bound) Version() string { return "6" }

func TestReport(t *testing.T) {
	file, err := Open(libm)
	if err != nil {
		t.Fatal(err)
	}
	odd := errors.New("odd")
	missing := &NotFoundError{Spec: libm, Searched: []string{"/nowhere"}}
	for _, c := range []struct {
		lib  *bound
		err  error
		want sdk.Library
	}{
		{&bound{file}, nil, file.Describe("6")},
		{&bound{file}, odd, file.Unusable(odd)},
		{nil, missing, Missing(missing)},
	} {
		if diff := cmp.Diff(c.want, Report(c.lib, c.err)); diff != "" {
			t.Errorf("%v, %v:\n%s", c.lib, c.err, diff)
		}
	}
}
