package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
)

// recorder is where results of many tasks go: a run of the journal, or memory
// where the journal cannot be written.
type recorder interface {
	experiment.Record
	// name is the run's name and the journal's file, both empty in memory.
	name() (run, file string)
	finish(record.Finished) error
	close() error
}

// addSubject takes a study with one network into what is told of a run of
// several.
func addSubject(s *record.Started, study, model string) {
	if !slices.Contains(strings.Split(s.Study, ","), study) {
		s.Study = strings.TrimPrefix(s.Study+","+study, ",")
	}
	s.Model = strings.TrimPrefix(s.Model+","+model, ",")
}

// beginning says what to do about a run of the same task that was broken off.
type beginning int

const (
	goOn     beginning = iota // go on with it where there is one
	goOnOnly                  // go on with it, or end with an error
	anew                      // leave it
)

// errNothingOpen: there is no run to go on with.
var errNothingOpen = errors.New("no run of the very same arms, networks, rules and versions was broken off")

// beginOrResume begins a run of the tasks with these keys, or goes on with one
// that was broken off.
func (a *App) beginOrResume(started record.Started, keys []string, how beginning) (recorder, error) {
	j, err := a.openJournal()
	if err != nil {
		return nil, err
	}
	if j == nil {
		return newKept(), nil
	}
	var run *journal.Run
	if how != anew {
		run, err = a.resume(j, started.Task, keys)
	}
	switch {
	case err != nil || run != nil:
	case how == goOnOnly:
		err = usage(fmt.Errorf("journal %s: %w", j.Path(), errNothingOpen))
	default:
		run, err = j.Begin(started)
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return &journaled{j, run}, nil
}

// resume opens the newest run of the task that was broken off; nil for none.
func (a *App) resume(j *journal.Journal, t record.Task, keys []string) (*journal.Run, error) {
	open, err := j.Unfinished(t)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	run, err := j.Resume(open[0].Name)
	if err != nil {
		return nil, err
	}
	done := 0
	for _, key := range keys {
		if _, _, ok := run.Done(key); ok {
			done++
		}
	}
	fmt.Fprintf(a.Stderr, "hyfair: going on with run %s, %d of %d tasks done; --fresh begins anew\n", run.Name(), done, len(keys))
	return run, nil
}

// journaled is a run of the journal.
type journaled struct {
	journal *journal.Journal
	*journal.Run
}

func (r *journaled) name() (run, file string)       { return r.Run.Name(), r.journal.Path() }
func (r *journaled) finish(f record.Finished) error { return r.Run.Finish(f) }
func (r *journaled) close() error                   { return r.journal.Close() }

// kept is results in memory. Safe for concurrent use.
type kept struct {
	mu      sync.Mutex
	results map[string][]byte
	seconds map[string]float64
}

func newKept() *kept { return &kept{results: map[string][]byte{}, seconds: map[string]float64{}} }

// Done implements experiment.Record.
func (k *kept) Done(key string) ([]byte, float64, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	text, ok := k.results[key]
	return text, k.seconds[key], ok
}

// Complete implements experiment.Record.
func (k *kept) Complete(key string, result any, seconds float64, _ ...record.Event) error {
	text, err := json.Marshal(result)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results[key], k.seconds[key] = text, seconds
	return err
}

func (k *kept) name() (run, file string)     { return "", "" }
func (k *kept) finish(record.Finished) error { return nil }
func (k *kept) close() error                 { return nil }
