//go:build linux && amd64

package pythontest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestWheel installs the wheel into a new environment without network, and uses it without Go and
// outside the tree.
func TestWheel(t *testing.T) {
	tier.NeedLong(t)
	need(t)
	if exec.Command(python, "-c", "import tomllib").Run() != nil {
		t.Skip("SKIPPED, .deps/python is older than Python 3.11, which writes wheels")
	}
	dir := t.TempDir()
	programs, venv, study := filepath.Join(dir, "programs"), filepath.Join(dir, "venv"), filepath.Join(dir, "loan")
	for folder, file := range map[string]string{"host": "hyfair", "plugins/solver-bnb": "plugins/hyfair-solver-bnb", "plugins/solver-highs": "plugins/hyfair-solver-highs"} {
		if err := program.Build(folder, filepath.Join(programs, file)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir, c.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "PYTHONDONTWRITEBYTECODE=1"}
		out, err := c.CombinedOutput()
		if exit := new(exec.ExitError); c.ProcessState.ExitCode() != want || err != nil && !errors.As(err, &exit) {
			t.Fatalf("%s %v: %v, want exit code %d\n%s", name, args, err, want, out)
		}
		return string(out)
	}
	if err := os.CopyFS(study, os.DirFS(filepath.Join(program.Root(), "studies", "loan"))); err != nil {
		t.Fatal(err)
	}
	build := func(programs, to string) (wheel string) {
		t.Helper()
		return strings.TrimSpace(run(0, python, filepath.Join(program.Root(), "scripts", "wheel.py"), programs, "linux/amd64", filepath.Join(dir, to)))
	}
	if err := os.Mkdir(filepath.Join(dir, "tiny"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tiny", "hyfair"), "a program")
	one, err := os.ReadFile(build("tiny", "one"))
	if err != nil {
		t.Fatal(err)
	}
	if two, err := os.ReadFile(build("tiny", "two")); err != nil || !bytes.Equal(one, two) {
		t.Errorf("the same files give another wheel (%v)", err)
	}
	wheel := build(programs, "dist")
	run(0, python, "-m", "venv", venv)
	interpreter, script := filepath.Join(venv, "bin", "python"), filepath.Join(venv, "bin", "hyfair")
	run(0, interpreter, "-m", "pip", "--disable-pip-version-check", "install", "--no-index", "--no-deps", wheel)
	run(0, interpreter, "-c", "import hyfair, hyfair.models")

	if out := run(0, script, "version"); !strings.HasPrefix(out, "hyfair ") || out != run(0, interpreter, "-m", "hyfair", "version") {
		t.Errorf("version: %s", out)
	}
	if out := run(0, script, "certify", study); !strings.Contains(out, "UNFAIR") {
		t.Errorf("certify: %s", out)
	}
	run(2, script, "certify", filepath.Join(dir, "nowhere"))
	run(2, interpreter, "-m", "hyfair", "certify", "--no-such-flag")

	// The package highspy holds HiGHS's library.
	library := filepath.Join(program.Root(), ".deps", "lib", "libhighs.so")
	if _, err := os.Stat(library); err != nil {
		t.Errorf("no HiGHS library; make setup brings it: %v", err)
	}
	site, err := filepath.Glob(filepath.Join(venv, "lib", "python*", "site-packages"))
	if err != nil || len(site) != 1 {
		t.Fatalf("%v %v", site, err)
	}
	if err := os.Mkdir(filepath.Join(site[0], "highspy"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(library, filepath.Join(site[0], "highspy", "libhighs.so.1")); err != nil {
		t.Fatal(err)
	}
	if out := run(0, script, "plugins", "--json"); !strings.Contains(out, "site-packages/highspy/libhighs.so.1") {
		t.Errorf("HiGHS's library of the package highspy was not found:\n%s", out)
	}

	// Ctrl-C reaches the program itself. Opening the pipe waits until the program reads it.
	pipe := filepath.Join(dir, "certificate")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(script, "check", pipe)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	c.Process.Signal(os.Interrupt)
	if c.Wait(); c.ProcessState.ExitCode() != 130 {
		t.Errorf("after Ctrl-C: %v, want exit code 130", c.ProcessState)
	}
}
