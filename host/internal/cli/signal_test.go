//go:build unix

package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
)

// signalled sends a signal to a running hyfair and waits for its end.
func signalled(t *testing.T, c *exec.Cmd, s os.Signal, stderr fmt.Stringer) {
	t.Helper()
	overdue := time.AfterFunc(time.Minute, func() { c.Process.Kill() }) // a failure must not wait for ever
	defer overdue.Stop()
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != ExitInterrupted {
		t.Errorf("%v: exit code %d (%v)\n%s", s, code, c.ProcessState, stderr)
	}
}

// TestAPipeIsNoModel: a file that must be read twice, or at random, is refused at once if it is
// a pipe, without waiting for a writer.
func TestAPipeIsNoModel(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.json")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	study := tenureStudy(t)
	for _, args := range [][]string{{"inspect", pipe}, {"inspect", study, "--model", pipe}, {"audit", study, pipe, "--encoded"}, {"ablate", pipe}} {
		if code, _, stderr := hyfair(args...); code != ExitUsage || !strings.Contains(stderr, "not a file but a pipe") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
}

// TestASignalEndsWaiting: a command that waits for a file or a row ends with the code of an
// interrupt, and with its results so far.
func TestASignalEndsWaiting(t *testing.T) {
	binary, dir := program(t), t.TempDir()
	pipe := filepath.Join(dir, "certificate")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	t.Run("for a file", func(t *testing.T) {
		c := exec.Command(binary, "check", pipe)
		var stderr strings.Builder
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var writer *os.File
		until(t, "the certificate is opened", func() (opened bool) {
			fd, err := unix.Open(pipe, unix.O_WRONLY|unix.O_NONBLOCK, 0)
			if err == nil {
				writer = os.NewFile(uintptr(fd), pipe)
			}
			return err == nil
		})
		defer writer.Close()
		signalled(t, c, syscall.SIGTERM, &stderr)
		if stderr.String() != "hyfair: interrupted\n" {
			t.Errorf("standard error: %s", &stderr)
		}
	})
	t.Run("for a row", func(t *testing.T) {
		c := exec.Command(binary, "guard", "../../../studies/loan", textFile(t, "rules.json", plantedRules))
		feed, err1 := c.StdinPipe()
		answers, err2 := c.StdoutPipe()
		var stderr strings.Builder
		c.Stderr = &stderr
		if err := errors.Join(err1, err2, c.Start()); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(guardRows, "\n")
		io.WriteString(feed, lines[0]+lines[1])
		reader := csv.NewReader(answers)
		for range 2 { // the header, and the answer
			if _, err := reader.Read(); err != nil {
				t.Fatal(err)
			}
		}
		signalled(t, c, os.Interrupt, &stderr)
		if stderr.String() != "1 rows: 0 predicted, 1 refused, 0 unusable\n" {
			t.Errorf("standard error: %s", &stderr)
		}
	})
	t.Run("for an arm", func(t *testing.T) {
		plugins := t.TempDir()
		known, waits := filepath.Join(dir, "known"), filepath.Join(dir, "waits")
		text := fmt.Sprintf("#!/bin/sh\nif [ -e %[1]q ]; then touch %[2]q; exec sleep 600; fi\ntouch %[1]q\nexec %[3]q\n", known, waits, plugintest.Build(t, "search-rw"))
		if err := os.WriteFile(filepath.Join(plugins, "hyfair-search-rw"), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		file := grid(t, tenureStudy(t), "solver: none\nbudget: 10it\nstrategies: [{name: rw}]\n")
		r := startWith(t, binary, plugins, filepath.Join(dir, "journal.db"), "ablate", file)
		until(t, "the arm is tried", func() bool { _, err := os.Stat(waits); return err == nil })
		r.Process.Signal(os.Interrupt)
		code, _, stderr := r.wait(t)
		if code != ExitInterrupted || !strings.HasPrefix(stderr, "hyfair: interrupted") {
			t.Errorf("exit code %d, %s", code, stderr)
		}
	})
}
