package cli

import (
	"fmt"

	"github.com/hyfair/hyfair/host/internal/record/journal"
)

// openJournal opens the journal of --journal, or the one in the folder for
// runs. A folder that cannot be written to costs the journal, not the run: nil
// is returned then, and a word on standard error.
func (a *App) openJournal() (*journal.Journal, error) {
	if a.Journal != "" {
		j, err := journal.Open(a.Journal)
		return j, usage(err)
	}
	path, err := journal.DefaultPath()
	var j *journal.Journal
	if err == nil {
		j, err = journal.Open(path)
	}
	if err != nil {
		a.notKept(err)
		return nil, nil
	}
	return j, nil
}

func (a *App) notKept(err error) {
	fmt.Fprintf(a.Stderr, "hyfair: this run's events are not kept: %v\n", err)
}
