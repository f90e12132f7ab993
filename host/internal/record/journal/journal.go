// Package journal keeps runs in one SQLite file: what was run, by which
// versions and where, each finished task with its result, and every event.
// Several processes may write the same file. A process that is killed at any
// moment loses its unfinished task and at most about a second of the events that
// belong to no task; no record is written in part. docs/reference/formats.md has the
// tables, so that any SQLite can read them, and
// docs/developer/decisions/0011-sqlite-journal.md says why.
package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Errors, for errors.Is.
var (
	// ErrNotJournal: the file exists and is not a journal.
	ErrNotJournal = errors.New("not a journal")
	// ErrNoRun: no run has the name.
	ErrNoRun = errors.New("no such run")
	// ErrLive: a process is writing the run.
	ErrLive = errors.New("the run is being written")
	// ErrDone: the run has a result under this key.
	ErrDone = errors.New("the task is done already")
	// ErrEnded: the run was finished, deleted, or its journal closed.
	ErrEnded = errors.New("the run has ended")
)

// Journal is an open file of runs. Safe for concurrent use.
type Journal struct {
	path string // as given by the user
	file string // the absolute path of the file, or of its copy
	copy string // the folder of a temporary copy; empty: no copy
	db   *sql.DB
	live liveness

	// mu guards the one connection: SQLite has one writer at a time anyway, and
	// readers in this process read a page at a time.
	mu     sync.Mutex
	conn   *sql.Conn
	synced bool // the connection's current mode: commits reach the disk
	closed bool

	runsMu  sync.Mutex
	runs    map[*Run]bool // runs that can still be written
	failure error         // the first error in writing a run
}

// DefaultPath returns the path of the default journal: journal.db in record.RunsDir.
func DefaultPath() (string, error) {
	dir, err := record.RunsDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "journal.db"), nil
}

// Path returns the file's name as given to Open.
func (j *Journal) Path() string { return j.path }

// Close writes pending events, releases unfinished runs (they can be resumed) and
// closes the file. It returns the first error in writing any run.
func (j *Journal) Close() error {
	j.runsMu.Lock()
	runs := slices.Collect(maps.Keys(j.runs))
	j.runsMu.Unlock()
	for _, r := range runs {
		r.abandon()
	}
	j.runsMu.Lock()
	failure := j.failure
	j.runsMu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	err := errors.Join(j.conn.Close(), j.db.Close(), j.live.close())
	if j.copy != "" {
		err = errors.Join(err, os.RemoveAll(j.copy))
	}
	if err != nil {
		return errors.Join(failure, j.fail(err))
	}
	return failure
}

// note keeps the first failure for Close.
func (j *Journal) note(err error) {
	j.runsMu.Lock()
	defer j.runsMu.Unlock()
	if j.failure == nil {
		j.failure = err
	}
}

// background is the context of all statements: a transaction is short and must not be
// interrupted.
var background = context.Background()

// patience is how long a writer waits for its turn among other processes.
const patience = time.Minute

// write calls a function in a transaction. With sync the data is on disk before write returns and
// survives a power cut; without, it survives the end of the process.
func (j *Journal) write(sync bool, do func(*sql.Conn) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrEnded
	}
	if sync != j.synced {
		mode := "NORMAL"
		if sync {
			mode = "FULL"
		}
		if _, err := j.conn.ExecContext(background, "PRAGMA synchronous = "+mode); err != nil {
			return err
		}
		j.synced = sync
	}
	return transact(j.conn, do)
}

func transact(conn *sql.Conn, do func(*sql.Conn) error) error {
	for deadline := time.Now().Add(patience); ; {
		// Immediate: a transaction that reads before it writes could find that
		// another process has written in between, and waiting would not help.
		_, err := conn.ExecContext(background, "BEGIN IMMEDIATE")
		if err == nil {
			break
		}
		if !busy(err) || time.Now().After(deadline) {
			return err
		}
	}
	err := do(conn)
	if err == nil {
		if _, err = conn.ExecContext(background, "COMMIT"); err == nil {
			return nil
		}
	}
	conn.ExecContext(background, "ROLLBACK") // fails if SQLite has rolled back already
	return err
}

// read calls a function with the connection, which no other call uses meanwhile.
func (j *Journal) read(do func(*sql.Conn) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrEnded
	}
	return do(j.conn)
}

// each calls scan with every row of a query.
func each(conn *sql.Conn, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := conn.QueryContext(background, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// fail adds the journal's name to an error.
func (j *Journal) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("journal %s: %w", j.path, err)
}

// Primary result codes of SQLite, see https://www.sqlite.org/rescode.html.
const (
	codeBusy    = 5
	codeLocked  = 6
	codeCorrupt = 11
	codeNotADB  = 26
)

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func busy(err error) bool { return code(err) == codeBusy || code(err) == codeLocked }
