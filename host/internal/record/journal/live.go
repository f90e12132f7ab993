package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/hyfair/hyfair/host/internal/system/filelock"
)

// liveness distinguishes runs that are being written from runs whose process has ended.
// A writer locks byte number runs.id of a file next to the journal. Locking the journal
// itself is not possible: closing a second handle of it would free the locks that SQLite
// holds in the same process.
type liveness struct {
	path string

	mu   sync.Mutex
	file *os.File // nil until it is needed
	own  map[int64]bool
}

// claim locks a run; false: another writer holds it.
func (l *liveness) claim(id int64) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own[id] {
		return false, nil
	}
	if err := l.open(os.O_RDWR | os.O_CREATE); err != nil {
		return false, err
	}
	free, err := filelock.Try(l.file, id)
	if err != nil {
		return false, fmt.Errorf("locking %s: %w", l.path, err)
	}
	if !free {
		return false, nil
	}
	if l.own == nil {
		l.own = map[int64]bool{}
	}
	l.own[id] = true
	return true, nil
}

// free releases a claimed run.
func (l *liveness) free(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own[id] {
		delete(l.own, id)
		filelock.Free(l.file, id) // if this fails, closing the file frees it
	}
}

// live reports whether a process is writing the run.
func (l *liveness) live(id int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own[id] {
		return true
	}
	if l.open(os.O_RDWR) != nil {
		return false // no run was ever locked here
	}
	return filelock.Taken(l.file, id)
}

func (l *liveness) open(flag int) (err error) {
	if l.file == nil {
		l.file, err = os.OpenFile(l.path, flag, 0o644)
	}
	return err
}

func (l *liveness) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}
