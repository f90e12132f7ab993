//go:build unix

package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFileIsWhole: a file has its name when it is complete, and not before.
func TestFileIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	content := func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, end := range map[string]func(*File) error{
		"failed":    func(f *File) error { return f.Finish(io.ErrShortWrite) },
		"discarded": func(f *File) error { f.Discard(); return io.ErrShortWrite },
	} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "half")
		if err := end(f); !errors.Is(err, io.ErrShortWrite) || content() != "before" {
			t.Errorf("%s: %v, %q", name, err, content())
		}
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "after")
	if content() != "before" {
		t.Error("the file changed before it was finished")
	}
	if err := f.Finish(nil); err != nil || content() != "after" {
		t.Errorf("%v, %q", err, content())
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("a private file became %v, %v", stat.Mode(), err)
	}
	defer syscall.Umask(syscall.Umask(0o077))
	other := filepath.Join(dir, "other.csv")
	if err := Write(other, func(*os.File) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if stat, err := os.Stat(other); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("umask 077 leaves %v, %v", stat.Mode(), err)
	}
	os.Remove(other)
	if err := Write(filepath.Join(dir, "absent", "out.csv"), nil); err == nil || !strings.Contains(err.Error(), filepath.Join("absent", "out.csv")) {
		t.Errorf("an error that names another file: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestWhatIsNoFileIsNotReplaced: a link to a full disk stays one, and tells.
func TestWhatIsNoFileIsNotReplaced(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	path := filepath.Join(t.TempDir(), "out.csv")
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	err := Write(path, func(f *os.File) error { _, err := io.WriteString(f, "text"); return err })
	if to, _ := os.Readlink(path); !errors.Is(err, syscall.ENOSPC) || to != "/dev/full" {
		t.Errorf("%v, and the link leads to %q", err, to)
	}
}

// TestOpen refuses what is no file, unopened.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	for path, want := range map[string]string{pipe: "not a file but a pipe", dir: "not a file but a folder", filepath.Join(dir, "absent"): "no such file"} {
		if _, _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
