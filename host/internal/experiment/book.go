package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Beginning says what to do about a run of the same task that was broken off.
type Beginning int

const (
	GoOn     Beginning = iota // go on with it where there is one
	GoOnOnly                  // go on with it, or end with an error
	Fresh                     // leave it
)

// errNothingOpen: there is no run to go on with.
var errNothingOpen = errors.New("no run of the very same arms, networks, rules and versions was broken off")

// Kept is where the journal has an experiment, both texts empty where it has not.
type Kept struct {
	Run, Journal string
	Interrupted  bool
}

// book is where results go: a run of the journal, or memory where that cannot be
// written.
type book struct {
	record.Store
	Kept
	finish func(record.Finished) error
}

// open begins a run, or goes on with one of the same that was broken off.
func open(s *session.Session, f *Frame, how Beginning) (*book, error) {
	started, err := f.started()
	if err != nil {
		return nil, err
	}
	j, err := s.Journal()
	if err != nil {
		return nil, err
	}
	if j == nil {
		return &book{Store: &memory{}, finish: func(record.Finished) error { return nil }}, nil
	}
	var broken []journal.Info
	if how != Fresh {
		broken, err = j.Unfinished(started.Task) // the newest first
	}
	var run *journal.Run
	switch {
	case err != nil:
	case len(broken) > 0:
		run, err = j.Resume(broken[0].Name)
	case how == GoOnOnly:
		err = session.Mistake(fmt.Errorf("journal %s: %w", j.Path(), errNothingOpen))
	default:
		run, err = j.Begin(started)
	}
	if err != nil {
		return nil, err
	}
	if len(broken) > 0 {
		done, all := 0, f.tasks()
		for _, t := range all {
			if _, _, ok := run.Done(t.key); ok {
				done++
			}
		}
		s.Note("going on with run %s, %d of %d tasks done; --fresh starts again", run.Name(), done, len(all))
	}
	return &book{run, Kept{Run: run.Name(), Journal: j.Path()}, run.Finish}, nil
}

// started is what the journal is told of a run.
func (f *Frame) started() (record.Started, error) {
	t, err := f.Task()
	out := record.Started{Task: t, At: time.Now().UTC(), Versions: map[string]string{"hyfair": session.Version()}, Machine: session.Machine()}
	for _, s := range f.Subjects {
		if !slices.Contains(strings.Split(out.Study, ","), s.Study) {
			out.Study = strings.TrimPrefix(out.Study+","+s.Study, ",")
		}
		out.Model = strings.TrimPrefix(out.Model+","+s.Model, ",")
	}
	for name, version := range f.Versions {
		if version != "" {
			out.Versions[name] = version
		}
	}
	return out, err
}

// memory is results in memory. Safe for concurrent use.
type memory struct {
	mu   sync.Mutex
	done map[string]journal.Done
}

// Done implements Record.
func (m *memory) Done(key string) ([]byte, float64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.done[key]
	return d.Result, d.Seconds, ok
}

// Complete implements Record.
func (m *memory) Complete(key string, result any, seconds float64, _ ...record.Event) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return m.take(journal.Done{Key: key, Result: text, Seconds: seconds})
}

// take stores a result.
func (m *memory) take(d journal.Done) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done == nil {
		m.done = map[string]journal.Done{}
	}
	m.done[d.Key] = d
	return nil
}
