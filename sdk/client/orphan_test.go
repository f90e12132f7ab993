//go:build unix

package client_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A plugin whose host is killed is gone: idle, in the middle of a call that
// does not listen, without TLS, and behind a script, where the kernel tells
// it nothing of the host's end.
func TestOrphans(t *testing.T) {
	plugin := filepath.Join(bin, "testplugin")
	script := filepath.Join(t.TempDir(), "wrapper")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+plugin+" &\nwait\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"idle": {plugin, "good"}, "busy": {plugin, "deaf", "busy"}, "without TLS": {plugin, "no-tls"},
		"behind a script": {script, "good"}, "busy behind a script": {script, "deaf", "busy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pidFile := filepath.Join(t.TempDir(), "pid")
			host := exec.Command(filepath.Join(bin, "testhost"), args...)
			host.Env = append(os.Environ(), "TMPDIR="+shortTemp(t), "TESTPLUGIN_PID="+pidFile)
			host.Stderr = os.Stderr
			stdout, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			defer host.Wait()
			defer host.Process.Kill()
			if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(pidFile)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, 0); err != nil {
				t.Fatalf("plugin %d is not there: %v", pid, err)
			}
			time.Sleep(100 * time.Millisecond) // into the call
			if err := host.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			waitGone(t, pid)
		})
	}
}

// waitGone waits up to two seconds, the promise, for a process to end.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 2*time.Second; time.Sleep(5 * time.Millisecond) {
		if ended(pid) {
			t.Logf("gone after %v", time.Since(began).Round(time.Millisecond))
			return
		}
	}
	t.Errorf("plugin %d outlived its host", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// ended reports whether a process has exited; it may be a zombie that its new parent has not
// reaped.
func ended(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false // no such file system here, or just now gone: ask again
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}
