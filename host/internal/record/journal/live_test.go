//go:build unix

package journal

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// While a process lives its run is neither resumed nor deleted by another, and
// as soon as it is killed the run counts as broken off.
func TestLivenessAcrossProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	cmd, lines := writer(t, path)
	if !lines.Scan() {
		t.Fatal("the writer said nothing")
	}
	must(t, cmd.Process.Signal(syscall.SIGSTOP)) // it stands still, in the middle of its run
	run, _, _ := strings.Cut(lines.Text(), " ")
	j := opened(t, path)
	d, err := j.Show(run)
	must(t, err)
	if d.State != Running && d.State != Finished {
		t.Fatalf("the run is %s", d.State)
	}
	if d.State == Running {
		if _, err := j.Resume(run); !errors.Is(err, ErrLive) {
			t.Errorf("resuming it: %v", err)
		}
		if _, err := j.Delete(run, false); !errors.Is(err, ErrLive) {
			t.Errorf("deleting it: %v", err)
		}
	}
	must(t, cmd.Process.Kill())
	cmd.Wait()
	if after, err := j.Show(run); err != nil || d.State == Running && after.State != BrokenOff {
		t.Errorf("after the kill it is %s, %v", after.State, err)
	}
}
