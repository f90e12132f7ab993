package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProgressJSON: for a program that waits, progress is lines of JSON on standard error, and the text that people read is
// in a file beside the JSON.
func TestProgressJSON(t *testing.T) {
	plugins, study := shippedStrategies(t, "climb"), tenureStudy(t)
	text := filepath.Join(t.TempDir(), "text")
	ask := []string{"search", study, "--strategy", "climb", "--budget", "200it", "--solver", "none"}
	_, plain, _ := command(t, plugins, ask...)
	code, _, stderr := command(t, plugins, append(ask, "--json", "--progress", "json", "--text", text)...)
	first, _, _ := strings.Cut(stderr, "\n")
	var line struct{ Progress string }
	if err := json.Unmarshal([]byte(first), &line); code != ExitDone || err != nil || line.Progress == "" {
		t.Errorf("exit code %d, %v: %q", code, err, stderr)
	}
	written, err := os.ReadFile(text)
	if head, _, _ := strings.Cut(plain, "\n"); err != nil || head == "" || !strings.HasPrefix(string(written), head+"\n") {
		t.Errorf("%v: %q, want %q", err, written, plain)
	}
	if code, _, stderr := command(t, plugins, append(ask, "--progress", "xml")...); code != ExitUsage || !strings.Contains(stderr, `--progress "xml": want line or json`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestProgressUnread: a run does not wait for a caller that leaves lines of progress unread.
func TestProgressUnread(t *testing.T) {
	read, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	line := newStatusLine(&App{Progress: progressJSON, Stderr: &diagnostics{full}})
	for range 100 {
		line.last = time.Time{}
		line.show(strings.Repeat("1 of 2", 1000)) // together more than a pipe holds
	}
	line.end()
}

// TestNobodyReadsProgress: a run whose caller is gone ends as by a signal.
func TestNobodyReadsProgress(t *testing.T) {
	ended := false
	line := newStatusLine(&App{Progress: progressJSON, Stderr: &diagnostics{brokenPipe{}}, interrupt: func() { ended = true }})
	line.show("1 of 2")
	line.end()
	if !ended {
		t.Error("the run goes on")
	}
}
