package cli

import (
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/task"
)

// openJournal opens the file of --journal, or one of its own in the folder for
// runs. A folder that cannot be written to costs the journal, not the run: nil
// is returned then, and a word on standard error.
func (a *App) openJournal(command, run string) (*task.Journal, error) {
	if a.Journal != "" {
		journal, err := task.Append(a.Journal)
		return journal, usage(err)
	}
	path, err := task.DefaultPath(command, run, time.Now())
	var journal *task.Journal
	if err == nil {
		journal, err = task.Append(path)
	}
	if err != nil {
		fmt.Fprintf(a.Stderr, "hyfair: this run's events are not kept: %v\n", err)
		return nil, nil
	}
	return journal, nil
}
