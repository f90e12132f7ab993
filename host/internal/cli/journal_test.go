package cli

import (
	"testing"

	"github.com/hyfair/hyfair/host/internal/journal"
	"github.com/hyfair/hyfair/host/internal/task"
)

// keptIn opens a journal that is there.
func keptIn(t *testing.T, path string) *journal.Journal {
	t.Helper()
	j, err := journal.OpenExisting(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// onlyRun is the one run that a journal holds.
func onlyRun(t *testing.T, path string) journal.Info {
	t.Helper()
	infos, err := keptIn(t, path).Runs()
	if err != nil || len(infos) != 1 {
		t.Fatalf("%d runs in the journal, want 1; %v", len(infos), err)
	}
	return infos[0]
}

// journalled is a run's events; without a name, those of the only run.
func journalled(t *testing.T, path, run string) (events []task.Event) {
	t.Helper()
	if run == "" {
		run = onlyRun(t, path).Name
	}
	if err := keptIn(t, path).Events(run, func(e task.Event) error { events = append(events, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return events
}
