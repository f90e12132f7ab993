package cli

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
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
func journalled(t *testing.T, path, run string) (events []record.Event) {
	t.Helper()
	if run == "" {
		run = onlyRun(t, path).Name
	}
	if err := keptIn(t, path).Events(run, func(e record.Event) error { events = append(events, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return events
}

// TestAJournalThatTakesNothingIsAnError, of every command that keeps a run: the
// result is there, and the exit code is not 0.
func TestAJournalThatTakesNothingIsAnError(t *testing.T) {
	plugins, study := plugintest.Folder(t, map[string]string{"hyfair-search-sa": "plugins/search-sa", "hyfair-solver-bnb": "plugins/solver-bnb"}), tenureStudy(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	j, err := journal.Open(path)
	if err == nil {
		err = j.Close()
	}
	db, openErr := sql.Open("sqlite", path)
	if err := errors.Join(err, openErr); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.kind <> 'started' BEGIN SELECT RAISE(ABORT, 'no room'); END"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"certify", study}, {"quantify", study}, {"search", study, "--budget", "10it", "--solver", "none"}} {
		code, stdout, stderr := command(t, plugins, append(args, "--journal", path, "--json")...)
		if code != ExitFailed || !strings.Contains(stderr, "no room") || !strings.Contains(stdout, `"study": "tenure"`) {
			t.Errorf("%v: exit code %d, %s\n%s", args[0], code, stderr, stdout)
		}
	}
}
